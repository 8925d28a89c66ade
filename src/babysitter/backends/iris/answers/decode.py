"""Answers of a controller -> model values. Pure; raises `UnexpectedField` for what the protocol does not
promise.

Serves every generation and both spellings (see json_fields.py). Words that we do not know become OTHER.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.iris.answers.log_page import LEVELS, LogPage, lines_of, owner_of
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import Attempt, Job, JobState, Resources, Task, TaskState
from babysitter.model.log import Cursor, LogBatch, LogLevel, LogLine, LogSource
from babysitter.model.machine import Machine

_BYTES_PER_MB = 1 << 20
_State = TypeVar("_State", JobState, TaskState)


@dataclass(frozen=True, slots=True)
class JobPage:
    jobs: tuple[Job, ...]
    has_more: bool


def job_page(answer: object) -> JobPage:
    """The answer to ListJobs, newest submission first as it came."""
    node = JsonNode.of(answer)
    return JobPage(tuple(job(json_node) for json_node in node.nodes("jobs")), node.flag("hasMore"))


def job_status(answer: object) -> Job:
    """The job in the answer to GetJobStatus."""
    node = JsonNode.of(answer).node("job")
    if node is None:
        raise UnexpectedField("answer.job is missing")
    return job(node)


def kept_request(answer: object) -> JsonNode | None:
    """The launch request in the answer to GetJobStatus, as the controller kept it."""
    return JsonNode.of(answer).node("request")


def job_states(answer: object) -> Mapping[JobId, JobState]:
    """The answer to GetJobState; unknown ids are missing from it."""
    states = JsonNode.of(answer).table("states")
    return {JobId(text): _state(JobState, word) for text, word in states.items()}


def job(node: JsonNode) -> Job:
    state = _state(JobState, node.get("state"))
    error, pending_reason = node.text("error"), node.text("pendingReason")
    if state is not JobState.PENDING and pending_reason == error:
        pending_reason = ""  # ListJobs repeats the error here once the job is not pending
    return Job(
        id=JobId(_named(node, "jobId")),
        state=state,
        error=error,
        pending_reason=pending_reason,
        submitted_at=node.moment("submittedAt"),
        started_at=node.moment("startedAt"),
        finished_at=node.moment("finishedAt"),
        failure_count=node.number("failureCount"),
        preemption_count=node.number("preemptionCount"),
        task_count=node.number("taskCount"),
        task_states=_state_counts(node),
        resources=_resources(node.node("resources")),
        has_children=node.flag("hasChildren"),
    )


def tasks(answer: object) -> tuple[Task, ...]:
    """The answer to ListTasks, in the order of their index."""
    found = [task(node) for node in JsonNode.of(answer).nodes("tasks")]
    return tuple(sorted(found, key=lambda candidate: (job_of(candidate.id), _index(candidate.id))))


def task_status(answer: object) -> Task:
    """The task in the answer to GetTaskStatus."""
    node = JsonNode.of(answer).node("task")
    if node is None:
        raise UnexpectedField("answer.task is missing")
    return task(node)


def task(node: JsonNode) -> Task:
    """One task. `attempts` holds all of them in April, the current one only in later lists."""
    attempts = tuple(
        sorted(
            (_attempt(json_node) for json_node in node.nodes("attempts")), key=lambda attempt: attempt.number
        )
    )
    usage = node.node("resourceUsage")
    status_texts = (node.text("statusTextSummaryMd"), node.text("statusTextDetailMd"))
    return Task(
        id=TaskId(_named(node, "taskId")),
        state=_state(TaskState, node.get("state")),
        exit_code=node.number("exitCode"),
        error=node.text("error"),
        pending_reason=node.text("pendingReason"),
        worker=node.text("workerId"),
        # Absent is not 0: attempt 0 exists, a task that was never assigned has -1.
        current_attempt=node.number("currentAttemptId", default=attempts[-1].number if attempts else -1),
        attempts=tuple(attempts),
        started_at=node.moment("startedAt"),
        finished_at=node.moment("finishedAt"),
        memory_bytes=_mb(usage, "memoryMb"),
        memory_peak_bytes=_mb(usage, "memoryPeakMb"),
        status_text="\n\n".join(text for text in status_texts if text),
    )


def log_batch(
    answer: object,
    source: LogSource,
    *,
    after: Cursor | None,
    at_most: int,
    newest: bool = False,
    dropped: int = 0,
) -> LogBatch:
    """The answer to FetchLogs, or to April's GetTaskLogs, which puts its entries into batches.

    Of more than `at_most` lines the newest stay. `dropped`: how many were left out already.
    """
    if isinstance(answer, LogPage):
        dropped += max(0, len(answer.entries) - at_most)
        lines, cursor = lines_of(answer.entries[-at_most:], source), answer.cursor
        number = None if isinstance(cursor, msgspec.UnsetType) else cursor
    else:
        node = JsonNode.of(answer)
        entries = list(node.nodes("entries"))
        for batch in node.nodes("taskLogs"):
            entries.extend(batch.nodes("logs"))
        dropped += max(0, len(entries) - at_most)
        lines = [_log_line(entry, source) for entry in entries[-at_most:]]
        number = node.number_or_none("cursor")
    return LogBatch(
        lines=tuple(
            lines if _has_all(source) else [line for line in lines if job_of(line.task) == source.job]
        ),
        cursor=after if number is None else Cursor(str(number)),
        skipped=0 if newest else dropped,  # the newest were asked for, and are here
        is_full=len(lines) >= at_most and not dropped,  # the cursor is behind the last line
    )


def dump_text(answer: object) -> str:
    """The text of a thread dump. Raises `NoDump` when the worker said why there is none."""
    node = JsonNode.of(answer)
    if error := node.text("error"):
        raise NoDump(error)  # comes with HTTP 200, so look here first
    try:
        text = base64.b64decode(node.text("profileData"), validate=True).decode(errors="replace")
    except binascii.Error as fault:
        raise UnexpectedField(f"answer.profileData is not base64: {fault}") from fault
    if not text.strip():
        raise NoDump("the dump is empty")
    return text


class NoDump(ValueError):
    """The task's process could not be looked into; the message is the worker's own."""


def workers(answer: object) -> tuple[Machine, ...]:
    """The answer to ListWorkers."""
    return tuple(
        Machine(
            id=node.text("workerId"),
            is_healthy=node.flag("healthy"),
            consecutive_failures=node.number("consecutiveFailures"),
            last_heartbeat_at=node.moment("lastHeartbeat"),
            tasks=tuple(TaskId(text) for text in node.texts("runningJobIds")),  # they are task ids
            status=node.text("statusMessage"),
        )
        for node in JsonNode.of(answer).nodes("workers")
    )


def _attempt(node: JsonNode) -> Attempt:
    return Attempt(
        number=node.number("attemptId"),
        state=_state(TaskState, node.get("state")),
        exit_code=node.number("exitCode"),
        error=node.text("error"),
        worker=node.text("workerId"),
        started_at=node.moment("startedAt"),
        finished_at=node.moment("finishedAt"),
        is_worker_failure=node.flag("isWorkerFailure"),
    )


def _log_line(node: JsonNode, source: LogSource) -> LogLine:
    # Exact questions are answered without a key: then the question says whose line it is.
    task, attempt = owner_of(node.text("key"))
    stamp = node.node("timestamp")
    return LogLine(
        text=node.text("data"),
        at_ms=0 if stamp is None else stamp.number("epochMs"),
        task=task or source.task or TaskId(""),
        attempt=node.number("attemptId", -1) if attempt is None else attempt,
        level=LEVELS.get(str(node.get("level")), LogLevel.UNKNOWN),
        stream=node.text("source"),
    )


def _has_all(source: LogSource) -> bool:
    """Whether everything that comes was asked for: some generations only know a job with its children."""
    return source.include_children or source.task is not None


def _resources(node: JsonNode | None) -> Resources:
    if node is None:
        return Resources()
    return Resources(
        cpu_millicores=node.number("cpuMillicores"),
        memory_bytes=node.number("memoryBytes"),
        disk_bytes=node.number("diskBytes"),
        device=_device(node.node("device")),
    )


def _device(node: JsonNode | None) -> str:
    """{"tpu": {"variant": "v5litepod-16"}} -> "tpu v5litepod-16"; "" for CPU."""
    for kind in ("tpu", "gpu"):
        if node is not None and (device := node.node(kind)) is not None:
            return f"{kind} {device.text('variant')}".strip()
    return ""


def _state_counts(node: JsonNode) -> Mapping[TaskState, int]:
    counts: dict[TaskState, int] = {}
    raw = JsonNode(node.table("taskStateCounts"), f"{node.place}.taskStateCounts")
    for word in raw.raw:
        state = _state(TaskState, word)
        counts[state] = counts.get(state, 0) + raw.number(word)
    return counts


def _state(kind: type[_State], word: object) -> _State:
    """JOB_STATE_RUNNING (wire) and running (command line) -> RUNNING; words we do not know -> OTHER."""
    if not isinstance(word, str):
        return kind("other")
    plain = word.removeprefix("JOB_STATE_").removeprefix("TASK_STATE_").lower()
    try:
        return kind(plain)
    except ValueError:
        return kind("other")


def _mb(usage: JsonNode | None, name: str) -> int | None:
    megabytes = None if usage is None else usage.number_or_none(name)
    return megabytes * _BYTES_PER_MB if megabytes else None  # 0 = not measured yet


def _named(node: JsonNode, name: str) -> str:
    value = node.text(name)
    if not value:
        raise UnexpectedField(f"{node.place}.{name} is missing")
    return value


def _index(task: TaskId) -> int:
    index = task.rpartition("/")[2]
    return int(index) if index.isdigit() else 0
