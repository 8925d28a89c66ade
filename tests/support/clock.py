"""A clock that stands still until it is told to move, and knows who waits for it."""

import asyncio
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class FakeClock:
    """Time as the test wants it. `waiting` holds the moments that somebody sleeps until."""

    def __init__(self, at: datetime = NOON) -> None:
        self._now = at
        self._sleepers: list[tuple[datetime, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return self._now

    async def sleep_until(self, at: datetime) -> None:
        if at <= self._now:
            await asyncio.sleep(0)
            return
        waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((at, waker))
        await waker

    @property
    def waiting(self) -> tuple[datetime, ...]:
        return tuple(sorted(at for at, waker in self._sleepers if not waker.done()))

    def advance(self, seconds: float = 0.0) -> datetime:
        """Move on, and wake whoever waited for a moment that has come."""
        self._now += timedelta(seconds=seconds)
        for at, waker in self._sleepers:
            if at <= self._now and not waker.done():
                waker.set_result(None)
        self._sleepers = [(at, waker) for at, waker in self._sleepers if not waker.done()]
        return self._now
