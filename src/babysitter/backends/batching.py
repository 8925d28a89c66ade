"""Job states of all watched jobs in one request: what makes watching many quiet jobs cheap.

A controller answers for hundreds of jobs in one GetJobState, in a millisecond and with some bytes per job.
While it says that no job of a tree has changed its state, the tree need not be listed again.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from babysitter.backends.backend import ClusterReader
from babysitter.backends.wrappers import ReaderWrapper, direct
from babysitter.clock import Clock
from babysitter.model.ids import JobId
from babysitter.model.job import JobState, JobTree

STATES_TTL = timedelta(seconds=5)  # checks that are due together share an answer
FORGET_AFTER = timedelta(
    minutes=5
)  # a tree that nobody asked for: its watch has ended, or is looked at closely
MAX_LIVE_JOBS = 50  # of a tree; larger ones are pipelines, which are listed at every look


@dataclass(frozen=True, slots=True)
class _KnownTree:
    """A tree as it was listed. `asked_at`: time of the last request for it, for a look of this kind."""

    tree: JobTree
    listed_at: datetime
    asked_at: datetime

    @property
    def live(self) -> frozenset[JobId]:
        """The jobs whose state can still change."""
        return frozenset(job.id for job in self.tree if not job.state.is_terminal)

    def is_as(self, states: Mapping[JobId, JobState]) -> bool:
        """Whether these states show every live job as it was."""
        return all(states.get(job.id) is job.state for job in self.tree if not job.state.is_terminal)


@dataclass(frozen=True, slots=True)
class _States:
    """One answer, and for which jobs it was asked; it lacks those that the cluster does not know."""

    asked: frozenset[JobId]
    asked_at: datetime
    task: "asyncio.Task[Mapping[JobId, JobState]]"

    def covers(self, jobs: Collection[JobId], now: datetime) -> bool:
        is_fresh = timedelta() <= now - self.asked_at < STATES_TTL
        return is_fresh and self.asked.issuperset(jobs) and not _has_failed(self.task)


class BatchingReader(ReaderWrapper):
    """Goes around all other wrappers, and is shared by every watch of a cluster."""

    def __init__(self, reader: ClusterReader, clock: Clock) -> None:
        super().__init__(reader, direct)
        self._clock = clock
        self._trees: dict[JobId, _KnownTree] = {}
        self._states: _States | None = None

    async def tree(self, root: JobId, *, tasks_of: Collection[JobId] = (), max_age_s: float = 0.0) -> JobTree:
        now = self._clock.now()
        max_age_s = min(max_age_s, self._reader.abilities.tree_age_most_s)
        known = self._trees.pop(root, None)
        if known is not None and not tasks_of and _may_be_kept(known, now, max_age_s):
            self._trees[root] = replace(known, asked_at=now)
            if known.is_as(await self._states_of(known.live, now)):
                return known.tree
        tree = await self._reader.tree(root, tasks_of=tasks_of)
        if max_age_s > 0 and not tasks_of:
            self._trees[root] = _KnownTree(tree, now, now)
        return tree

    async def _states_of(self, jobs: Collection[JobId], now: datetime) -> Mapping[JobId, JobState]:
        """States of these jobs and of all others that are followed, from one request of this moment."""
        if self._states is None or not self._states.covers(jobs, now):
            self._trees = {
                root: known for root, known in self._trees.items() if now - known.asked_at < FORGET_AFTER
            }
            asked = frozenset(jobs).union(*(known.live for known in self._trees.values()))
            task = asyncio.ensure_future(_asked(self._reader, asked))
            task.add_done_callback(_has_failed)  # takes note of a failure that nobody waits for
            self._states = _States(asked, now, task)
        return await asyncio.shield(self._states.task)  # one watch that gives up takes it from no other


async def _asked(reader: ClusterReader, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
    return await reader.states(jobs)


def _may_be_kept(known: _KnownTree, now: datetime, max_age_s: float) -> bool:
    is_young = timedelta() <= now - known.listed_at < timedelta(seconds=max_age_s)
    return is_young and 0 < len(known.live) <= MAX_LIVE_JOBS


def _has_failed(task: "asyncio.Task[Mapping[JobId, JobState]]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
