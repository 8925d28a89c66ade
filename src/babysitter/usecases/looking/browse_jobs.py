"""Read-only looks at any job of a cluster, watched or not: tree, tasks, lines, dumps, machines, in pages.

Nothing here keeps, changes or judges anything. Every answer is bounded; what does not fit is had by handing
the answer's cursor back.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from babysitter.backends.backend import ClusterInfo, ClusterReader
from babysitter.backends.registry import parse_job_id, parse_path_id
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.diagnosis.timeline.pipelines.stage_pace import current_stage
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import role_of
from babysitter.diagnosis.timeline.processes.process_activity import summarise_dump
from babysitter.engine.app import App
from babysitter.errors import NoSuchJob, NoSuchWatch, UserError
from babysitter.model.ids import JobId, TaskId, is_within, job_of
from babysitter.model.incident import Incident
from babysitter.model.job import Job, JobTree, Task
from babysitter.model.log import Cursor, LogBatch, LogLevel, LogSource, Role
from babysitter.model.machine import Machine
from babysitter.model.memory import Memory
from babysitter.model.progress import StagePace
from babysitter.model.proposal import Proposal
from babysitter.model.thread_dump import DumpSummary, ThreadDump
from babysitter.model.verdict import ProgressSummary
from babysitter.model.watch import Watch
from babysitter.usecases.looking.diagnose_job import Looked, OneLook, look_with
from babysitter.usecases.watching.manage_watches import find_watch

T = TypeVar("T")

TASK_IDS = "A task id is a full job id with /number behind it; `task_summary` lists a job's."
NO_JOB = JobId("/babysit/is-anybody-there")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """Some of a sequence. `more`: the cursor of the rest; "" = that was all."""

    rows: tuple[T, ...]
    more: str
    total: int


def page_of(everything: Sequence[T], *, cursor: str, at_most: int) -> ListPage[T]:
    """The part of a sequence that begins at the cursor. Raises UserError for a cursor that is none."""
    if cursor and not cursor.isdecimal():
        raise UserError(f"'{cursor[:40]}' is no cursor of this list.", next_step="Leave it out to begin.")
    begin = int(cursor or 0)
    end = begin + at_most
    return ListPage(tuple(everything[begin:end]), str(end) if end < len(everything) else "", len(everything))


@dataclass(frozen=True, slots=True)
class JobLocation:
    """A job and the reader of its cluster."""

    job: JobId
    cluster: str
    reader: ClusterReader


async def locate_job(app: App, name: str, *, cluster: str = "", default: str = "") -> JobLocation:
    """Where to look for what a caller names: a watch id, or the full id of a job, a child or a task.

    The cluster is, in this order: the one given; that of the watch on this job or its root; the default. A
    watch id means the job that is watched now. Raises UserError when the cluster or the job is not clear.
    """
    job, home = await _named(app, name, cluster)
    chosen = cluster or home or default
    if not chosen:
        raise UserError("Which cluster?", next_step="Name one; the settings' default_cluster saves that.")
    return JobLocation(job, chosen, await app.clusters.reader(chosen))


async def _named(app: App, name: str, cluster: str) -> tuple[JobId, str]:
    if not name.startswith("/"):
        try:
            watch = await find_watch(app, name, cluster=cluster)
        except NoSuchWatch:
            if not cluster:
                raise
            return parse_job_id(await app.clusters.spec(cluster), name), cluster
        return watch.root, watch.cluster
    job = parse_path_id(name)
    root = "/".join(job.split("/")[:3])
    async with app.store.reading() as tx:
        known = {named.cluster for named in await tx.watches.named(root, cluster=cluster)}
    if len(known) > 1:
        names = " and ".join(f"'{text}'" for text in sorted(known))
        raise UserError(f"{root} is watched on {names}.", next_step="Name the cluster.")
    return job, next(iter(known), "")


async def place_of_task(app: App, task: str, *, cluster: str = "", default: str = "") -> JobLocation:
    """Where to look for a task; `job` is its job. Raises UserError for what is no full task id."""
    job = job_of(TaskId(task))
    is_path = task.startswith("/") and _index(task).isdecimal() and job.count("/") >= 2
    is_named = not task.startswith("/") and task.count("/") == 1 and bool(job) and bool(_index(task))
    if not is_path and not is_named:
        raise UserError(f"'{task[:200]}' is not a full task id.", next_step=TASK_IDS)
    return await locate_job(app, job, cluster=cluster, default=default)


async def controller_of(app: App, cluster: str) -> ClusterInfo:
    """Who answers for a cluster, asked now. Raises a WorldError when nobody does."""
    reader = await app.clusters.reader(cluster)
    await reader.states([NO_JOB])  # what it is, it told once; whether it answers must be tried
    return await reader.about()


async def tree_of(place: JobLocation) -> JobTree:
    """The job and its descendants. Raises NoSuchJob."""
    return await place.reader.tree(place.job)


async def tasks_of(place: JobLocation) -> tuple[Task, ...]:
    """Tasks of exactly this job, those that need attention first. Raises NoSuchJob."""
    found = await place.reader.tasks(place.job)
    return tuple(sorted(found, key=lambda task: (not _needs_attention(task), _index_of(task.id))))


async def task_of(place: JobLocation, task: str) -> Task:
    """One task with its attempts and memory use, as far as the generation tells. Raises NoSuchJob."""
    found = await place.reader.task(TaskId(task))
    if found is None:
        raise NoSuchJob(
            f"The cluster '{place.cluster}' does not know the task {task}.",
            next_step=TASK_IDS,
        )
    return found


async def lines_of(
    place: JobLocation,
    *,
    task: str = "",
    attempt: int | None = None,
    containing: str = "",
    at_least: LogLevel | None = None,
    since: datetime | None = None,
    cursor: str = "",
    at_most: int,
) -> LogBatch:
    """The newest lines of a job with its children, or of one task; with a cursor, those after it.

    No lines means silence: an unknown job raises NoSuchJob.
    """
    if attempt is not None and not task:
        raise UserError("An attempt belongs to a task.", next_step="Name the task too.")
    source = LogSource(
        job=job_of(TaskId(task)) if task else place.job,
        task=TaskId(task) if task else None,
        attempt=attempt,
        containing=containing,
        at_least=at_least,
        since=since,
    )
    after = Cursor(cursor) if cursor else None
    batch = await place.reader.lines(source, after=after, at_most=at_most, newest=after is None)
    if not batch.lines and after is None and await place.reader.find(source.job) is None:
        # The log service answers nothing for a wrong id, as it does for a silent job.
        raise NoSuchJob(
            f"The cluster '{place.cluster}' does not know the job {source.job}.",
            next_step="Check the id; it is /user/name, in full.",
        )
    return batch


async def dump_of(place: JobLocation, task: str) -> tuple[ThreadDump, DumpSummary]:
    """A thread dump of a task's process and its children, parsed, and what it says the process is doing."""
    taken = await place.reader.dump(TaskId(task))
    dump = taken if taken.processes else read_dump(taken.text, taken.target, taken.taken_at)
    root = JobId("/".join(task.split("/")[:3]))
    role = role_of(job_of(TaskId(task)), root)
    return dump, summarise_dump(dump, Role.WORKER if role is Role.OTHER else role)


async def roots_of(app: App, cluster: str, prefix: str) -> tuple[Job, ...]:
    """Root jobs of a user (/user) or with ids that begin with a prefix (/user/exp-), newest first."""
    if not prefix.startswith("/") or prefix == "/":
        raise UserError(f"'{prefix}' begins no job id.", next_step="Write /user, or /user/name-prefix.")
    whole = prefix if prefix.count("/") > 1 else f"{prefix}/"  # /ada is no prefix of /adam/job
    return await (await app.clusters.overview(cluster)).roots(whole)


async def workers_of(app: App, cluster: str, job: str = "") -> tuple[Machine, ...]:
    """The machines of a cluster, ill ones first; with a job, those that run its or its children's tasks."""
    found = await (await app.clusters.overview(cluster)).workers()
    if job:
        found = tuple(
            machine for machine in found if any(is_within(job_of(t), JobId(job)) for t in machine.tasks)
        )
    return tuple(sorted(found, key=lambda machine: (machine.is_healthy, machine.id)))


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is. `as_of` None = nothing was seen yet."""

    job: JobId
    as_of: datetime | None
    outlook: ProgressSummary | None
    memory: Memory

    @property
    def stage(self) -> StagePace | None:
        """The stage under way, else the last one; None before the first report."""
        stages = self.memory.stages
        return current_stage(stages, self.memory.newest_attempt) or (stages[-1] if stages else None)

    @property
    def coordinator_note(self) -> DumpSummary | None:
        """What the coordinator did at its newest dump."""
        notes = [dump for dump in self.memory.dumps if dump.role is Role.COORDINATOR]
        return notes[-1] if notes else None


async def job_progress(app: App, name: str, *, cluster: str = "", default: str = "") -> JobProgress:
    """From the last check where the job is watched, so that nothing is asked; else from one look now."""
    job, home = await _named(app, name, cluster)
    chosen = cluster or home or default
    async with app.store.reading() as tx:
        watch = await tx.watches.of_job(job, chosen)
    if watch is not None and watch.last_checked_at is not None:
        return JobProgress(watch.root, watch.last_checked_at, watch.outlook, watch.memory)
    place = await locate_job(app, name, cluster=cluster, default=default)
    verdict = (await look_at(app, place)).verdict
    return JobProgress(place.job, app.clock.now(), verdict.outlook, verdict.memory)


async def look_at(app: App, place: JobLocation) -> Looked:
    """What can be said of a job right now, in one look. Raises NoSuchJob."""
    playbook = await asyncio.to_thread(lambda: app.playbook)  # read at the first look of a process
    spec = await app.clusters.spec(place.cluster)
    good = await app.good_runs.for_job(place.cluster, place.job)
    look = OneLook(playbook, app.settings.limits, app.clock, good, await app.demotions.now())
    return await look_with(place.reader, place.job, spec, look)


async def incidents_of(app: App, watch: Watch) -> tuple[tuple[Incident, Proposal | None], ...]:
    """Every incident of a watch, ended ones too, newest first, each with its newest proposal."""
    async with app.store.reading() as tx:
        ledger = await tx.incidents.of(watch)
    return tuple((incident, ledger.proposal_of(incident.id)) for incident in reversed(ledger.incidents))


def _needs_attention(task: Task) -> bool:
    return task.exit_code != 0 or bool(task.error) or task.state in ("failed", "worker_failed", "preempted")


def _index_of(task: TaskId) -> int:
    index = _index(task)
    return int(index) if index.isdecimal() else 0


def _index(task: str) -> str:
    return task.rpartition("/")[2]
