"""A small Ray dashboard and agent on loopback, which answers from the recordings in fixtures/ray-2.60.0."""

import copy
import fnmatch
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.support.recordings import FIXTURES

HANG = "hang-1"
RANKS = (18391, 18392)  # pids of its two actors
WORKER = "59e8b6beb775a5bfda842d220aa0917e94fadcf09e83c5924c4e68ad"
MODIFIED = "Sun, 22 Nov 2026 01:28:01 GMT"


def recorded(name: str, version: str = "2.60.0") -> dict[str, Any]:
    """One recorded request with its answer: hang/01-job."""
    answer: dict[str, Any] = json.loads((FIXTURES / f"ray-{version}" / f"{name}.json").read_text())
    return answer


def recorded_bytes(name: str, version: str = "2.60.0") -> bytes:
    """The body of a recorded answer."""
    answer = recorded(name, version)
    return json.dumps(answer["body"]).encode() if "body" in answer else answer["body_text"].encode()


def worker_log(pid: int, stream: str, job: str = "04000000") -> str:
    return f"worker-{WORKER}-{job}-{pid}.{stream}"


def hang_files() -> dict[str, bytes]:
    """The logs of the job that hangs; worker files begin with the markers that Ray writes."""
    head = b":job_id:04000000\n:actor_name:Rank\n"
    driver: str = recorded("hang/02-logs")["body"]["logs"]
    files = {f"job-driver-{HANG}.log": driver.encode()}
    for rank, pid in enumerate(RANKS):
        files[worker_log(pid, "out")] = head + f"rank {rank} entering barrier\n".encode()
        files[worker_log(pid, "err")] = head + b"\rwaiting:   0%\rwaiting:  50%\nWARNING slow\n"
    return files


@dataclass
class RayDashboard:
    """What the cluster holds. `token`: wanted from every request where it is set. `asked`: path and query."""

    jobs: dict[str, Any] = field(default_factory=dict)
    actors: list[Any] = field(default_factory=list)
    groups: list[Any] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    gpus: list[Any] = field(default_factory=list)  # of each node, in the shape that the dashboard sends
    session: str = "session_1"
    on_lost_nodes: set[str] = field(default_factory=set)  # files that nobody can read any more
    modified: str = MODIFIED
    token: str = ""
    has_agent: bool = True
    lists_ports: bool = True  # of the agents; Ray 2.49 does not
    gcs: int = 200
    dump: tuple[int, bytes] = (200, b"")
    dumps: dict[str, str] = field(default_factory=dict)  # by pid, before `dump`
    failing: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    url: str = ""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    served_bytes: int = 0  # of logs
    sent_bytes: int = 0  # of everything else
    packages: dict[str, bytes] = field(default_factory=dict)
    posted: list[dict[str, Any]] = field(default_factory=list)
    acted: list[str] = field(default_factory=list)  # paths of POST and PUT
    failing_acts: tuple[int, bytes] | None = None
    appears: tuple[str, dict[str, Any]] | None = None  # a job, at the moment of the next submission
    cut_off: str = ""  # "before" or "after": when the next submission loses its connection

    async def answer(self, request: web.Request) -> web.StreamResponse:
        answer = await self._answered(request)
        is_log = request.path.startswith(("/logs/", "/api/v0/logs/file"))
        if isinstance(answer, web.Response) and isinstance(answer.body, bytes) and not is_log:
            self.sent_bytes += len(answer.body)
        return answer

    async def _answered(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.path, dict(request.query)))
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            is_missing = "authorization" not in request.headers
            name = "auth/01-notoken_api_version" if is_missing else "auth/02-bad"
            return web.Response(status=401 if is_missing else 403, body=recorded_bytes(name))
        if request.path in self.failing:
            status, body = self.failing[request.path]
            return web.Response(status=status, body=body)
        if request.path.startswith("/logs/") and self.has_agent:
            return self._static(request)
        if request.method != "GET":
            self.acted.append(request.path)
            if self.failing_acts is not None:
                return web.Response(status=self.failing_acts[0], body=self.failing_acts[1])
        if request.path.startswith("/api/packages/gcs/"):
            return await self._package(request)
        if request.method == "POST" and request.path == "/api/jobs/":
            return await self._submit(request)
        if request.method == "POST" and request.path.endswith("/stop"):
            return self._stop(request.path.split("/")[3])
        return self._answer(request)

    def _answer(self, request: web.Request) -> web.Response:
        path, query = request.path, request.query
        if path == "/api/version":
            return web.json_response({"ray_version": "2.60.0", "session_name": self.session})
        if path == "/api/gcs_healthz":
            return web.Response(status=self.gcs, text="success")
        if path == "/api/jobs/":
            return web.json_response([self._job(name) for name in self.jobs])
        if path.startswith("/api/jobs/"):
            name = path.rpartition("/")[2]
            if name not in self.jobs:
                return web.Response(status=404, text=f"Job {name} does not exist")
            return web.json_response(self._job(name))
        if path == "/api/v0/actors":
            wanted = query.get("filter_values")
            return _rows([actor for actor in self.actors if wanted in (None, actor["job_id"])])
        if path == "/api/v0/placement_groups":
            return _rows(self.groups)
        if path == "/api/v0/nodes":
            return web.Response(body=recorded_bytes("state/06-nodes-detail"))
        if path == "/nodes":
            return web.json_response(self._summary())
        if path == "/worker/traceback" and query["pid"] in self.dumps:
            return web.Response(text=self.dumps[query["pid"]])
        if path == "/worker/traceback":
            return web.Response(status=self.dump[0], body=self.dump[1])
        if path == "/api/v0/logs":
            names = fnmatch.filter(self.files, query["glob"])
            return web.json_response({"result": True, "data": {"result": {"worker_out": names}}})
        if path == "/api/v0/logs/file":
            return self._last_lines(query["filename"], int(query["lines"]))
        return web.Response(status=404, text="404: Not Found")

    async def _package(self, request: web.Request) -> web.Response:
        name = request.path.rpartition("/")[2]
        if request.method == "PUT":
            self.packages[name] = await request.read()
        if name not in self.packages:
            return web.Response(status=404, text=f"Package gcs://{name} does not exist")
        return web.Response()

    async def _submit(self, request: web.Request) -> web.Response:
        assert not request.headers["user-agent"].startswith("Mozilla")
        body = await request.json()
        name = body["submission_id"]
        connection, cut_off = request.transport, self.cut_off
        if cut_off:
            self.cut_off = ""
            assert connection is not None
        if cut_off == "before" and connection:
            connection.close()
            return web.Response()
        self.posted.append(body)
        if self.appears is not None:
            self.jobs |= [self.appears]
            self.appears = None
        if name in self.jobs:
            text = recorded("jobs/06-submit-existing-id-ended")["body_text"].replace("ok-1", name)
            return web.Response(status=500, text=text)
        running = copy.deepcopy(recorded("hang/01-job")["body"])
        told = {key: body.get(key) for key in ("submission_id", "entrypoint", "metadata", "runtime_env")}
        self.jobs[name] = {**running, **told, "start_time": running["start_time"] + len(self.posted)}
        if cut_off and connection:
            connection.close()
        return web.json_response({"job_id": name, "submission_id": name})

    def _stop(self, name: str) -> web.Response:
        if name not in self.jobs:
            return web.Response(status=404, text=f"Job {name} does not exist")
        job = self.jobs[name]
        was_running = job["status"] == "RUNNING"
        if was_running:
            self.jobs[name] = {**job, "status": "STOPPED", "end_time": job["start_time"] + 1}
        return web.json_response({"stopped": was_running or job["status"] == "PENDING"})

    def _job(self, name: str) -> Any:
        job = copy.deepcopy(self.jobs[name])
        if job["driver_agent_http_address"]:
            job["driver_agent_http_address"] = self.url if self.has_agent else "http://127.0.0.1:1"
        return job

    def _summary(self) -> Any:
        answer = recorded("state/13-nodes-summary")["body"]
        for node in answer["data"]["summary"]:
            node["ip"] = "127.0.0.1"
            node["gpus"] = self.gpus
            port = int(self.url.rpartition(":")[2]) if self.has_agent else 1
            node["raylet"]["dashboardAgentListenPort"] = port if self.lists_ports else 0
        return answer

    def _last_lines(self, name: str, count: int) -> web.Response:
        if name in self.on_lost_nodes:
            return web.Response(status=500, text="Agent for node id: 51030a22 doesn't exist.")
        if name not in self.files:
            return web.Response(status=500, text=f"A file is not found at: RAY_TMP/logs/{name}")
        body = b"".join(self.files[name].splitlines(keepends=True)[-count:])
        self.served_bytes += len(body)
        return web.Response(body=body)

    def _static(self, request: web.Request) -> web.Response:
        content = self.files.get(request.path.rpartition("/")[2])
        if content is None:
            return web.Response(status=404)
        self.ranges.append(request.headers["range"])
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers["range"])
        assert found is not None
        begin = int(found[1]) if found[1] else max(0, len(content) - int(found[2]))
        if begin >= len(content):
            return web.Response(status=416, headers={"content-range": f"bytes */{len(content)}"})
        end = int(found[2]) + 1 if found[1] and found[2] else len(content)
        part = content[begin:end]
        self.served_bytes += len(part)
        place = f"bytes {begin}-{begin + len(part) - 1}/{len(content)}"
        headers = {"content-range": place, "last-modified": self.modified}
        return web.Response(status=206, body=part, headers=headers)


def hanging(**changes: Any) -> RayDashboard:
    """The recorded cluster with the job that hangs, and neighbours with ids like it."""
    job = recorded("hang/01-job")["body"]
    ended = recorded("jobs/05-get-succeeded")["body"]
    actors = recorded("hang/04-actors")["body"]["data"]["result"]["result"]
    actors += recorded("actors/02-list-detail-of-the-job")["body"]["data"]["result"]["result"]
    jobs = {HANG: job, "ok-1": ended, "hang-10": {**ended, "submission_id": "hang-10"}}
    dump = (200, recorded_bytes("dump-enabled/10-worker-ip"))
    return RayDashboard(**{"jobs": jobs, "actors": actors, "files": hang_files(), "dump": dump} | changes)


def crash_looping() -> RayDashboard:
    """A recorded job with an actor whose process ends itself, and is started again by Ray without end."""
    return _recorded_job("crash-loop")


def with_dead_actor() -> RayDashboard:
    """A recorded job that failed because the process of its actor ended itself."""
    return _recorded_job("actor-death")


def _recorded_job(folder: str) -> RayDashboard:
    job, actors = (recorded(f"{folder}/{name}")["body"] for name in ("01-job", "02-actors"))
    log = (FIXTURES / "ray-2.60.0" / folder / "job-driver.log").read_bytes()
    return RayDashboard(
        jobs={job["submission_id"]: job},
        actors=actors["data"]["result"]["result"],
        files={f"job-driver-{job['submission_id']}.log": log},
        packages={"_ray_pkg_f0922406c4daae9d.zip": b"zip"},
    )


@asynccontextmanager
async def served(dashboard: RayDashboard) -> AsyncIterator[RayDashboard]:
    """The dashboard on a free loopback port; it is its own agent."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", dashboard.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    dashboard.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    try:
        yield dashboard
    finally:
        await runner.cleanup()


def _rows(rows: list[Any]) -> web.Response:
    return web.json_response({"result": True, "msg": "", "data": {"result": {"result": rows}}})
