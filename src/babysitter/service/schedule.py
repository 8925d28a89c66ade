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
from babysitter.store.open import Store

log = structlog.get_logger()

AT_ONCE = 64
COMPARE_EVERY = timedelta(minutes=1)

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

    async def tick(self, now: datetime) -> None:
        """Notice what others wrote, and start whatever is due. Returns at once; see `settled`."""
        await self._notice(now)
        while self._heap and self._heap[0][0] <= now:
            at, watch = heapq.heappop(self._heap)
            if self._due.get(watch) == at:  # else an entry that a newer one has replaced
                del self._due[watch]
                task = asyncio.create_task(self._work(watch), name=f"attend {watch}")
                task.add_done_callback(_note_fault)
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
        async with self._store.reading() as records:
            if self._announcement is None or self._is_time_to_compare(now):
                self._announcement = await records.watches.newest_announcement()
                self._compared_at = now
                known = {**dict.fromkeys(self._due), **await records.watches.due_times()}
            else:
                self._announcement, announced = await records.watches.announced_after(self._announcement)
                if not announced:
                    return
                known = {**await records.watches.due_times(announced)}
        for watch, due_at in known.items():
            if watch in self._under_way:
                self._announced_meanwhile.add(watch)
            else:
                self._put(watch, due_at)

    def _is_time_to_compare(self, now: datetime) -> bool:
        return self._compared_at is None or now - self._compared_at >= COMPARE_EVERY

    async def _work(self, watch: WatchId) -> None:
        due_at: datetime | None = None
        try:
            async with self._places:
                due_at = await self._attend(watch)
            if watch in self._announced_meanwhile:
                due_at = await self._due_in_store(watch)
        finally:
            del self._under_way[watch], self._began_due[watch]
            self._announced_meanwhile.discard(watch)
        self._put(watch, due_at)

    async def _due_in_store(self, watch: WatchId) -> datetime | None:
        async with self._store.reading() as records:
            return (await records.watches.due_times((watch,))).get(watch)

    def _put(self, watch: WatchId, due_at: datetime | None) -> None:
        if due_at is None:
            self._due.pop(watch, None)
        elif self._due.get(watch) != due_at:
            self._due[watch] = due_at
            heapq.heappush(self._heap, (due_at, watch))


def _note_fault(task: asyncio.Task[None]) -> None:
    """Not even the trouble could be written down: the next comparison with the database finds the watch."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("attending failed", task=task.get_name(), fault=repr(fault))
