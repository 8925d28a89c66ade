"""Messages as plain lines on a terminal or in a log. Needs nothing and never fails for long."""

from typing import TextIO

from babysitter.model.ids import MessageId
from babysitter.model.message import Message, Occasion
from babysitter.notify.base import NotifyError, Receipt

_SIGNS = {"fatal": "!!", "degraded": "! ", "info": "  ", "benign": "ok"}


class ConsoleNotifier:
    """Writes to one stream. Live state is not written: a terminal cannot be edited."""

    name = "console"
    edits = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._written: set[MessageId] = set()

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Write once per process; a repeat after a restart may show a message again."""
        if not (is_repeat and message.id in self._written):
            try:
                self._stream.write(as_text(message) + "\n")
                self._stream.flush()
            except (OSError, ValueError) as error:
                raise NotifyError(
                    f"The terminal cannot be written to: {error}.", retry_after_s=60.0
                ) from error
            self._written.add(message.id)
        return Receipt(place="console", handle=message.id, thread=thread.handle if thread else "")

    async def edit(self, receipt: Receipt, message: Message) -> None:  # noqa: ARG002
        raise NotifyError("What is written on a terminal cannot be edited.", is_final=True)

    async def close(self) -> None: ...


def as_text(message: Message) -> str:
    """A message in plain lines, the most important first."""
    words = message.words
    lines = [
        f"{_SIGNS.get(words.severity, '  ')} {message.created_at:%H:%M:%S} {words.title}",
        f"   {words.sentence}",
    ]
    if words.cause:
        sure = f", {words.confidence:.0%} sure" if words.confidence is not None else ""
        lines.append(f"   cause: {words.cause}{sure}")
    lines += [f"   {name.lower()}: {value}" for name, value in words.fields]
    lines += [f"   | {each}" for each in (*words.progress, *words.evidence)]
    lines += [
        f"   {name}: {text}"
        for name, text in (
            ("own recovery", words.recovery),
            ("waiting costs", words.price),
            ("change", words.change),
            ("budget", words.budget),
            ("decided", words.decided),
        )
        if text
    ]
    if words.commands:
        lines += ["   approval would run exactly:", *(f"     {each}" for each in words.commands)]
    if message.proposal and words.commands and message.occasion is not Occasion.DECIDED:
        lines.append(f"   answer with: babysit approve {message.proposal}   (or deny, snooze)")
    if words.footer:
        lines.append(f"   {words.footer}")
    return "\n".join(lines)
