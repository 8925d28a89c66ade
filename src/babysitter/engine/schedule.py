"""Who is due: a heap of due times, one tick. Never two checks of one watch at once.

The database is the truth and this heap a copy of it: rebuilt at the start, refreshed where a watch was
announced (by whatever process wrote it), and compared as a whole every minute.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from babysitter.model.ids import WatchId
from babysitter.store.store import Store

log = structlog.get_logger()

AT_ONCE = 256  # most of them wait for the log of a slow cluster
COMPARE_EVERY = timedelta(minutes=1)
SET_BACK_BY = timedelta(seconds=1)  # less is an ordinary correction of the clock
RETRY_AFTER = timedelta(seconds=30)  # a watch whose attention itself broke

Attend = Callable[[WatchId], Awaitable[datetime | None]]


class Schedule:
    """`attend` does whatever a due watch needs and gives when it is due next (None = never)."""

    def __init__(self, store: Store, attend: Attend, *, at_once: int = AT_ONCE) -> None:
        self._store = store
        self._attend = attend
        self._places = asyncio.Semaphore(at_once)
        self._heap: list[tuple[datetime, WatchId]] = []
        self._due: dict[WatchId, datetime] = {}
        self._under_way: dict[WatchId, asyncio.Task[None]] = {}
        self._began_due: dict[WatchId, datetime] = {}  # of those under way
        self._announced_meanwhile: set[WatchId] = set()
        self._announcement: int | None = None  # None = nothing read yet
        self._compared_at: datetime | None = None
        self._ticked_at: datetime | None = None

    async def tick(self, now: datetime) -> None:
        """Notice what others wrote, and start whatever is due. Returns at once; see `settled`.

        Raises StorageUnavailable when the database cannot be read; what is known to be due is started all
        the same. A clock that was set back makes every watch due that was written in what is now the future.
        """
        if self._ticked_at is not None and now < self._ticked_at - SET_BACK_BY:
            log.warning("clock_set_back", by_s=(self._ticked_at - now).total_seconds())
            self._compared_at = None
        self._ticked_at = now
        try:
            await self._notice(now)
        finally:
            self._start_due(now)

    def _start_due(self, now: datetime) -> None:
        while self._heap and self._heap[0][0] <= now:
            at, watch = heapq.heappop(self._heap)
            if self._due.get(watch) == at:  # else an entry that a newer one has replaced
                del self._due[watch]
                task = asyncio.create_task(self._work(watch), name=f"attend {watch}")
                self._under_way[watch] = task
                self._began_due[watch] = at

    async def settled(self) -> None:
        """Return when everything that was started has ended."""
        while self._under_way:
            await asyncio.wait(tuple(self._under_way.values()))

    async def give_up(self) -> None:
        """End what is under way, as a crash would: it is taken up again from the database."""
        for task in list(self._under_way.values()):
            task.cancel()
        await self.settled()

    @property
    def next_due_at(self) -> datetime | None:
        """The earliest moment at which something is due; None = nothing is."""
        return min(self._due.values(), default=None)

    @property
    def undone_at(self) -> datetime | None:
        """The earliest moment at which something is or was due that is not done yet; None = nothing is."""
        return min((*self._due.values(), *self._began_due.values()), default=None)

    @property
    def under_way(self) -> int:
        """How many watches are being attended to."""
        return len(self._under_way)

    async def _notice(self, now: datetime) -> None:
        async with self._store.reading() as tx:
            if self._announcement is None or self._is_time_to_compare(now):
                newest = await tx.watches.newest_announcement()
                known = {**dict.fromkeys(self._due), **await tx.watches.due_times(now=now)}
                self._compared_at = now
            else:
                newest, announced = await tx.watches.announced_after(self._announcement)
                known = {**await tx.watches.due_times(announced, now=now)} if announced else {}
        self._announcement = newest  # only now: an announcement that could not be followed is read again
        for watch, due_at in known.items():
            if watch in self._under_way:
                self._announced_meanwhile.add(watch)
            else:
                self._put(watch, due_at)

    def _is_time_to_compare(self, now: datetime) -> bool:
        return self._compared_at is None or now - self._compared_at >= COMPARE_EVERY

    async def _work(self, watch: WatchId) -> None:
        """Attend to one watch, and note when it is due next. Whatever breaks, the watch is due again."""
        assert self._ticked_at is not None, "work begins with a tick"
        due_at: datetime | None = None
        try:
            async with self._places:
                due_at = await self._attend(watch)
            if watch in self._announced_meanwhile:
                due_at = await self._due_in_store(watch, self._ticked_at)
        except Exception as fault:  # noqa: BLE001  the top of a check
            log.error("attending_failed", watch=watch, because=repr(fault))
            due_at = self._ticked_at + RETRY_AFTER
        finally:
            del self._under_way[watch], self._began_due[watch]
            self._announced_meanwhile.discard(watch)
        self._put(watch, due_at)

    async def _due_in_store(self, watch: WatchId, now: datetime) -> datetime | None:
        async with self._store.reading() as tx:
            return (await tx.watches.due_times((watch,), now=now)).get(watch)

    def _put(self, watch: WatchId, due_at: datetime | None) -> None:
        if due_at is None:
            self._due.pop(watch, None)
        elif self._due.get(watch) != due_at:
            self._due[watch] = due_at
            heapq.heappush(self._heap, (due_at, watch))
