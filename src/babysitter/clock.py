"""What time it is, and waiting until it is later. Nothing else in the product asks the system."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Time as an object, so that tests and replays can bring their own."""

    def now(self) -> datetime:
        """The moment, aware, UTC."""

    async def sleep_until(self, at: datetime) -> None:
        """Return at `at` or as soon after it as possible; at once when it has passed."""


def has_come(at: datetime | None, now: datetime, *, horizon: timedelta) -> bool:
    """Whether a moment has come; None is always past.

    A moment further ahead than `horizon`, which nobody can have meant, has come too: the clock was set back
    since it was written down.
    """
    return at is None or at <= now or at - now > horizon


class SystemClock:
    """The machine's own clock, optionally running `speed` times as fast from its creation on."""

    def __init__(self, *, speed: float = 1.0) -> None:
        self._speed = speed
        self._origin = datetime.now(UTC)

    def now(self) -> datetime:
        actual = datetime.now(UTC)
        return actual if self._speed == 1.0 else self._origin + (actual - self._origin) * self._speed

    async def sleep_until(self, at: datetime) -> None:
        remaining_s = (at - self.now()).total_seconds() / self._speed
        await asyncio.sleep(max(0.0, remaining_s))


class PacedClock:
    """Runs `speed` times as fast as the machine's clock, but never ahead of the work: for the demo.

    The simulated cluster and its watcher share it. On a busy machine a check takes real seconds, which are
    minutes here; so the clock stops where something due is not done yet, and the story stays the same.
    """

    def __init__(self, *, speed: float) -> None:
        self._speed = speed
        self._now = self._looked_at = datetime.now(UTC)
        self._undone_at: Callable[[], datetime | None] = lambda: None
        self._sleepers = 0

    def keep_behind(self, undone_at: Callable[[], datetime | None]) -> None:
        """Do not pass this moment from now on, unless somebody sleeps: then the work waits for time."""
        self._undone_at = undone_at

    def now(self) -> datetime:
        actual = datetime.now(UTC)
        then = self._now + (actual - self._looked_at) * self._speed
        self._looked_at = actual
        limit = None if self._sleepers else self._undone_at()
        self._now = then if limit is None else max(self._now, min(then, limit))
        return self._now

    async def sleep_until(self, at: datetime) -> None:
        self._sleepers += 1
        try:
            while (remaining_s := (at - self.now()).total_seconds()) > 0:  # noqa: ASYNC110
                await asyncio.sleep(remaining_s / self._speed)
        finally:
            self._sleepers -= 1
