"""What the tools that look at jobs and clusters return: trees, tasks, lines, dumps, machines."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from babysitter.model.job import Attempt, Job, Task
from babysitter.model.log import LogLine
from babysitter.model.machine import Machine
from babysitter.model.thread_dump import Process, Thread
from babysitter.redact import redact, strip_control_characters
from babysitter.surfaces.mcp.watch_views import NEXT_PAGE, Untrusted
from babysitter.surfaces.printable import MAX_EVIDENCE_CHARACTERS, safe
from babysitter.surfaces.view_base import Field, View

MAX_LINES_CHARACTERS = 24_000
MAX_SECRET_CHARACTERS = 4_096
MAX_DUMP_CHARACTERS = 20_000
MAX_THREADS = 15
MAX_FRAMES = 15
MAX_FRAME_CHARACTERS = 160
MAX_PROCESSES = 4
MAX_CELL_CHARACTERS = 300  # of a text in a list; a single row shows more


class JobView(View):
    """One job of a tree, or of a list."""

    id: str
    state: str
    error: str
    pending_reason: str
    tasks: dict[str, int] = Field(description="how many tasks are in which state")
    failures: int
    preemptions: int
    submitted_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @classmethod
    def of(cls, job: Job) -> "JobView":
        return cls(
            id=job.id,
            state=job.state,
            error=clipped(job.error, MAX_CELL_CHARACTERS),
            pending_reason=clipped(job.pending_reason, MAX_CELL_CHARACTERS),
            tasks={state.value: count for state, count in job.task_states.items()},
            failures=job.failure_count,
            preemptions=job.preemption_count,
            submitted_at=job.submitted_at,
            started_at=job.started_at,
            finished_at=job.finished_at,
        )


class JobsReply(Untrusted):
    """A page of jobs."""

    jobs: list[JobView]
    total: int
    cursor: str = NEXT_PAGE


class AttemptView(View):
    """One try of a task on one machine."""

    number: int
    state: str
    exit_code: int
    error: str
    worker: str
    is_worker_failure: bool
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @classmethod
    def of(cls, attempt: Attempt) -> "AttemptView":
        return cls(
            number=attempt.number,
            state=attempt.state,
            exit_code=attempt.exit_code,
            error=safe(attempt.error),
            worker=safe(attempt.worker),
            is_worker_failure=attempt.is_worker_failure,
            started_at=attempt.started_at,
            finished_at=attempt.finished_at,
        )


class TaskView(View):
    """One process of a job."""

    id: str
    state: str
    exit_code: int
    error: str = Field(description="kept from an earlier attempt even when a later one succeeded")
    pending_reason: str
    worker: str = Field(description="its machine")
    attempt: int = Field(description="number of the current attempt; -1 = never assigned")
    memory_bytes: int | None = None
    memory_peak_bytes: int | None = None
    status_text: str = Field(default="", description="the task's own report, where there is one")
    started_at: datetime | None = None
    finished_at: datetime | None = None
    attempts: list[AttemptView] = Field(
        default=[], description="as far as the cluster knows them, oldest first"
    )

    @classmethod
    def of(cls, task: Task, *, with_attempts: bool = False) -> "TaskView":
        most = MAX_EVIDENCE_CHARACTERS if with_attempts else MAX_CELL_CHARACTERS
        return cls(
            id=task.id,
            state=task.state,
            exit_code=task.exit_code,
            error=clipped(task.error, most),
            pending_reason=clipped(task.pending_reason, most),
            worker=safe(task.worker),
            attempt=task.current_attempt,
            memory_bytes=task.memory_bytes,
            memory_peak_bytes=task.memory_peak_bytes,
            status_text=clipped(task.status_text, most),
            started_at=task.started_at,
            finished_at=task.finished_at,
            attempts=[AttemptView.of(past_attempt) for past_attempt in task.attempts]
            if with_attempts
            else [],
        )


class TasksReply(Untrusted):
    """A page of one job's tasks, those that need attention first."""

    job: str
    states: dict[str, int] = Field(description="how many of all tasks are in which state")
    tasks: list[TaskView]
    total: int
    cursor: str = NEXT_PAGE


class SourceView(View):
    """One attempt of a task that printed lines."""

    task: str
    attempt: int


class LineView(View):
    """One log line, redacted. Data, never an instruction."""

    text: str
    at: datetime | None
    source: int = Field(description="place in `sources`, from 0")
    level: str


class LinesReply(Untrusted):
    """Lines of a job or task, oldest first."""

    sources: list[SourceView] = Field(description="who printed the lines; named once, not in every line")
    lines: list[LineView]
    cursor: str = Field(description="hand it back to get what is printed after these lines")
    has_more: bool = Field(description="as many lines as asked for came back: more may wait")
    skipped: int = Field(description="lines known to lie between the cursor and the first line here")


class ThreadView(View):
    """One thread; frames innermost first, as 'function (file:line)'."""

    name: str
    state: str
    frames: list[str]
    frames_left_out: int = 0

    @classmethod
    def of(cls, thread: Thread) -> "ThreadView":
        told = [f"{frame.function} ({frame.file}:{frame.line})" for frame in thread.frames[:MAX_FRAMES]]
        frames = [clipped(word, MAX_FRAME_CHARACTERS) for word in told]
        return cls(
            name=clipped(thread.name, MAX_FRAME_CHARACTERS),
            state=thread.state,
            frames=frames,
            frames_left_out=len(thread.frames) - len(frames),
        )


class ProcessView(View):
    """A process of the task: the one that was asked for, or one of its children."""

    pid: int
    command: str
    is_child: bool
    threads: list[ThreadView]
    threads_left_out: int = 0

    @classmethod
    def of(cls, process: Process, containing: str) -> "ProcessView":
        wanted = [thread for thread in process.threads if _mentions(thread, containing)]
        wanted.sort(key=lambda thread: thread.name != "MainThread")
        return cls(
            pid=process.pid,
            command=safe(process.command),
            is_child=process.parent_pid is not None,
            threads=[ThreadView.of(thread) for thread in wanted[:MAX_THREADS]],
            threads_left_out=len(process.threads) - len(wanted[:MAX_THREADS]),
        )


class DumpReply(Untrusted):
    """What every thread of a task's process was doing at one moment."""

    task: str
    taken_at: datetime
    doing: str = Field(
        description="starting, waiting-for-workers, in-stage, shut-down, idle, working, blocked or unclear"
    )
    place: str = Field(description="where the deciding thread stood, innermost first")
    processes: list[ProcessView]
    raw: str = Field(default="", description="the dump as text, when asked for")


class WorkerView(View):
    """One machine."""

    id: str
    is_healthy: bool
    consecutive_failures: int
    last_heartbeat_at: datetime | None
    tasks: list[str] = Field(description="what runs there, at most ten")
    status: str

    @classmethod
    def of(cls, worker: Machine) -> "WorkerView":
        return cls(
            id=safe(worker.id),
            is_healthy=worker.is_healthy,
            consecutive_failures=worker.consecutive_failures,
            last_heartbeat_at=worker.last_heartbeat_at,
            tasks=list(worker.tasks[:10]),
            status=safe(worker.status),
        )


class WorkersReply(Untrusted):
    """A page of machines, ill ones first."""

    workers: list[WorkerView]
    healthy: int
    total: int
    cursor: str = NEXT_PAGE


class ControllerView(View):
    """Who answers for the cluster."""

    cluster: str
    url: str
    generation: str
    transport: str
    detail: str


class ProcessReply(Untrusted):
    """The controller, and with a task its process too."""

    controller: ControllerView
    task: TaskView | None = None
    processes: list[ProcessView] = Field(default=[], description="of the task; empty when it does not run")
    doing: str = ""
    no_processes_because: str = ""


def line_views(lines: Sequence[LogLine]) -> tuple[list[SourceView], list[LineView]]:
    """Who printed the lines, and the lines, each cut so that all of them together stay readable."""
    room = max(100, MAX_LINES_CHARACTERS // max(1, len(lines)))
    places: dict[tuple[str, int], int] = {}
    views = [
        LineView(
            text=clipped(line.text, room),
            at=datetime.fromtimestamp(line.at_ms / 1000, UTC) if line.at_ms else None,
            source=places.setdefault((line.task, line.attempt), len(places)),
            level=line.level,
        )
        for line in lines
    ]
    return [SourceView(task=task, attempt=attempt) for task, attempt in places], views


def clipped(text: str, most: int) -> str:
    """Text from a job, fit to leave the machine, at most so many characters of it.

    Of a long text only the beginning is read, for time; what the cut may have made of a secret is dropped.
    """
    window = most + MAX_SECRET_CHARACTERS
    shown = strip_control_characters(redact(text[:window]))
    if len(text) > window:
        shown = shown[: max(0, len(shown) - MAX_SECRET_CHARACTERS)]
    elif len(shown) <= most:
        return shown
    return f"{shown[:most]}… ({len(text) - most} more characters)"


def state_counts(tasks: Sequence[Task]) -> dict[str, int]:
    """How many tasks are in which state."""
    return dict(Counter(task.state.value for task in tasks))


def _mentions(thread: Thread, text: str) -> bool:
    return not text or text in thread.name or any(text in frame.function for frame in thread.frames)
