"""A clock that moves when told."""

import asyncio
from datetime import UTC, datetime, timedelta


class ManualClock:
    def __init__(self, at: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)) -> None:
        self.at = at
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        self._moved.set()

    async def sleep_until(self, at: datetime) -> None:
        while self.at < at:
            self._moved.clear()
            await self._moved.wait()
