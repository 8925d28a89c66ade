"""What this process waits for at this moment, to be shown at the terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """`what`: completes the sentence "waiting for ...". `since_s`: by the monotonic clock."""

    what: str
    since_s: float


class Waits:
    """The waits under way, the outermost first. Adding and removing is cheap: every request does it."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._under_way: list[Wait] = []
        self._hidden = 0
        self.when_one_ends: Callable[[], None] | None = None

    @contextmanager
    def add(self, what: str) -> Iterator[None]:
        wait = Wait(what, self._now_s())
        self._under_way.append(wait)
        try:
            yield
        finally:
            self._under_way.remove(wait)
            if self.when_one_ends is not None:
                self.when_one_ends()

    @contextmanager
    def hide(self) -> Iterator[None]:
        """Show none while the block lasts: it draws itself, asks a person, or waits all the time."""
        self._hidden += 1
        if self.when_one_ends is not None:
            self.when_one_ends()
        try:
            yield
        finally:
            self._hidden -= 1

    def longest(self) -> tuple[str, float] | None:
        """The innermost wait in words, and how many seconds the outermost has lasted; None = none."""
        under_way = tuple(self._under_way)  # another thread may change the list meanwhile
        if not under_way or self._hidden:
            return None
        return under_way[-1].what, self._now_s() - under_way[0].since_s


WAITS = Waits()


def waiting_for(what: str) -> AbstractContextManager[None]:
    """Note what is waited for while the block lasts: "the controller at ...", "the service to begin"."""
    return WAITS.add(what)


def hidden_waits() -> AbstractContextManager[None]:
    """Show no wait while the block lasts."""
    return WAITS.hide()
