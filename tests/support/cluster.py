"""A small cluster in memory whose answers a test sets, with a count of what it was asked."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.backends.backend import Abilities, ClusterInfo
from babysitter.errors import BabysitError, NoSuchJob, SubmissionRefused
from babysitter.model.ids import JobId, TaskId, is_within, job_of
from babysitter.model.job import Job, JobState, JobTree, Task
from babysitter.model.log import Cursor, LogBatch, LogLevel, LogLine, LogSource
from babysitter.model.machine import Machine
from babysitter.model.submission import Submission
from babysitter.model.thread_dump import ThreadDump
from tests.support.build import NOON

_ORDER = (LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR, LogLevel.CRITICAL)


class HandClock:
    """Moves when told."""

    def __init__(self) -> None:
        self.moment = NOON

    def now(self) -> datetime:
        return self.moment

    def pass_s(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)

    async def sleep_until(self, at: datetime) -> None:
        self.moment = max(self.moment, at)


class SmallCluster:
    """Implements `ClusterReader`. `broken`: what every question, or every log question, fails with."""

    def __init__(self) -> None:
        self.jobs: dict[JobId, Job] = {}
        self.tasks_of: dict[JobId, tuple[Task, ...]] = {}
        self.log: list[LogLine] = []
        self.texts: dict[TaskId, str] = {}
        self.asked: list[str] = []
        self.listed_since: list[datetime | None] = []
        self.lines_sent = 0
        self.broken: BabysitError | None = None
        self.broken_logs: BabysitError | None = None
        self.forgets_cursors = False

    def show(self, tree: JobTree) -> None:
        self.jobs = {job.id: job for job in tree}

    @property
    def abilities(self) -> Abilities:
        return Abilities()

    async def about(self) -> ClusterInfo:
        return ClusterInfo("memory", "may", "memory")

    async def tree(
        self,
        root: JobId,
        *,
        tasks_of: Collection[JobId] = (),
        max_age_s: float = 0.0,  # noqa: ARG002
    ) -> JobTree:
        self._ask("tree")
        if root not in self.jobs:
            raise NoSuchJob(f"There is no job {root}.")
        jobs = [
            replace(job, tasks=self.tasks_of.get(job.id, ())) if job.id in tasks_of else job
            for job in self.jobs.values()
            if is_within(job.id, root)
        ]
        return JobTree(next(j for j in jobs if j.id == root), tuple(j for j in jobs if j.id != root))

    async def find(self, job: JobId) -> Job | None:
        self._ask("find")
        return self.jobs.get(job)

    async def roots(self, prefix: str, *, since: datetime | None = None) -> tuple[Job, ...]:
        self._ask("roots")
        self.listed_since.append(since)
        found = [job for job in self.jobs.values() if job.id.count("/") == 2 and job.id.startswith(prefix)]
        return tuple(job for job in found if not (since and job.submitted_at and job.submitted_at < since))

    async def workers(self) -> tuple[Machine, ...]:
        return ()

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        self._ask("states")
        return {job: self.jobs[job].state for job in jobs if job in self.jobs}

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        self._ask("tasks")
        return self.tasks_of.get(job, ())

    async def task(self, task: TaskId) -> Task | None:
        self._ask("task")
        return next(
            (candidate for candidate in self.tasks_of.get(job_of(task), ()) if candidate.id == task), None
        )

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,  # noqa: ARG002
    ) -> LogBatch:
        self._ask("lines")
        if self.broken_logs is not None:
            raise self.broken_logs
        if self.forgets_cursors and after is not None:
            return LogBatch((), after)
        start = int(after) if after else 0
        meant = [(n, line) for n, line in enumerate(self.log) if n >= start and _matches(line, source)]
        is_full = len(meant) >= at_most
        chosen = meant[-at_most:] if newest else meant[:at_most]
        self.lines_sent += len(chosen)
        reached = chosen[-1][0] + 1 if is_full and not newest and chosen else len(self.log)
        return LogBatch(tuple(line for _, line in chosen), Cursor(str(reached)), is_full=is_full)

    async def dump(self, task: TaskId) -> ThreadDump:
        self._ask("dump")
        if task not in self.texts:
            raise SubmissionRefused(f"Task {task} is not running.")
        return ThreadDump(task, NOON, (), self.texts[task])

    async def submission(self, job: JobId) -> Submission | None:
        self._ask(f"submission of {job}")
        return None

    async def close(self) -> None: ...

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.broken is not None:
            raise self.broken


def _matches(line: LogLine, source: LogSource) -> bool:
    if source.task is not None and line.task != source.task:
        return False
    if not source.include_children and job_of(line.task) != source.job:
        return False
    if source.containing not in line.text or not is_within(job_of(line.task), source.job):
        return False
    if source.since is not None and line.at_ms <= source.since.timestamp() * 1000:
        return False
    known = line.level is not LogLevel.UNKNOWN
    return not (source.at_least and known and _ORDER.index(line.level) < _ORDER.index(source.at_least))
