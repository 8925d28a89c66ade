"""Answers of Ray's dashboard -> model values. Pure; unknown fields are ignored, null means unknown."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from babysitter.backends.ray.log_files.log_text import without_guesses
from babysitter.model.device_use import DeviceUse
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Attempt, Job, JobState, Task, TaskState
from babysitter.model.machine import Machine

T = TypeVar("T")

_JOB_STATES: Mapping[str, JobState] = {
    "PENDING": JobState.PENDING,
    "RUNNING": JobState.RUNNING,
    "SUCCEEDED": JobState.SUCCEEDED,
    "FAILED": JobState.FAILED,
    "STOPPED": JobState.KILLED,
}
_TASK_STATE_OF: Mapping[JobState, TaskState] = {
    JobState.PENDING: TaskState.PENDING,
    JobState.RUNNING: TaskState.RUNNING,
    JobState.SUCCEEDED: TaskState.SUCCEEDED,
    JobState.FAILED: TaskState.FAILED,
    JobState.KILLED: TaskState.KILLED,
}
_ACTOR_STATES: Mapping[str, TaskState] = {
    "DEPENDENCIES_UNREADY": TaskState.PENDING,
    "PENDING_CREATION": TaskState.PENDING,
    "ALIVE": TaskState.RUNNING,
    "RESTARTING": TaskState.PENDING,
}
# What followed from somebody's decision or from the driver's end, and what ended as meant: never a cause.
_DEATHS: Mapping[str, TaskState] = {
    "RAY_KILL": TaskState.KILLED,
    "OWNER_DIED": TaskState.KILLED,
    "REF_DELETED": TaskState.SUCCEEDED,
    "NODE_DIED": TaskState.WORKER_FAILED,
}
MAX_ERROR_CHARS = 4000
PROPOSAL_KEY = "babysit_proposal"  # in the metadata of jobs that a restart submitted


class DriverInfo(msgspec.Struct, frozen=True):
    id: str | None = None
    node_ip_address: str | None = None
    pid: str | None = None


class RayJob(msgspec.Struct, frozen=True):
    """A job of `/api/jobs/`. `job_id` and `driver_info` are None until the entrypoint connects to Ray."""

    type: str = ""
    job_id: str | None = None
    submission_id: str | None = None
    driver_info: DriverInfo | None = None
    status: str = ""
    message: str | None = None
    error_type: str | None = None
    start_time: int | None = None
    end_time: int | None = None
    driver_agent_http_address: str | None = None
    driver_node_id: str | None = None
    driver_exit_code: int | None = None
    entrypoint: str | None = None
    metadata: dict[str, Any] | None = None
    runtime_env: dict[str, Any] | None = None  # with secrets in plain text

    @property
    def id(self) -> JobId:
        return JobId(self.submission_id or self.job_id or "")


class DeathContext(msgspec.Struct, frozen=True):
    error_message: str | None = None
    reason: str | None = None
    formatted_exception_string: str | None = None


class DeathCause(msgspec.Struct, frozen=True):
    """One of these is set."""

    actor_died_error_context: DeathContext | None = None
    creation_task_failure_context: DeathContext | None = None
    oom_context: DeathContext | None = None


class RayActor(msgspec.Struct, frozen=True):
    actor_id: str
    class_name: str = ""
    state: str = ""
    job_id: str | None = None
    name: str | None = None
    node_id: str | None = None
    pid: int | None = None
    death_cause: DeathCause | None = None
    num_restarts: int | None = None  # a string on the wire
    required_resources: dict[str, float] | None = None

    def task_id(self, job: JobId) -> TaskId:
        """<job>/<class>-<beginning of the actor id>: the same across restarts of an actor."""
        return TaskId(f"{job}/{self.class_name or 'Actor'}-{self.actor_id[:8]}")


class RayNode(msgspec.Struct, frozen=True):
    node_id: str
    node_ip: str = ""
    state: str = ""
    state_message: str | None = None
    is_head_node: bool = False
    resources_total: dict[str, float] = {}


class _Rows(msgspec.Struct, frozen=True):
    result: msgspec.Raw


class _Data(msgspec.Struct, frozen=True):
    result: _Rows


class _Envelope(msgspec.Struct, frozen=True):
    data: _Data


def rows(body: bytes, kind: type[T]) -> list[T]:
    """The rows of an answer of the state API. Raises msgspec.DecodeError for another shape."""
    outer = msgspec.json.decode(body, type=_Envelope)
    return msgspec.json.decode(outer.data.result.result, type=list[kind], strict=False)  # type: ignore[valid-type]


def job(raw: RayJob, actors: Sequence[RayActor] = (), *, waiting: str = "") -> Job:
    """The job with counts of its tasks: its driver and its actors. `waiting`: what its actors wait for."""
    state = _JOB_STATES.get(raw.status, JobState.OTHER)
    states = [_TASK_STATE_OF.get(state, TaskState.OTHER), *(_actor_state(actor) for actor in actors)]
    is_pending = state is JobState.PENDING
    return Job(
        id=raw.id,
        state=state,
        error=_error(raw.message) if state is JobState.FAILED else "",
        pending_reason=(raw.message or "") if is_pending else waiting,
        submitted_at=_moment(raw.start_time),
        started_at=None if is_pending else _moment(raw.start_time),
        finished_at=_moment(raw.end_time),
        task_restarts=sum(actor.num_restarts or 0 for actor in actors),
        task_count=len(states),
        task_states={fromkey: states.count(fromkey) for fromkey in dict.fromkeys(states)},
        proposal=str((raw.metadata or {}).get(PROPOSAL_KEY) or ""),
    )


def driver_id(of: JobId) -> TaskId:
    """The driver is the job's first task."""
    return TaskId(f"{of}/0")


def driver_task(raw: RayJob, of: JobId) -> Task:
    """The entrypoint's process as a task."""
    state = _TASK_STATE_OF.get(_JOB_STATES.get(raw.status, JobState.OTHER), TaskState.OTHER)
    info = raw.driver_info or DriverInfo()
    is_placed = state is not TaskState.PENDING
    tried = Attempt(
        number=0,
        state=state,
        exit_code=raw.driver_exit_code or 0,
        error=_error(raw.message) if state is TaskState.FAILED else "",
        worker=info.node_ip_address or "",
        started_at=_moment(raw.start_time) if is_placed else None,
        finished_at=_moment(raw.end_time),
    )
    return Task(
        id=driver_id(of),
        state=state,
        exit_code=tried.exit_code,
        error=tried.error,
        pending_reason="" if is_placed else raw.message or "",
        worker=tried.worker,
        current_attempt=0 if is_placed else -1,
        attempts=(tried,) if is_placed else (),
        started_at=tried.started_at,
        finished_at=tried.finished_at,
        status_text=f"driver, pid {info.pid}" if info.pid else "driver",
    )


def actor_task(
    raw: RayActor,
    of: JobId,
    addresses: Mapping[str, str],
    *,
    waiting: str = "",
    devices: tuple[DeviceUse, ...] = (),
) -> Task:
    """An actor as a task. `addresses`: node id -> IP address; nodes that return get a new id."""
    state, died_of = _actor_state(raw), death_text(raw.death_cause)
    error = died_of if state in (TaskState.FAILED, TaskState.WORKER_FAILED) else ""
    lives = raw.num_restarts or 0
    worker = addresses.get(raw.node_id or "", (raw.node_id or "")[:8])
    pending = ""
    if raw.state == "RESTARTING":
        pending = f"restarts for the {lives}. time: its process died"
    elif state is TaskState.PENDING:
        pending = waiting or f"{raw.state}: waits for resources"
    is_placed = bool(worker or raw.pid)
    named = f" '{raw.name}'" if raw.name else ""
    return Task(
        id=raw.task_id(of),
        state=state,
        error=error,
        pending_reason=pending,
        worker=worker,
        current_attempt=lives if is_placed else -1,
        attempts=(Attempt(number=lives, state=state, error=error, worker=worker),) if is_placed else (),
        status_text=f"actor {raw.class_name}{named}"
        + (f", pid {raw.pid}" if raw.pid else "")
        + (f"; ended: {died_of[:300]}" if died_of and not error else ""),
        devices=devices if state is TaskState.RUNNING else (),
        log_file=f"worker-*-{raw.pid}.err" if raw.pid else "",
    )


def death_text(cause: DeathCause | None) -> str:
    """Of what an actor died, in Ray's words without its guesses; "" while it is not known to be dead."""
    if cause is None:
        return ""
    if cause.creation_task_failure_context is not None:
        context = cause.creation_task_failure_context
        return _error(context.formatted_exception_string or context.error_message)
    context = cause.oom_context or cause.actor_died_error_context or DeathContext()
    said = _error(context.error_message)
    return f"{context.reason}: {said}" if context.reason else said


def machine(raw: RayNode, devices: Sequence[DeviceUse] = ()) -> Machine:
    totals = {name: amount for name, amount in raw.resources_total.items() if name in ("CPU", "GPU")}
    words = [raw.node_ip, "head" if raw.is_head_node else "", raw.state_message or ""]
    words += [f"{amount:g} {name}" for name, amount in sorted(totals.items())]
    words += [device.text for device in devices]
    return Machine(
        id=raw.node_id, is_healthy=raw.state == "ALIVE", status=", ".join(word for word in words if word)
    )


def _actor_state(raw: RayActor) -> TaskState:
    if raw.state != "DEAD":
        return _ACTOR_STATES.get(raw.state, TaskState.OTHER)
    context = raw.death_cause.actor_died_error_context if raw.death_cause else None
    if context is None:
        return TaskState.FAILED if raw.death_cause else TaskState.OTHER
    if "INTENDED_USER_EXIT" in (context.error_message or "") and context.reason == "WORKER_DIED":
        return TaskState.SUCCEEDED
    return _DEATHS.get(context.reason or "", TaskState.FAILED)


def _error(text: str | None) -> str:
    """The text, of a long one its first line and its end: there is the exception."""
    text = without_guesses((text or "").strip())
    if len(text) <= MAX_ERROR_CHARS:
        return text
    return f"{text.splitlines()[0][:500]}\n[...]\n{text[-MAX_ERROR_CHARS:]}"


def _moment(epoch_ms: int | None) -> datetime | None:
    if not epoch_ms or not 0 < epoch_ms < 253_402_300_799_000:
        return None
    return datetime.fromtimestamp(epoch_ms / 1000, UTC)
