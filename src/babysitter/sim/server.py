"""The wire protocol over a simulated cluster: Connect JSON on loopback, as the May generation speaks it."""

import base64
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from aiohttp import web

from babysitter.sim import dumps
from babysitter.sim.cluster import Cluster, Run
from babysitter.sim.script import load

CONTROLLER = "/iris.cluster.ControllerService/"
LOGS = ("/finelog.logging.LogService/", "/iris.logging.LogService/", CONTROLLER)
ROOT = "/ada/dedup"
NEIGHBOURS = ("/ada/dedup-lr3", "/ada/dedupe")
LIST_MOST = 500
_NOT_FOUND = (404, "not_found")


class ConnectError(Exception):
    """An answer that is an error of the protocol."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Simulator:
    """A cluster that plays one scenario, and the server in front of it.

    `mood`: "well", or "down" (closes connections) or "ill" (500 without sense); may be changed at any time.
    `requests`: (method, bytes of the answer) of everything that was asked.
    """

    def __init__(self, scenario: str, now: Callable[[], datetime], *, port: int = 0) -> None:
        self.cluster = Cluster(now)
        self.script = load(scenario)
        self.mood = "well"
        self.requests: list[tuple[str, int]] = []
        self.launched: list[str] = []
        self._port = port
        self._runner: web.AppRunner | None = None
        self.root_job = ROOT
        self.cluster.launch(ROOT, self.script)
        for neighbour in NEIGHBOURS:
            self.cluster.launch(neighbour, load("neighbour"))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> "Simulator":
        app = web.Application()
        app.router.add_get("/health", self._health)
        app.router.add_post("/{service}/{method}", self._call)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _health(self, request: web.Request) -> web.Response:
        return self._refuse(request) or web.json_response({"status": "ok"})

    def _refuse(self, request: web.Request) -> web.Response | None:
        if self.mood == "down" and request.transport is not None:
            request.transport.abort()
            return web.Response()
        return web.Response(status=500, text="<html>oops</html>") if self.mood == "ill" else None

    async def _call(self, request: web.Request) -> web.Response:
        if (refusal := self._refuse(request)) is not None:
            return refusal
        method = request.match_info["method"]
        service = f"/{request.match_info['service']}/"
        answer = getattr(self, f"_on_{method}", None)
        if answer is None or service not in (LOGS if method == "FetchLogs" else (CONTROLLER,)):
            return web.Response(status=404)  # no such method: no body, unlike "no such job"
        try:
            self.cluster.advance()
            body, status = answer(await request.json()), 200
        except ConnectError as error:
            body, status = {"code": error.code, "message": str(error)}, error.status
        except (json.JSONDecodeError, KeyError, TypeError) as fault:
            body, status = {"code": "unknown", "message": f"malformed request: {fault}"}, 500
        response = web.json_response(body, status=status)
        response.enable_compression()
        self.requests.append((method, len(response.body or b"")))  # type: ignore[arg-type]
        return response

    def _on_GetAuthInfo(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802, ARG002
        return {"provider": "", "gcpProjectId": ""}

    def _on_ListJobs(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        if set(asked) - {"query"}:
            raise ConnectError(500, "unknown", f"no field {sorted(set(asked) - {'query'})}")
        query = asked.get("query", {})
        found = [
            self._job(run, job)
            for run in self.cluster.runs.values()
            for job in self.cluster.jobs_of(run)
            if job.startswith(query.get("jobIdPrefix", "")) and query.get("nameFilter", "") in job
        ]
        if query.get("scope") == "JOB_QUERY_SCOPE_ROOTS":
            found = [each for each in found if str(each["jobId"]).count("/") == 2]
        if query.get("scope") == "JOB_QUERY_SCOPE_CHILDREN":
            parent = query.get("parentJobId", "")
            found = [each for each in found if str(each["jobId"]).rpartition("/")[0] == parent]
        if state := query.get("stateFilter"):
            found = [each for each in found if each["state"] == f"JOB_STATE_{state.upper()}"]
        found.sort(key=lambda each: (-int(each["submittedAt"]["epochMs"]), -len(each["jobId"])))
        offset, limit = query.get("offset", 0), min(query.get("limit") or LIST_MOST, LIST_MOST)
        page = found[offset : offset + limit]
        more = {"totalCount": len(found), "hasMore": offset + limit < len(found)}
        return ({"jobs": page} if page else {}) | more

    def _on_GetJobStatus(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        run = self._run(asked["jobId"], "Job")
        return {"job": self._job(run, asked["jobId"]), "request": run.request}

    def _on_GetJobState(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        runs = {job: self.cluster.run_of(job) for job in asked.get("jobIds", [])}
        states = {job: f"JOB_STATE_{self.cluster.state(run, job)}" for job, run in runs.items() if run}
        return {"states": states} if states else {}

    def _on_ListTasks(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        if not asked.get("jobId"):
            raise ConnectError(400, "invalid_argument", "job_id is required")
        run = self.cluster.run_of(asked["jobId"])
        return {"tasks": self._tasks(run, asked["jobId"])} if run else {}

    def _on_GetTaskStatus(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        job = asked["taskId"].rpartition("/")[0]
        for task in self._tasks(self._run(job, "Task"), job):
            if task["taskId"] == asked["taskId"]:
                return {"task": task}
        raise ConnectError(*_NOT_FOUND, f"Task {asked['taskId']} not found")

    def _on_FetchLogs(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        source, lines = asked["source"], self.cluster.lines
        is_exact = asked.get("matchScope") == "MATCH_SCOPE_EXACT"
        after, wanted = int(asked.get("cursor") or 0), asked.get("substring", "")
        since, level = int(asked.get("sinceMs") or 0), asked.get("minLevel", "")
        hidden = {"WARNING", "ERROR", "CRITICAL"} & {level}
        matching = [
            number
            for number in range(after, len(lines))
            if (lines[number].key == source if is_exact else lines[number].key.startswith(source))
            and wanted in lines[number].text
            and lines[number].at_ms > since
            and not (hidden and lines[number].level == "LOG_LEVEL_INFO")
        ]
        most = int(asked.get("maxLines") or 1000)
        page = matching[-most:] if asked.get("tail") else matching[:most]
        entries = [
            {
                "timestamp": {"epochMs": str(lines[number].at_ms)},
                "source": "stderr",
                "data": lines[number].text,
                "attemptId": 0,
                "level": lines[number].level,
            }
            | ({} if is_exact else {"key": lines[number].key})
            for number in page
        ]
        cursor = str(page[-1] + 1 if page else after)
        return ({"entries": entries} if entries else {}) | {"cursor": cursor}

    def _on_ProfileTask(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        job = asked["target"].partition(":")[0].rpartition("/")[0]
        run = self._run(job, "Task")
        if self.cluster.state(run, job) != "RUNNING":
            return {"profileData": "", "error": "attempt no longer running"}
        text = self._dump(run, job)
        return {"profileData": base64.b64encode(text.encode()).decode()}

    def _on_TerminateJob(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        if not self.cluster.stop(asked["jobId"]):
            raise ConnectError(*_NOT_FOUND, f"Job {asked['jobId']} not found")
        return {}

    def _on_LaunchJob(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        name = str(asked["name"])
        job = name if name.startswith("/") else f"/ada/{name}"
        if not re.fullmatch(r"/[^/]+/[^/]+", job):
            raise ConnectError(500, "internal", f"'{name}' is not a job name")
        existing = self.cluster.runs.get(job)
        if existing is not None and not self.cluster.is_over(existing):
            raise ConnectError(409, "already_exists", f"Job {job} already exists")
        self.launched.append(job)
        self.cluster.launch(job, self.script.relaunched(), asked)
        return {"jobId": job}

    def _on_ListWorkers(self, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: N802, ARG002
        return {"workers": [{"workerId": "sim-worker-0", "healthy": True}], "totalCount": 1, "hasMore": False}

    def _run(self, job: str, what: str) -> Run:
        run = self.cluster.run_of(job)
        if run is None:
            raise ConnectError(*_NOT_FOUND, f"{what} {job} not found")
        return run

    def _dump(self, run: Run, job: str) -> str:
        if job == run.workers:
            return dumps.blocked_worker()
        ended = run.script.work_ends_s()
        is_zombie = run.script.ends == "zombie" and ended is not None and self.cluster.elapsed_s(run) >= ended
        return dumps.zombie() if is_zombie and job == run.coordinator else dumps.running()

    def _job(self, run: Run, job: str) -> dict[str, Any]:
        state, count = self.cluster.state(run, job), self._size(run, job)
        task_state = state.lower()
        job_view: dict[str, Any] = {
            "jobId": job,
            "state": f"JOB_STATE_{state}",
            "exitCode": 0,  # as on real clusters: a job's own says nothing
            "error": self._error(run, state),
            "failureCount": 1 if state == "FAILED" else 0,
            "preemptionCount": 0,
            "name": job,
            "submittedAt": {"epochMs": str(run.submitted_ms)},
            "taskStateCounts": {task_state: count},
            "taskCount": count,
            "completedCount": 0 if state in ("RUNNING", "PENDING") else count,
            "pendingReason": run.script.pending_reason if state == "PENDING" else "",
            "hasChildren": job in (run.job, run.coordinator) and len(self.cluster.jobs_of(run)) > 1,
        }
        if state != "PENDING":
            job_view["startedAt"] = {"epochMs": str(run.submitted_ms)}
        if state not in ("RUNNING", "PENDING"):
            job_view["finishedAt"] = {"epochMs": str(self.cluster.ended_ms(run) or self.cluster.now_ms())}
        return job_view

    def _tasks(self, run: Run, job: str) -> list[dict[str, Any]]:
        state = self.cluster.state(run, job)
        code = run.script.exit_code if state == "FAILED" else 0
        text = self._error(run, state)
        times: dict[str, Any] = (
            {"startedAt": {"epochMs": str(run.submitted_ms)}} if state != "PENDING" else {}
        )
        attempt = {
            "attemptId": 0, "workerId": "sim-worker-0", "state": f"TASK_STATE_{state}", "exitCode": code,
            "error": text, "isWorkerFailure": False,
        } | times  # fmt: skip
        started = state != "PENDING"
        return [
            {
                "taskId": f"{job}/{number}",
                "state": f"TASK_STATE_{state}",
                "workerId": "sim-worker-0" if started else "",
                "exitCode": code,
                "error": text,
                "currentAttemptId": 0 if started else -1,
            }
            | times
            | ({"attempts": [attempt]} if started else {})
            for number in range(self._size(run, job))
        ]

    def _size(self, run: Run, job: str) -> int:
        return run.script.workers if job == run.workers and run.script.is_pipeline else 1

    def _error(self, run: Run, state: str) -> str:
        if state == "KILLED":
            return "Terminated by user"
        return run.script.error if state == "FAILED" else ""
