"""What time it is, and waiting until it is later. Nothing else in the product asks the system."""

import asyncio
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Time as an object, so that tests and replays can bring their own."""

    def now(self) -> datetime:
        """The moment, aware, UTC."""

    async def sleep_until(self, at: datetime) -> None:
        """Return at `at` or as soon after it as possible; at once when it has passed."""


class SystemClock:
    """The machine's own clock, optionally running `speed` times as fast from its creation on.

    The compressed form drives the demo: the simulator's cluster and the watcher share one pace.
    """

    def __init__(self, *, speed: float = 1.0) -> None:
        self._speed = speed
        self._origin = datetime.now(UTC)

    def now(self) -> datetime:
        actual = datetime.now(UTC)
        return actual if self._speed == 1.0 else self._origin + (actual - self._origin) * self._speed

    async def sleep_until(self, at: datetime) -> None:
        remaining_s = (at - self.now()).total_seconds() / self._speed
        await asyncio.sleep(max(0.0, remaining_s))
