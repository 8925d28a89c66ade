"""Pop-ups on the desktop of the machine where the service runs: notify-send on Linux, osascript on macOS.

The text is passed as arguments, never through a shell. A command that hangs is killed. A pop-up says "look
now", so a message that is old by the time a desktop takes it is dropped: `babysit status` has it.
"""

import asyncio
import contextlib
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from xml.sax.saxutils import escape

from babysitter.clock import Clock
from babysitter.messages.attention import calls_a_person, one_line
from babysitter.model.message import Message
from babysitter.notify.notifier import NotifyError, Receipt

COMMAND_TIMEOUT_S = 5.0
RETRY_INTERVAL_S = 60.0  # there may be no session to show it in, until somebody logs in again
MAX_AGE = timedelta(minutes=30)  # guess: later than this a pop-up is news to nobody
MAX_TITLE_CHARACTERS = 120
MAX_BODY_CHARACTERS = 300

_OSASCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


class DesktopCommand(StrEnum):
    """The program that shows a pop-up."""

    NOTIFY_SEND = "notify-send"
    OSASCRIPT = "osascript"


@dataclass(frozen=True, slots=True)
class Desktop:
    """A way to show pop-ups on this machine: a program, and where it is."""

    command: DesktopCommand
    path: str

    def arguments(self, title: str, body: str, *, is_urgent: bool) -> tuple[str, ...]:
        """The words to run. The body of notify-send is markup, so it is escaped."""
        if self.command is DesktopCommand.OSASCRIPT:
            scripts = [word for line in _OSASCRIPT for word in ("-e", line)]
            return (self.path, *scripts, title, body)
        urgency = "critical" if is_urgent else "normal"
        return (self.path, "--app-name=babysit", f"--urgency={urgency}", "--", title, escape(body))


def find_desktop(
    environment: Mapping[str, str],
    *,
    platform: str = sys.platform,
    which: Callable[[str], str | None] = shutil.which,
) -> Desktop | None:
    """Return how pop-ups are shown here, None where nobody sits before the machine's own screen."""
    if environment.get("SSH_CONNECTION"):
        return None
    command = DesktopCommand.OSASCRIPT if platform == "darwin" else DesktopCommand.NOTIFY_SEND
    has_screen = platform == "darwin" or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    path = which(command.value) if has_screen else None
    return Desktop(command, path) if path else None


class DesktopNotifier:
    """Shows what calls a person; the rest is taken and not shown."""

    name = "desktop"
    edits = False
    is_daily = False

    def __init__(self, desktop: Desktop, clock: Clock, *, timeout_s: float = COMMAND_TIMEOUT_S) -> None:
        self._desktop = desktop
        self._clock = clock
        self._timeout_s = timeout_s
        self._last_shown = ""

    @property
    def description(self) -> str:
        return f"desktop notifications ({self._desktop.command.value})"

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Show a pop-up. A repeat after a restart of the service may show it again."""
        receipt = Receipt(place=self.name, handle=message.id, thread=thread.handle if thread else "")
        if not calls_a_person(message) or (is_repeat and message.id == self._last_shown):
            return receipt
        if self._clock.now() - message.created_at > MAX_AGE:
            raise NotifyError("It is too old for a pop-up.", is_final=True)
        words = message.words
        await self._run(
            self._desktop.arguments(
                one_line(f"babysit: {words.title}", MAX_TITLE_CHARACTERS),
                one_line(words.sentence, MAX_BODY_CHARACTERS),
                is_urgent=words.severity == "fatal",
            )
        )
        self._last_shown = message.id
        return receipt

    async def edit(self, receipt: Receipt, message: Message) -> None:  # noqa: ARG002
        raise NotifyError("A pop-up cannot be edited.", is_final=True)

    async def close(self) -> None: ...

    async def _run(self, words: tuple[str, ...]) -> None:
        nothing = asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=nothing, stdout=nothing, stderr=nothing
            )
        except OSError as error:
            raise NotifyError(
                f"{self._desktop.command.value} cannot be run: {error.strerror}.",
                retry_after_s=RETRY_INTERVAL_S,
            ) from error
        try:
            status = await asyncio.wait_for(process.wait(), self._timeout_s)
        except TimeoutError as error:
            raise NotifyError(
                f"{self._desktop.command.value} did not end within {self._timeout_s:g} s.",
                retry_after_s=RETRY_INTERVAL_S,
                is_doubtful=True,
            ) from error
        finally:
            await _end(process)
        if status != 0:
            raise NotifyError(
                f"{self._desktop.command.value} failed with status {status}.",
                retry_after_s=RETRY_INTERVAL_S,
                is_doubtful=True,
            )


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what still runs, and reap it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
