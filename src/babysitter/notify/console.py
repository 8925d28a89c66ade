"""Messages as plain lines on a terminal or in a log. Needs nothing and never fails for long."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from babysitter.messages.attention import calls_a_person, one_line
from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageKind
from babysitter.notify.notifier import NotifyError, Receipt

WRITE_TIMEOUT_S = 5.0
RETRY_INTERVAL_S = 60.0
MAX_POP_UP_CHARACTERS = 200

_SIGNS = {"fatal": "!!", "degraded": "! ", "info": "  ", "benign": "ok"}
_BELL = "\a"
_POP_UP = "\x1b]9;{}\a"  # OSC 9: a notification of the terminal's own
# Terminals that show OSC 9 as a notification; others ignore or misread it, so they only get the bell.
_SHOWS_POP_UPS = frozenset({"iTerm.app", "WezTerm", "ghostty", "xterm-kitty", "xterm-ghostty"})


@dataclass(frozen=True, slots=True)
class Alert:
    """How a terminal calls the person who left it open."""

    rings: bool = False
    pops_up: bool = False


SILENT = Alert()


def alert_of(environment: Mapping[str, str], *, is_terminal: bool, rings: bool, pops_up: bool) -> Alert:
    """Return what this terminal can do of what is wished; a file or a pipe gets neither."""
    names = {environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")}
    return Alert(
        rings=is_terminal and rings, pops_up=is_terminal and pops_up and bool(names & _SHOWS_POP_UPS)
    )


class ConsoleNotifier:
    """Writes to one stream. Live state is not written: a terminal cannot be edited.

    A terminal may take no text for hours (Ctrl+S), so a write happens in a thread of its own.
    """

    name = "console"
    edits = False
    is_daily = False

    def __init__(self, stream: TextIO, alert: Alert = SILENT, *, timeout_s: float = WRITE_TIMEOUT_S) -> None:
        self._stream = stream
        self._alert = alert
        self._timeout_s = timeout_s
        self._written: set[MessageId] = set()
        self._one_at_a_time = asyncio.Lock()
        self._unfinished: threading.Thread | None = None  # a write that the terminal has not taken yet

    @property
    def description(self) -> str:
        if not self._stream.isatty():
            return ""  # a log that nobody looks at
        return "this terminal, with its bell" if self._alert.rings else "this terminal"

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Write once per process; a repeat after a restart may show a message again."""
        if not (is_repeat and message.id in self._written):
            await self._write(message, self._call(message) + as_text(message) + "\n")
        return Receipt(place="console", handle=message.id, thread=thread.handle if thread else "")

    async def edit(self, receipt: Receipt, message: Message) -> None:  # noqa: ARG002
        raise NotifyError("What is written on a terminal cannot be edited.", is_final=True)

    async def close(self) -> None: ...

    def _call(self, message: Message) -> str:
        """The control characters that call a person, for a message that is worth it."""
        if not calls_a_person(message):
            return ""
        title = one_line(f"babysit: {message.words.title}", MAX_POP_UP_CHARACTERS)
        pop_up = _POP_UP.format(title) if self._alert.pops_up else ""
        return (_BELL if self._alert.rings else "") + pop_up

    async def _write(self, message: Message, text: str) -> None:
        async with self._one_at_a_time:
            if self._unfinished is not None:
                raise NotifyError("The terminal takes no text.", retry_after_s=RETRY_INTERVAL_S)
            await self._write_in_thread(message, text)

    async def _write_in_thread(self, message: Message, text: str) -> None:
        loop, done = asyncio.get_running_loop(), asyncio.Event()
        failures: list[Exception] = []

        def write() -> None:
            try:
                _put(self._stream, text)
                self._written.add(message.id)
            except (OSError, ValueError) as error:
                failures.append(error)
            self._unfinished = None
            with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
                loop.call_soon_threadsafe(done.set)

        self._unfinished = thread = threading.Thread(target=write, name="console", daemon=True)
        thread.start()
        try:
            await asyncio.wait_for(done.wait(), self._timeout_s)
        except TimeoutError as error:
            raise NotifyError(
                "The terminal takes no text.", retry_after_s=RETRY_INTERVAL_S, is_doubtful=True
            ) from error
        if failures:
            raise NotifyError(
                f"The terminal cannot be written to: {failures[0]}.", retry_after_s=RETRY_INTERVAL_S
            )


def _put(stream: TextIO, text: str) -> None:
    """Write past the stream's buffer where it has a file: a thread that hangs must hold no lock of it."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError, AttributeError):
        stream.write(text)
        stream.flush()
        return
    rest = text.encode(stream.encoding or "utf-8", "replace")
    while rest:
        rest = rest[os.write(descriptor, rest) :]


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
    if words.page:
        lines.append(f"   page: {words.page}")
    lines += [f"   | {part}" for part in (*words.progress, *words.evidence)]
    lines += [
        f"   {name}: {text}"
        for name, text in (
            ("own recovery", words.recovery),
            ("waiting costs", words.price),
            ("change", words.change),
            ("budget", words.budget),
            *((name.lower(), text) for name, text in words.notes),
            ("decided", words.decided),
        )
        if text
    ]
    if words.commands:
        heading = words.commands_are or "if you approve, babysit will run exactly"
        lines += [f"   {heading}:", *(f"     {command}" for command in words.commands)]
    asks = message.occasion not in (MessageKind.DECIDED, MessageKind.ACTING, MessageKind.NOT_SUBMITTED)
    if message.proposal and words.commands and asks:
        lines.append(f"   answer with: babysit approve {message.proposal}   (or deny, snooze)")
    if words.footer:
        lines.append(f"   {words.footer}")
    return "\n".join(lines)
