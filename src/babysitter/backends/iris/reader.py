"""The reader of an Iris cluster: questions of the protocol in backends/backend.py, whatever the transport or
generation.

Empty answers are not good news here: for unknown ids, wrong log sources and stale cursors the controller
answers 200 and nothing. Where emptiness would be a fact about a job, a second question confirms it.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from babysitter.backends.backend import Abilities, ClusterInfo
from babysitter.backends.iris.answers import decode, request_bodies
from babysitter.backends.iris.answers.json_fields import UnexpectedField
from babysitter.backends.iris.answers.log_page import read_page
from babysitter.backends.iris.answers.log_window import LogWindow
from babysitter.backends.iris.connection.generation import Dialect, Generation, ProbeResult, probe
from babysitter.backends.iris.connection.transport import NoSuchMethod, Transport
from babysitter.backends.iris.submit_syntax import kept_submission
from babysitter.clock import Clock, SystemClock
from babysitter.errors import InvalidResponse, NoSuchJob, SubmissionRefused
from babysitter.model.ids import JobId, TaskId, is_within
from babysitter.model.job import Job, JobState, JobTree, Task
from babysitter.model.log import Cursor, LogBatch, LogSource
from babysitter.model.machine import Machine
from babysitter.model.submission import Submission
from babysitter.model.thread_dump import ThreadDump

LOGS_LIMIT_S = 30.0
DUMP_LIMIT_S = 30.0  # 0.05 to 1.5 s on a healthy machine; a starving one takes longer
STATES_AT_ONCE = 500

T = TypeVar("T")


class IrisReader:
    """Implements `ClusterReader` over a line. `iris`: the command a kept submission is to be run with."""

    def __init__(
        self, line: Transport, *, iris: tuple[str, ...] = ("iris",), clock: Clock | None = None
    ) -> None:
        self._line = line
        self._iris = iris
        self._clock = clock or SystemClock()
        self._known: ProbeResult | None = None
        self._probing = asyncio.Lock()
        self._log_service = ""  # the one that turned out to exist

    @property
    def abilities(self) -> Abilities:
        return self._known.dialect.abilities if self._known else Abilities()

    async def about(self) -> ClusterInfo:
        known = await self._knowledge()
        return ClusterInfo(
            url=self._line.place,
            generation=known.dialect.generation,
            transport=self._line.transport,
            detail=f"authentication: {known.auth}",
        )

    async def dialect(self) -> Dialect:
        """How this controller is spoken to. Probed once, then remembered; raises a WorldError when blind."""
        return (await self._knowledge()).dialect

    async def authentication(self) -> str:
        """Who checks identities: none, static, gcp or edge. Raises a WorldError when blind."""
        return (await self._knowledge()).auth

    async def tree(
        self,
        root: JobId,
        *,
        tasks_of: Collection[JobId] = (),
        max_age_s: float = 0.0,  # noqa: ARG002
    ) -> JobTree:
        found = {job.id: job for job in await self._jobs_under(_canonical(root))}
        if root not in found:
            # A list may simply not show it: only a positive "not found" counts.
            status = await self._ask("GetJobStatus", {"jobId": root})
            found[root] = self._read("GetJobStatus", decode.job_status, status)
        wanted = [job for job in tasks_of if job in found]
        answers = await asyncio.gather(*(self._tasks_of(job) for job in wanted))
        tasks = dict(zip(wanted, answers, strict=True))
        jobs = [_with_tasks(job, tasks.get(job.id)) for job in sorted(found.values(), key=_age)]
        return JobTree(
            root=next(job for job in jobs if job.id == root),
            descendants=tuple(job for job in jobs if job.id != root),
        )

    async def find(self, job: JobId) -> Job | None:
        _canonical(job)
        try:
            answer = await self._ask("GetJobStatus", {"jobId": job})
        except NoSuchJob:
            return None
        found = self._read("GetJobStatus", decode.job_status, answer)
        if found.id != job:
            raise InvalidResponse(
                f"The controller at {self._line.place} was asked for {job}, not {found.id}."
            )
        return found

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        ids = [_canonical(job) for job in dict.fromkeys(jobs)]
        found: dict[JobId, JobState] = {}
        for start in range(0, len(ids), STATES_AT_ONCE):
            answer = await self._ask("GetJobState", {"jobIds": ids[start : start + STATES_AT_ONCE]})
            found.update(self._read("GetJobState", decode.job_states, answer))
        return found

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        found = await self._tasks_of(_canonical(job))
        if not found and job not in await self.states([job]):
            raise NoSuchJob(f"The controller at {self._line.place} does not know the job {job}.")
        return found

    async def task(self, task: TaskId) -> Task | None:
        try:
            answer = await self._ask("GetTaskStatus", {"taskId": task})
        except NoSuchJob:
            return None
        return self._read("GetTaskStatus", decode.task_status, answer)

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,  # noqa: ARG002
    ) -> LogBatch:
        known = await self._knowledge()
        window = LogWindow(at_most)
        _canonical(source.job)
        if self._line.transport == "cli" and known.dialect.generation is Generation.APRIL:
            body = request_bodies.task_logs(source, after=after, at_most=at_most, newest=newest)
            answer = await self._ask("GetTaskLogs", body, limit_s=LOGS_LIMIT_S)
        else:
            body = request_bodies.log_lines(
                known.dialect, source, after=after, at_most=at_most, newest=newest
            )
            answer = await self._fetch_logs(known.dialect, body, window)
        return self._read(
            "FetchLogs",
            lambda raw: decode.log_batch(
                raw, source, after=after, at_most=at_most, newest=newest, dropped=window.dropped
            ),
            answer,
        )

    async def dump(self, task: TaskId) -> ThreadDump:
        """The text of the dump; it is parsed by whoever reads it (`processes` is empty here)."""
        taken_at = self._clock.now()
        try:
            answer = await self._ask("ProfileTask", request_bodies.thread_dump(task), limit_s=DUMP_LIMIT_S)
            text = self._read("ProfileTask", decode.dump_text, answer)
        except (NoSuchJob, SubmissionRefused, decode.NoDump) as fault:
            raise SubmissionRefused(f"No thread dump of {task}: {str(fault).rstrip('.')}.") from fault
        return ThreadDump(target=task, taken_at=taken_at, processes=(), text=text)

    async def submission(self, job: JobId) -> Submission | None:
        _canonical(job)
        await self._knowledge()  # so that `abilities` tells whether a command may be expected
        try:
            answer = await self._ask("GetJobStatus", {"jobId": job})
        except NoSuchJob:
            return None
        request = self._read("GetJobStatus", decode.kept_request, answer)
        return None if request is None else kept_submission(request, job, iris=self._iris)

    async def roots(self, prefix: str, *, since: datetime | None = None) -> tuple[Job, ...]:
        """Part of `Overview`. April filters by a name at most: what it lists beyond the prefix is dropped."""
        found = await self._listed(prefix, roots_only=True, since=since)
        return tuple(job for job in found if job.id.startswith(prefix))

    async def workers(self) -> tuple[Machine, ...]:
        return self._read("ListWorkers", decode.workers, await self._ask("ListWorkers", {}))

    async def close(self) -> None:
        await self._line.close()

    async def _jobs_under(self, root: JobId) -> list[Job]:
        """The root (when listed) and its descendants; neighbours with the same beginning are dropped."""
        return [job for job in await self._listed(root) if is_within(job.id, root)]

    async def _listed(
        self, prefix: str, *, roots_only: bool = False, since: datetime | None = None
    ) -> list[Job]:
        """Everything listed for a prefix, page after page, newest submission first."""
        dialect = (await self._knowledge()).dialect
        found: list[Job] = []
        for offset in range(0, request_bodies.LAST_OFFSET + 1, request_bodies.PAGE_JOBS):
            body = request_bodies.jobs_under(dialect, prefix, offset=offset, roots_only=roots_only)
            page = self._read("ListJobs", decode.job_page, await self._ask("ListJobs", body))
            found += page.jobs
            if not page.has_more or not page.jobs or _is_before(page.jobs[-1], since):
                return found
        if since is not None:
            return found
        raise InvalidResponse(
            f"More than {request_bodies.LAST_OFFSET} jobs have names like {prefix}: too many to list.",
            next_step="Give more of the name, or watch the jobs below it one by one.",
        )

    async def _tasks_of(self, job: JobId) -> tuple[Task, ...]:
        return self._read("ListTasks", decode.tasks, await self._ask("ListTasks", {"jobId": job}))

    async def _fetch_logs(self, dialect: Dialect, body: request_bodies.Body, window: LogWindow) -> object:
        """Ask the log service under the first of its addresses that exists."""
        services = (self._log_service,) if self._log_service else dialect.log_services
        for service in services:
            try:
                answer = await self._line.ask(
                    "FetchLogs",
                    body,
                    service=service,
                    limit_s=LOGS_LIMIT_S,
                    quick=read_page,
                    window=window,
                )
            except NoSuchMethod:
                continue
            self._log_service = service
            return answer
        self._forget()
        raise NoSuchMethod(self._line.place, "FetchLogs")

    async def _ask(self, method: str, body: request_bodies.Body, *, limit_s: float | None = None) -> object:
        try:
            return await self._line.ask(method, body, limit_s=limit_s)
        except NoSuchMethod:
            self._forget()
            raise

    async def _knowledge(self) -> ProbeResult:
        if self._known is None:
            async with self._probing:  # many watches may start at once; one of them asks
                if self._known is None:
                    self._known = await probe(self._line)
        return self._known

    def _forget(self) -> None:
        """The controller was upgraded under us: find out again at the next look."""
        self._known, self._log_service = None, ""

    def _read(self, method: str, reader: Callable[[object], T], answer: object) -> T:
        try:
            return reader(answer)
        except (UnexpectedField, OverflowError) as fault:
            raise InvalidResponse(
                f"The answer of {self._line.place} to {method} makes no sense: {fault}.",
                next_step="Run `babysit doctor`; the controller may be of a newer generation.",
            ) from fault


def _canonical(job: JobId) -> JobId:
    """The id itself when it is a full one. Others would be an internal error to the controller."""
    parts = job.split("/")
    if len(parts) < 3 or parts[0] or not all(parts[1:]):
        raise NoSuchJob(
            f"'{job}' is not a full job id.", next_step="Write /user/job, as `iris job list` prints it."
        )
    return job


def _is_before(job: Job, since: datetime | None) -> bool:
    return since is not None and job.submitted_at is not None and job.submitted_at < since


def _with_tasks(job: Job, tasks: tuple[Task, ...] | None) -> Job:
    return job if tasks is None else replace(job, tasks=tasks)


def _age(job: Job) -> tuple[float, str]:
    """Oldest submission first; those without a time last."""
    return (job.submitted_at.timestamp() if job.submitted_at else float("inf"), job.id)
