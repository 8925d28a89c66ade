"""Jobs, tasks and attempts as a cluster describes them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from babysitter.model.device_use import DeviceUse
from babysitter.model.ids import JobId, TaskId, is_within


class JobState(StrEnum):
    """The cluster's word for a job. OTHER keeps words of generations to come apart from failures."""

    PENDING = "pending"
    BUILDING = "building"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    KILLED = "killed"
    WORKER_FAILED = "worker_failed"
    UNSCHEDULABLE = "unschedulable"
    OTHER = "other"

    @property
    def is_terminal(self) -> bool:
        return self in _TERMINAL_JOB_STATES

    @property
    def ended_badly(self) -> bool:
        return self.is_terminal and self is not JobState.SUCCEEDED


_TERMINAL_JOB_STATES = frozenset(
    {JobState.SUCCEEDED, JobState.FAILED, JobState.KILLED, JobState.WORKER_FAILED, JobState.UNSCHEDULABLE}
)


class TaskState(StrEnum):
    """The cluster's word for a task or an attempt."""

    PENDING = "pending"
    ASSIGNED = "assigned"
    BUILDING = "building"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    KILLED = "killed"
    WORKER_FAILED = "worker_failed"
    UNSCHEDULABLE = "unschedulable"
    PREEMPTED = "preempted"
    COSCHED_FAILED = "cosched_failed"
    MISSING = "missing"
    OTHER = "other"

    @property
    def is_terminal(self) -> bool:
        return self not in _LIVING_TASK_STATES


_LIVING_TASK_STATES = frozenset(
    {TaskState.PENDING, TaskState.ASSIGNED, TaskState.BUILDING, TaskState.RUNNING, TaskState.OTHER}
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a task on one machine."""

    number: int
    state: TaskState
    exit_code: int = 0
    error: str = ""
    worker: str = ""  # the machine; "" when never assigned
    started_at: datetime | None = None
    finished_at: datetime | None = None
    is_worker_failure: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One process of a job.

    `error` is not cleared by a later success; `attempts` holds what the generation tells
    (April: all; later ones: the current one only), oldest first.
    """

    id: TaskId
    state: TaskState
    exit_code: int = 0
    error: str = ""
    pending_reason: str = ""
    worker: str = ""
    current_attempt: int = -1  # -1 = never assigned
    attempts: tuple[Attempt, ...] = ()
    started_at: datetime | None = None
    finished_at: datetime | None = None
    memory_bytes: int | None = None
    memory_peak_bytes: int | None = None
    status_text: str = ""  # May: a short progress report in Markdown
    devices: tuple[DeviceUse, ...] = ()  # what its accelerators do, where the cluster says it
    log_file: str = ""  # under which its machine keeps its output, where the cluster says it


@dataclass(frozen=True, slots=True)
class Resources:
    """What each task of a job asked for; 0 = not said."""

    cpu_millicores: int = 0
    memory_bytes: int = 0
    disk_bytes: int = 0
    device: str = ""  # e.g. "tpu v5litepod-16", "" for CPU


@dataclass(frozen=True, slots=True)
class Job:
    """A job as the cluster describes it. Its own exit code says nothing and is not kept: look at tasks.

    `tasks` is None when they were not asked for at this observation.
    """

    id: JobId
    state: JobState
    error: str = ""
    pending_reason: str = ""
    submitted_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    failure_count: int = 0
    preemption_count: int = 0
    task_count: int = 0
    task_states: Mapping[TaskState, int] = field(default_factory=dict)
    resources: Resources = Resources()
    has_children: bool = False
    tasks: tuple[Task, ...] | None = None
    task_restarts: int = 0  # of its tasks inside the running job, by the cluster itself; not tries of the job
    proposal: str = ""  # for which it was submitted, where the cluster keeps that

    @property
    def name(self) -> str:
        """The last segment of the id."""
        return self.id.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class JobTree:
    """The root job and all its descendants, oldest submission first."""

    root: Job
    descendants: tuple[Job, ...] = ()

    def __iter__(self) -> Iterator[Job]:
        yield self.root
        yield from self.descendants

    def find(self, job: JobId) -> Job | None:
        """The job of exactly this id, or None."""
        return next((candidate for candidate in self if candidate.id == job), None)

    def children(self, parent: JobId) -> tuple[Job, ...]:
        """Direct children, oldest submission first."""
        return tuple(
            job
            for job in self.descendants
            if is_within(job.id, parent) and job.id.count("/") == parent.count("/") + 1
        )
