"""What the stand-in `iris` command prints: tables, summaries, log lines, snake_case JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]
REASON_WIDTH, ERROR_WIDTH = 63, 50
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def snake(value: Any) -> Any:
    """camelCase keys as the command spells them; job ids and variables as keys stay."""
    if isinstance(value, dict):
        return {
            (
                key if key.startswith("/") or key.isupper() else re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()
            ): snake(item)
            for key, item in value.items()
        }
    return [snake(item) for item in value] if isinstance(value, list) else value


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def state(view: Json) -> str:
    """`running`, from either spelling."""
    return str(view["state"]).removeprefix("JOB_STATE_").removeprefix("TASK_STATE_").lower()


def job_table(jobs: Sequence[Json], *, with_resources: bool) -> str:
    """The columns of `job list`; REASON is there only when some job has one."""
    if not jobs:
        return "No jobs found."
    columns = ["JOB ID", "STATE", *(["RESOURCES"] if with_resources else []), "SUBMITTED"]
    reasons = [_cut(_one_line(str(job.get("pendingReason", ""))), REASON_WIDTH) for job in jobs]
    if any(reasons):
        columns.append("REASON")
    rows = [columns]
    for job, reason in zip(jobs, reasons, strict=True):
        cells = [str(job["jobId"]), state(job)]
        cells += [_resources(job.get("resources", {}))] if with_resources else []
        cells += [_stamp(job["submittedAt"])] + ([reason] if any(reasons) else [])
        rows.append(cells)
    widths = [max(len(row[column]) for row in rows) for column in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def summary(job: Json, tasks: Sequence[Json]) -> str:
    """`job summary` for people."""
    counts = "  ".join(f"{name}={count}" for name, count in job["taskStateCounts"].items())
    done = sum(1 for task in tasks if state(task) == "succeeded")
    lines = [
        f"Job: {job['jobId']} ({job['name']})",
        f"State: {state(job)}  exit={job['exitCode']}  failures={job['failureCount']}  "
        f"preemptions={job['preemptionCount']}",
        f"Tasks: {done}/{job['taskCount']} completed  {counts}",
        *([f"Error: {job['error']}"] if job["error"] else []),
        "",
        "  TASK  STATE      EXIT  DURATION       PEAK MEM    CUR MEM    ERROR",
    ]
    for task in tasks:
        code = str(task["exitCode"]) if "finishedAt" in task else "-"
        spent = _duration(task)
        error = _cut(task["error"], ERROR_WIDTH)
        row = f"{_index(task):>6}  {state(task):<9}  {code:>4}  {spent:<13}  -           -          {error}"
        lines.append(row.rstrip())
    return "\n".join(lines)


def summary_json(job: Json, tasks: Sequence[Json]) -> str:
    """`job summary --json`: spelled differently from everything else."""
    names = ("error", "failureCount", "preemptionCount", "taskCount", "completedCount", "taskStateCounts")
    head = {"jobId": job["jobId"], "name": job["name"], "state": state(job), "exitCode": job["exitCode"]}
    body = [
        {
            "taskId": task["taskId"],
            "index": _index(task),
            "state": state(task),
            "exitCode": task["exitCode"] if "finishedAt" in task else None,
            "durationMs": _spent_ms(task),
            "memoryMb": 0,
            "memoryPeakMb": 0,
            "cpuMillicores": 0,
            "diskMb": 0,
            "workerId": task["workerId"],
            "error": task["error"],
        }
        for task in tasks
    ]
    return json.dumps(snake(head | {name: job[name] for name in names} | {"tasks": body}), indent=2)


def log_line(entry: Json, *, with_attempt: bool) -> str:
    """`[HH:MM:SS] task=<id> | <text>`, UTC."""
    at = datetime.fromtimestamp(int(entry["timestamp"]["epochMs"]) / 1000, UTC)
    task, _, attempt = str(entry["key"]).rpartition(":")
    return f"[{at:%H:%M:%S}] task={task}{f' attempt={attempt}' if with_attempt else ''} | {entry['data']}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _one_line(text: str) -> str:
    return text.partition("\n")[0]


def _index(task: Json) -> str:
    return str(task["taskId"]).rpartition("/")[2]


def _stamp(moment: Json) -> str:
    return datetime.fromtimestamp(int(moment["epochMs"]) / 1000, UTC).isoformat(timespec="microseconds")


def _spent_ms(task: Json) -> int:
    if "startedAt" not in task:
        return 0
    ended = task.get("finishedAt", task["startedAt"])
    return int(ended["epochMs"]) - int(task["startedAt"]["epochMs"])


def _duration(task: Json) -> str:
    if "startedAt" not in task:
        return "-"
    minutes, seconds = divmod(_spent_ms(task) / 1000, 60)
    whole = int(minutes)
    return (f"{whole} minute{'s' * (whole > 1)} and " if whole else "") + f"{seconds:.2f} seconds"


def _resources(asked: Json) -> str:
    cpu = asked.get("cpuMillicores", 0) / 1000
    return f"{cpu:g}cpu, {_size(asked.get('memoryBytes', 0))}, {_size(asked.get('diskBytes', 0))} disk"


def _size(count: Any) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.2f}".rstrip("0").rstrip(".") + f" {_UNITS[unit]}"
