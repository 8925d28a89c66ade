"""A clock that moves when told."""

import asyncio
from datetime import UTC, datetime, timedelta


class ManualClock:
    """`waiting`: how many sleep until a moment that has not come yet."""

    def __init__(self, at: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)) -> None:
        self.at = at
        self.waiting = 0
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        self._moved.set()
        self._moved = asyncio.Event()
        self.waiting = 0  # who still sleeps says so again

    async def sleep_until(self, at: datetime) -> None:
        while self.at < at:
            moved = self._moved
            self.waiting += 1
            try:
                await moved.wait()
            except asyncio.CancelledError:
                self.waiting -= moved is self._moved
                raise
