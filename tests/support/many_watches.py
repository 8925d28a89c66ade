"""Many quiet plain watches of one cluster whose controller answers few log requests at a time.

The schedule, the questions and the judgement are the real ones; time is a clock that is moved, so that
minutes of slow answers cost no real ones.
"""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from babysitter.backends.batching import BatchingReader
from babysitter.backends.wrappers import CoalescingReader, LimitedReader
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.commit import due_at
from babysitter.engine.observe import observe
from babysitter.engine.schedule import Schedule
from babysitter.model.ids import JobId, WatchId
from babysitter.model.log import Cursor, LogBatch, LogSource
from babysitter.model.memory import Memory
from babysitter.model.watch import Watch
from babysitter.store.store import Store, open_store
from tests.support.build import watch
from tests.support.clock import FakeClock
from tests.support.cluster import SmallCluster
from tests.support.jobs import job
from tests.support.recordings import rules

STEP_S = 0.5
SETTLE_S = 180.0  # until all are steady
TURNS = 40  # of the loop per step: enough for whatever a step woke to wait again


class SlowLogs(SmallCluster):
    """Answers a log request after so many seconds of the clock."""

    def __init__(self, clock: FakeClock, answer_s: float) -> None:
        super().__init__()
        self._clock = clock
        self._answer_s = answer_s

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,
    ) -> LogBatch:
        await self._clock.sleep_until(self._clock.now() + timedelta(seconds=self._answer_s))
        return await super().lines(source, after=after, at_most=at_most, newest=newest, may_wait_s=may_wait_s)


class ManyWatches:
    """`lags_s`: how long after its due time each check began. `starts`: when, by watch."""

    def __init__(self, store: Store, count: int, answer_s: float) -> None:
        self.clock = FakeClock()
        self.cluster = SlowLogs(self.clock, answer_s)
        self.lags_s: list[float] = []
        self.starts: dict[WatchId, list[datetime]] = {}
        self._store = store
        self._reader = BatchingReader(
            CoalescingReader(
                LimitedReader(self.cluster, elapsed_s=lambda: self.clock.now().timestamp()), clock=self.clock
            ),
            self.clock,
        )
        self.held: dict[WatchId, Watch] = {}
        self._due: dict[WatchId, datetime] = {}
        self._schedule = Schedule(store, self._attend)
        for number in range(count):
            root = JobId(f"/ada/quiet-{number}")
            self.cluster.jobs[root] = job(root)
            name = WatchId(f"w-{number}")
            self.held[name] = watch(
                id=name, root=root, first_root=root, memory=Memory(), due_at=self.clock.now()
            )
            self._due[name] = self.clock.now()

    async def begin(self) -> None:
        async with self._store.transaction() as tx:
            for other in self.held.values():
                await tx.watches.add(other)

    async def pass_s(self, seconds: float) -> None:
        for _ in range(int(seconds / STEP_S)):
            await self._schedule.tick(self.clock.now())
            for _ in range(TURNS):
                await asyncio.sleep(0)
            self.clock.advance(STEP_S)

    @property
    def longest_gap_s(self) -> float:
        """Between two checks of one watch."""
        pairs = (pair for starts in self.starts.values() for pair in pairwise(starts))
        return max((later - earlier).total_seconds() for earlier, later in pairs)

    async def end(self) -> None:
        await self._schedule.give_up()

    async def _attend(self, name: WatchId) -> datetime | None:
        now = self.clock.now()
        self.lags_s.append((now - self._due[name]).total_seconds())
        self.starts.setdefault(name, []).append(now)
        held = self.held[name]
        observation = await observe(held, self._reader, self.clock)
        verdict = judge(held, observation, rules())
        due = due_at(verdict, held, observation.taken_at)
        assert due is not None
        self.held[name] = replace(held, memory=verdict.memory, due_at=due)
        self._due[name] = due
        return due


async def many_watches(folder: Path, count: int, answer_s: float, *, minutes: float) -> ManyWatches:
    """Let so many watches begin at once; return what they did in steady state, after the first minutes."""
    store = await open_store(folder)
    try:
        many = ManyWatches(store, count, answer_s)
        await many.begin()
        await many.pass_s(SETTLE_S)
        many.lags_s.clear()
        many.starts.clear()
        many.cluster.asked.clear()
        await many.pass_s(minutes * 60)
        await many.end()
    finally:
        await store.close()
    return many
