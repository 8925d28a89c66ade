"""What the controller keeps, as the JSON of each generation. Absent is absent: empty lists are left out."""

from collections import Counter
from typing import Any

from babysitter.sim.iris.logbook import Entry
from babysitter.sim.iris.records import Attempt, Job, Machine, State, Task

Json = dict[str, Any]


def moment(at: float) -> Json:
    """64-bit numbers are strings on the wire."""
    return {"epochMs": str(int(at * 1000))}


def job(record: Job, generation: str, *, has_children: bool, listed: bool) -> Json:
    """A JobStatus; `listed` as ListJobs gives it, else as GetJobStatus does."""
    waits = record.state is State.PENDING
    reason = record.pending_reason if waits else (record.error if listed else "")
    view: Json = {
        "jobId": record.id,
        "state": f"JOB_STATE_{record.state.upper()}",
        "exitCode": 0,  # a job's own says nothing, even of one that failed
        "error": record.error,
        "failureCount": record.failure_count,
        "preemptionCount": record.preemption_count,
        "name": record.id,
        "submittedAt": moment(record.submitted_at),
        "taskStateCounts": {str(state): count for state, count in _counts(record).items()},
        "taskCount": len(record.tasks),
        "completedCount": sum(task.state.final for task in record.tasks),
        "pendingReason": reason,
    }
    if record.started_at is not None:
        view["startedAt"] = moment(record.started_at)
    if record.finished_at is not None:
        view["finishedAt"] = moment(record.finished_at)
    if generation == "april" or not listed:
        view["resources"] = record.request.get("resources", {})
    if generation != "april" or listed:
        view["hasChildren"] = has_children
    return view


def task(record: Task, generation: str, *, all_attempts: bool, detailed: bool = False) -> Json:
    """A TaskStatus; `detailed` as GetTaskStatus gives it."""
    waits = record.state is State.PENDING
    current = None if waits else record.attempt
    view: Json = {
        "taskId": record.id,
        "state": f"TASK_STATE_{record.state.upper()}",
        "workerId": current.machine.id if current else "",
        "workerAddress": current.machine.address if current else "",
        "exitCode": record.exit_code,
        "error": record.error,
        "currentAttemptId": len(record.attempts) - 1,  # -1: never assigned
    }
    attempts = record.attempts if all_attempts else record.attempts[-1:]
    if attempts:
        view["attempts"] = [_attempt(attempt, generation) for attempt in attempts]
    if record.started_at is not None:
        view["startedAt"] = moment(record.started_at)
    if record.finished_at is not None:
        view["finishedAt"] = moment(record.finished_at)
    if waits:
        view["canBeScheduled"] = True  # said of every waiting task, whether or not a machine will ever fit
        if record.pending_reason:
            view["pendingReason"] = record.pending_reason
    if generation == "may":
        summary, detail = record.inside.status_text() if record.inside else record.status_text
        view["statusTextSummaryMd"] = summary
        if detailed:
            view["statusTextDetailMd"] = detail
    if generation == "april" and detailed:
        view |= {"resourceUsage": usage(record), "resourceHistory": [usage(record)]}
    return view


def usage(record: Task) -> Json:
    """What a task's process holds."""
    held = record.inside.memory_mb() if record.inside else 0
    peak = max([held, *record.memory_history_mb])
    return {
        "memoryMb": str(held),
        "diskMb": "25330" if held else "0",
        "cpuMillicores": 1000 if held else 0,
        "memoryPeakMb": str(peak),
    }


def _counts(record: Job) -> Counter[State]:
    return Counter(sim_task.state for sim_task in record.tasks)


def _attempt(record: Attempt, generation: str) -> Json:
    view: Json = {
        "attemptId": record.id,
        "workerId": record.machine.id,
        "state": f"TASK_STATE_{record.state.upper()}",
        "exitCode": record.exit_code,
        "error": record.error,
        "isWorkerFailure": record.worker_failure,
    }
    if record.started_at is not None:
        view["startedAt"] = moment(record.started_at)
    if record.finished_at is not None:
        view["finishedAt"] = moment(record.finished_at)
    if generation == "august":
        view["attemptUid"] = f"{record.machine.id}-{record.id}"
    return view


def log_entry(entry: Entry, generation: str, *, with_key: bool) -> Json:
    """A line; its key is left out where the question names exactly one."""
    view: Json = {
        "timestamp": {"epochMs": str(entry.at_ms)},
        "source": entry.source,
        "data": entry.data,
        "attemptId": int(entry.key.partition(":")[2] or 0),  # what is no task has no attempts
        "level": f"LOG_LEVEL_{entry.level}",
    }
    if with_key:
        view["key"] = entry.key
    if generation == "august":
        view["seq"] = str(entry.number)
    return view


def machine(record: Machine, generation: str, *, heartbeat_at: float, tasks: list[str]) -> Json:
    """A worker machine. `runningJobIds` hold the ids of tasks, whatever they are called."""
    attributes = {"preemptible": "false", "device-type": "cpu", "device-variant": "cpu", "scale-group": "cpu"}
    if generation == "april":
        attributes["region"] = "local"
    view: Json = {
        "workerId": record.id,
        "healthy": True,
        "consecutiveFailures": 0,
        "lastHeartbeat": moment(heartbeat_at),
        "address": record.address,
        "metadata": {
            "hostname": "local",
            "ipAddress": "127.0.0.1",
            "cpuCount": 32,
            "memoryBytes": str(64 << 30),
            "diskBytes": str(200 << 30),
            "device": {"cpu": {"variant": "cpu"}},
            "tpuName": "",
            "tpuWorkerHostnames": "",
            "tpuWorkerId": "",
            "tpuChipsPerHostBounds": "",
            "gpuCount": 0,
            "gpuName": "",
            "gpuMemoryMb": 0,
            "gceInstanceName": "",
            "gceZone": "",
            "attributes": {name: {"stringValue": value} for name, value in attributes.items()},
            "gitHash": "unknown",
        },
        "statusMessage": "",
    }
    return view | ({"runningJobIds": tasks} if tasks else {})
