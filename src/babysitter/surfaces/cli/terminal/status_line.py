"""What a command waits for and for how long, on standard error, from the second second on.

On a terminal one line is drawn over and over and wiped when the wait ends. Elsewhere a plain line comes now
and then, at growing intervals; with --json none does, because a program reads along.
"""

import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from babysitter.waits import WAITS, Waits

SHOWN_AFTER_S = 2.0
REDRAW_INTERVAL_S = 0.5
MAX_PLAIN_INTERVAL_S = 300.0
_WIPE = "\r\x1b[K"


class StatusLine:
    """Draws the wait under way. `tick` is called by a clock, `wipe` as soon as a wait ends."""

    def __init__(
        self,
        stream: TextIO,
        *,
        is_terminal: bool,
        waits: Waits = WAITS,
        columns: Callable[[], int] = lambda: shutil.get_terminal_size().columns,
    ) -> None:
        self._stream = stream
        self._is_terminal = is_terminal
        self._waits = waits
        self._columns = columns
        self._is_drawn = False
        self._plain_at_s = SHOWN_AFTER_S  # how long a wait must last for the next plain line
        self._lock = threading.Lock()
        self._is_closed = False

    def tick(self) -> None:
        """Show the wait, if there is one that has lasted."""
        with self._lock:
            wait = self._waits.longest()
            if wait is None or wait[1] < SHOWN_AFTER_S:
                self._wipe()
                self._plain_at_s = SHOWN_AFTER_S
            elif not self._is_closed:
                self._draw(*wait) if self._is_terminal else self._print(*wait)

    def wipe(self) -> None:
        """Leave the terminal to whoever writes next."""
        with self._lock:
            self._wipe()

    def _draw(self, what: str, lasted_s: float) -> None:
        sentence = words(what, lasted_s)
        width = max(20, self._columns() - 1)
        if len(sentence) > width:
            tail = f", {_span(lasted_s)}"
            sentence = f"{sentence[: width - len(tail) - 1]}…{tail}"
        self._write(f"{_WIPE}{sentence}")
        self._is_drawn = True

    def _print(self, what: str, lasted_s: float) -> None:
        if lasted_s >= self._plain_at_s:
            self._write(f"{words(what, lasted_s)}\n")
            self._plain_at_s = min(lasted_s * 2, lasted_s + MAX_PLAIN_INTERVAL_S)

    def _wipe(self) -> None:
        if self._is_drawn:
            self._write(_WIPE)
            self._is_drawn = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # whoever read it has gone
            self._is_closed = True


def words(what: str, lasted_s: float) -> str:
    """`Waiting for the controller at http://..., 12 s`."""
    from babysitter.redact import redact, strip_control_characters  # only now: most commands wait for nothing

    return f"Waiting for {strip_control_characters(redact(what))}, {_span(lasted_s)}"


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def shown_waits(arguments: Sequence[str]) -> Iterator[None]:
    """Show what is waited for while the block lasts, as suits who reads standard error."""
    is_terminal = sys.stderr.isatty()
    if "--json" in arguments and not is_terminal:
        yield
        return
    line = StatusLine(sys.stderr, is_terminal=is_terminal)
    WAITS.when_one_ends = line.wipe
    ended = threading.Event()

    def draw() -> None:
        while not ended.wait(REDRAW_INTERVAL_S):
            line.tick()

    thread = threading.Thread(target=draw, name="babysit-status-line", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()  # else it might draw once more
        WAITS.when_one_ends = None
        line.wipe()
