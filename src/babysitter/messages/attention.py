"""Which messages call a person to the screen, and their text in one line."""

from babysitter.model.message import Message, MessageKind
from babysitter.redact import strip_control_characters

CALLING = frozenset(
    {
        MessageKind.INCIDENT,
        MessageKind.WORSE,
        MessageKind.CHANGED,
        MessageKind.PROPOSAL,
        MessageKind.REMINDER,
        MessageKind.NOT_SUBMITTED,
        MessageKind.BLIND,
        MessageKind.FINISHED,
        MessageKind.DIGEST,
        MessageKind.EMERGENCY,
    }
)


def calls_a_person(message: Message) -> bool:
    """Return True if the message is worth a bell or a pop-up; progress and what babysit did are not."""
    return message.occasion in CALLING


def one_line(text: str, max_characters: int) -> str:
    """Return the text without control characters and line breaks, cut to a length."""
    line = " ".join(strip_control_characters(text).split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"
