"""Jobs, trees, lines and looks for tests of judgement, built briefly."""

from collections.abc import Mapping
from datetime import datetime

from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Attempt, Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import LogLevel, LogLine
from babysitter.model.observation import Observation
from babysitter.model.seen import Seen, Sight, Source, Unseen
from babysitter.model.thread_dump import ThreadDump
from tests.support.build import ROOT, at

CONTEXT = "zephyr-dedup-0a1b2c3d"
R, P, K, S, F = (
    JobState.RUNNING,
    JobState.PENDING,
    JobState.KILLED,
    JobState.SUCCEEDED,
    JobState.FAILED,
)


def job(id_: str, state: JobState = R, *, count: int = 1, since_s: float = 0.0, **changes: object) -> Job:
    task_state = TaskState(state.value) if state.value in set(TaskState) else TaskState.RUNNING
    values: dict[str, object] = {
        "submitted_at": at(since_s),
        "started_at": None if state is P else at(since_s),
        "finished_at": at(since_s + 60) if state.is_terminal else None,
        "task_count": count,
        "task_states": {task_state: count},
    }
    return Job(JobId(id_), state, **(values | changes))  # type: ignore[arg-type]


def pipeline(
    pipeline: int = 0,
    attempt: int = 0,
    state: JobState = R,
    workers: JobState | None = R,
    *,
    context: str = CONTEXT,
    since_s: float = 5.0,
    count: int = 4,
    **changes: object,
) -> tuple[Job, ...]:
    """A coordinator and its workers."""
    coordinator = f"{ROOT}/{context}-p{pipeline}-a{attempt}"
    jobs = [job(coordinator, state, since_s=since_s, has_children=True)]
    if workers is not None:
        name = f"{coordinator}/{context}-p{pipeline}-workers-a0"
        jobs.append(job(name, workers, count=count, since_s=since_s + 1, **changes))
    return tuple(jobs)


def tree(*jobs: Job, root: JobState = R, **changes: object) -> JobTree:
    return JobTree(job(ROOT, root, has_children=bool(jobs), **changes), jobs)


def line(seconds: float, message: str, source: str, logger: str = "zephyr.execution") -> LogLine:
    moment = at(seconds)
    text = f"I{moment:%Y%m%d %H:%M:%S} {logger} {message}"
    return LogLine(text, int(moment.timestamp() * 1000), TaskId(source), 0, LogLevel.INFO, "stderr")


def raw(seconds: float, text: str, source: str = f"{ROOT}/0") -> LogLine:
    """A print, or a line of a traceback."""
    return LogLine(text, int(at(seconds).timestamp() * 1000), TaskId(source), 0, LogLevel.UNKNOWN, "stdout")


def report(
    seconds: float,
    done: int,
    total: int = 10,
    *,
    in_flight: int = 2,
    queued: int | None = None,
    alive: int = 4,
    workers: int = 4,
    stage: str = "stage0-Map",
    coordinator: str = f"{ROOT}/{CONTEXT}-p0-a0",
    execution: str = "20261120-120000-0a0b0c0d",
) -> LogLine:
    """A progress line as a coordinator prints it."""
    waiting = max(0, total - done - in_flight) if queued is None else queued
    text = (
        f"[{execution}] [{stage}] {done}/{total} complete, {in_flight} in-flight, {waiting} queued, "
        f"{alive}/{workers} workers alive, {workers - alive} dead"
    )
    return line(seconds, text, f"{coordinator}/0")


def look(
    seconds: float,
    seen: JobTree | None,
    *lines: LogLine,
    dumps: Mapping[str, ThreadDump] | None = None,
    logs: bool = True,
    reread: bool = False,
) -> Observation:
    """One look at `seconds`; no tree = the controller cannot be seen, `logs=False` = the log cannot."""
    moment = at(seconds)
    if seen is None:
        return Observation(ROOT, moment, Unseen(Source.CONTROLLER, "It does not answer.", moment))
    sight: Sight[tuple[LogLine, ...]] = (
        Seen(tuple(lines), moment) if logs else Unseen(Source.LOGS, "The log service is away.", moment)
    )
    found = {TaskId(task): Seen(dump, moment) for task, dump in (dumps or {}).items()}
    return Observation(ROOT, moment, Seen(seen, moment), sight, found, is_reread=reread)


IN_STAGE = """\
Process 7: python _callable_runner.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 7 (idle): "MainThread"
    OperationFuture.result (fray/iris_backend.py:320)
    _run_coordinator_job (zephyr/execution.py:1442)
Thread 8 (idle): "actor-method_0"
    _wait_for_stage (zephyr/execution.py:800)
    run_pipeline (zephyr/execution.py:900)
Thread 9 (idle): "actor-method_1"
    _worker (concurrent/futures/thread.py:90)
"""
WAITING = """\
Process 7: python _callable_runner.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 7 (idle): "MainThread"
    IrisActorGroup.wait_ready (fray/iris_backend.py:495)
    _run_coordinator_job (zephyr/execution.py:1436)
Thread 8 (idle): "zephyr-coordinator-loop"
    _coordinator_loop (zephyr/execution.py:400)
Thread 9 (idle): "actor-method_0"
    _worker (concurrent/futures/thread.py:90)
"""
OVER = """\
Process 7: python _callable_runner.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 7 (idle): "MainThread"
    _shutdown (threading.py:1594)
Thread 8 (idle): "zephyr-coordinator-loop"
    _coordinator_loop (zephyr/execution.py:400)
"""
HOSTED = """\
Process 7: python _callable_runner.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 7 (idle): "MainThread"
    Event.wait (threading.py:655)
    _host_actor (fray/iris_backend.py:246)
"""
_WORKER = """\
Process 20: python _callable_runner.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 20 (idle): "MainThread"
    Event.wait (threading.py:655)
    _host_actor (fray/iris_backend.py:246)
Thread 21 (idle): "zephyr-poll-w-0"
    Popen.communicate (subprocess.py:1201)
    SubprocessRunner.execute (zephyr/runners.py:289)
    ZephyrWorker._execute_shard (zephyr/execution.py:1472)
    ZephyrWorker._poll_loop (zephyr/execution.py:1421)

--------------------------------------------------------------------------------
Process 30: python -m zephyr.runners
Python v3.12.1 (/usr/bin/python3.12)
Parent Process 20: python _callable_runner.py

Thread 30 ({state}): "MainThread"
    {top}
    fetch_page (crawl.py:12)
    _map_gen (zephyr/plan.py:166)
"""
BLOCKED = _WORKER.format(state="idle", top="socket.accept (socket.py:295)")
AT_WORK = _WORKER.format(state="active+gil", top="tokenize (tok.py:40)")
NO_SHARD = """\
Process 20: python _callable_runner.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 20 (idle): "MainThread"
    _host_actor (fray/iris_backend.py:246)
Thread 21 (idle): "zephyr-poll-w-0"
    ZephyrWorker._poll_loop (zephyr/execution.py:1421)
"""


def dump(text: str, seconds: float, target: str = f"{ROOT}/{CONTEXT}-p0-a0/0") -> ThreadDump:
    return read_dump(text, TaskId(target), at(seconds))


def failed_task(index: int = 0, *errors: str, state: TaskState = TaskState.RUNNING) -> Task:
    """A task of the root whose tries so far ended in these errors."""
    attempts = tuple(
        Attempt(number, TaskState.FAILED, 1, error, finished_at=moment(number))
        for number, error in enumerate(errors)
    )
    return Task(
        TaskId(f"{ROOT}/{index}"),
        state,
        error=errors[-1] if errors else "",
        current_attempt=len(errors),
        attempts=(*attempts, Attempt(len(errors), state)),
    )


def moment(seconds: float) -> datetime:
    return at(seconds)
