"""Which messages call a person to the screen, and their text in one line."""

from babysitter.model.message import Message, Occasion
from babysitter.redact import neutral

CALLING = frozenset(
    {
        Occasion.INCIDENT,
        Occasion.WORSE,
        Occasion.PROPOSAL,
        Occasion.REMINDER,
        Occasion.NOT_SUBMITTED,
        Occasion.BLIND,
        Occasion.FINISHED,
        Occasion.DIGEST,
        Occasion.EMERGENCY,
    }
)


def calls_a_person(message: Message) -> bool:
    """Return True if the message is worth a bell or a pop-up; progress and what babysit did are not."""
    return message.occasion in CALLING


def one_line(text: str, max_characters: int) -> str:
    """Return the text without control characters and line breaks, cut to a length."""
    line = " ".join(neutral(text).split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"
