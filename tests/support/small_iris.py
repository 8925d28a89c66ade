"""A few jobs behind the wire protocol of April, May or August: just enough for contracts of eyes and hands.

The answers have the recorded shapes. `Small` is the state; `answers()` are the calls for ScriptedController.
"""

import base64
import re
from dataclasses import dataclass, field

from tests.support.controller import connect_error

ROOT = "/ada/sweep"
COORDINATOR = f"{ROOT}/zephyr-count-0a1b2c3d-p0-a0"
WORKERS = f"{COORDINATOR}/zephyr-count-0a1b2c3d-p0-workers-a0"
NEIGHBOURS = ("/ada/sweep-lr3", "/ada/sweeper")
ARGV = ["/srv/bin/iris", "--controller-url", "http://127.0.0.1:9", "job", "run", "--job-name", "sweep"]
ENDED = ("SUCCEEDED", "FAILED", "KILLED")
BAD_REQUEST = {"april": (400, "invalid_argument"), "may": (500, "unknown"), "august": (500, "unknown")}


@dataclass
class Small:
    generation: str
    states: dict[str, str] = field(
        default_factory=lambda: dict.fromkeys((ROOT, COORDINATOR, WORKERS, *NEIGHBOURS), "RUNNING")
    )
    log: list[tuple[str, str]] = field(default_factory=list)  # (key, text); its id is its place + 1

    def __post_init__(self) -> None:
        for number in range(6):
            self.log.append((f"{COORDINATOR}/0:0", f"[stage0-Map] {number}/6 complete, 1 in-flight"))
            self.log.append((f"{WORKERS}/{number % 2}:0", f"working on shard {number}"))
            self.log.append((f"{NEIGHBOURS[number % 2]}/0:0", "not yours"))
        self.log.insert(0, (f"{ROOT}/0:0", "Starting zephyr pipeline"))

    def answers(self) -> dict[str, object]:
        calls = {
            name: getattr(self, f"_{name}")
            for name in (
                "ListJobs",
                "GetJobStatus",
                "GetJobState",
                "ListTasks",
                "GetTaskStatus",
                "FetchLogs",
                "ProfileTask",
                "TerminateJob",
                "LaunchJob",
            )
        }
        if self.generation != "august":
            calls["GetAuthInfo"] = {"provider": "", "gcpProjectId": ""}
        if self.generation == "april":
            calls["GetTaskLogs"] = self._GetTaskLogs
        return calls

    def _job(self, job: str) -> dict[str, object]:
        place = list(self.states).index(job)
        return {
            "jobId": job,
            "name": job,
            "state": f"JOB_STATE_{self.states[job]}",
            "exitCode": 0,
            "error": "Terminated by user" if self.states[job] == "KILLED" else "",
            "submittedAt": {"epochMs": str(1_795_000_000_000 + place)},
            "taskStateCounts": {self.states[job].lower(): len(self._indexes(job))},
            "taskCount": len(self._indexes(job)),
            "pendingReason": "",
        }

    def _ListJobs(self, body):  # noqa: N802
        query = dict(body.get("query", {}))
        prefix, name = query.get("jobIdPrefix", ""), query.get("nameFilter", "")
        if "jobIdPrefix" in query and self.generation == "april":
            return self._bad('has no field named "jobIdPrefix"')
        if not 0 < query.get("limit", 0) <= 500:
            return self._bad("limit must be between 1 and 500")
        found = [job for job in self.states if job.startswith(prefix) and name.lower() in job.lower()]
        page = found[::-1][query.get("offset", 0) :][: query["limit"]]  # newest first
        answer: dict[str, object] = {"totalCount": len(found), "hasMore": False}
        return 200, answer | ({"jobs": [self._job(job) for job in page]} if page else {})

    def _GetJobStatus(self, body):  # noqa: N802
        if (job := body["jobId"]) not in self.states:
            return self._unknown("Job", job)
        request = {"name": job, "entrypoint": {"runCommand": {"argv": ["python", "x.py"]}}}
        if self.generation != "april":
            request["submitArgv"] = [*ARGV, "--", "python", "x.py"]
        return 200, {"job": self._job(job), "request": request}

    def _GetJobState(self, body):  # noqa: N802
        known = {job: f"JOB_STATE_{self.states[job]}" for job in body["jobIds"] if job in self.states}
        return 200, {"states": known} if known else {}

    def _ListTasks(self, body):  # noqa: N802
        job = body["jobId"]
        tasks = [self._task(f"{job}/{index}") for index in self._indexes(job)] if job in self.states else []
        return 200, {"tasks": tasks} if tasks else {}

    def _GetTaskStatus(self, body):  # noqa: N802
        job, _, index = body["taskId"].rpartition("/")
        if job not in self.states or int(index) not in self._indexes(job):
            return self._unknown("Task", body["taskId"])
        return 200, {"task": self._task(body["taskId"])}

    def _task(self, task: str) -> dict[str, object]:
        state = f"TASK_STATE_{self.states[task.rpartition('/')[0]]}"
        attempt = {"attemptId": 0, "workerId": "w-1", "state": state, "isWorkerFailure": False}
        return {"taskId": task, "state": state, "currentAttemptId": 0, "attempts": [attempt]}

    def _FetchLogs(self, body):  # noqa: N802
        source, scope = body["source"], body.get("matchScope", "MATCH_SCOPE_PREFIX")
        if self.generation == "april":
            pattern = re.compile(source if re.search(r"[*+\[\\]", source) else re.escape(source))
            keep = pattern.fullmatch
        elif scope == "MATCH_SCOPE_REGEX":
            keep = re.compile(source).fullmatch
        else:
            keep = (lambda key: key == source) if scope == "MATCH_SCOPE_EXACT" else None
            keep = keep or (lambda key: key.startswith(source))
        entries, cursor = self._entries(body, keep, body.get("maxLines") or 1000)
        return 200, ({"entries": entries} if entries else {}) | {"cursor": cursor}

    def _GetTaskLogs(self, body):  # noqa: N802
        of = re.escape(body["id"])
        is_task = re.search(r"/\d+$", body["id"])
        inner = "" if is_task else "(/[^:]+)?/[0-9]+" if body.get("includeChildren") else "/[0-9]+"
        entries, cursor = self._entries(
            body, re.compile(of + inner + ":.*").fullmatch, int(body["maxTotalLines"])
        )
        return 200, {"taskLogs": [{"taskId": body["id"], "logs": entries}], "cursor": cursor}

    def _entries(self, body, keep, at_most):
        after = int(body.get("cursor", 0))
        meant = [
            (number, key, text)
            for number, (key, text) in enumerate(self.log, start=1)
            if number > after and keep(key) and body.get("substring", "") in text
        ]
        chosen = meant[-at_most:] if body.get("tail") else meant[:at_most]
        entries = [
            {
                "timestamp": {"epochMs": str(1_795_000_000_000 + number)},
                "source": "stderr",
                "data": text,
                "attemptId": 0,
                "level": "LOG_LEVEL_INFO",
                "key": key,
            }
            for number, key, text in chosen
        ]
        return entries, str(chosen[-1][0] if chosen else after)

    def _ProfileTask(self, body):  # noqa: N802
        job = body["target"].rpartition("/")[0]
        if job not in self.states:
            return self._unknown("Task", body["target"])
        if self.states[job] in ENDED:
            return 200, {"profileData": "", "error": "attempt no longer running"}
        text = b'Process 7: python\nPython v3.12.1\n\nThread 7 (idle): "MainThread"\n    wait (x.py:1)\n'
        return 200, {"profileData": base64.b64encode(text).decode(), "error": ""}

    def _TerminateJob(self, body):  # noqa: N802
        stopped = body["jobId"]
        if stopped not in self.states:
            return self._unknown("Job", stopped)
        for job, state in self.states.items():
            if (job == stopped or job.startswith(stopped + "/")) and state not in ENDED:
                self.states[job] = "KILLED"
        return 200, {}

    def _LaunchJob(self, body):  # noqa: N802
        name = body["name"]
        if name in self.states and body.get("existingJobPolicy") == "EXISTING_JOB_POLICY_ERROR":
            return 409, connect_error(
                "already_exists", f"Job {name} already exists (state=JOB_STATE_{self.states[name]})"
            )
        if self.states.get(name, "KILLED") not in ENDED:
            return 409, connect_error("already_exists", f"Job {name} already exists and is still running")
        self.states[name] = "RUNNING"
        return 200, {"jobId": name}

    def _indexes(self, job: str) -> range:
        return range(2 if "workers" in job else 1)

    def _unknown(self, kind: str, name: str):
        return 404, connect_error("not_found", f"{kind} {name} not found")

    def _bad(self, message: str):
        status, code = BAD_REQUEST[self.generation]
        return status, connect_error(code, message)
