"""What the dashboard tells of one Ray cluster, request by request; what never changes is remembered."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from babysitter.backends.ray.dashboard import ray_answers
from babysitter.backends.ray.dashboard.gpu_use import of_summary
from babysitter.backends.ray.dashboard.http_client import Query, RayAnswer, RayTransport
from babysitter.backends.ray.dashboard.placement_groups import PlacementGroup
from babysitter.backends.ray.log_files.log_text import worker_file
from babysitter.errors import ExternalError, InvalidResponse, NoSuchJob, Unreachable
from babysitter.model.device_use import DeviceUse
from babysitter.model.ids import JobId

T = TypeVar("T")
MAX_ROWS = 2000
PENDING = "PENDING_CREATION"
PROBE_LIMIT_S = 3.0


class RayVersion(msgspec.Struct, frozen=True):
    """`session_name` changes at each start of the head: then every job of before is forgotten."""

    ray_version: str = "unknown"
    session_name: str = ""


class _Raylet(msgspec.Struct, frozen=True, rename="camel"):
    node_id: str = ""
    dashboard_agent_listen_port: int = 0


class _NodeSummary(msgspec.Struct, frozen=True):
    ip: str = ""
    gpus: list[Any] | None = None
    raylet: _Raylet = _Raylet()


class _Summaries(msgspec.Struct, frozen=True):
    summary: list[_NodeSummary] = []


class _SummaryAnswer(msgspec.Struct, frozen=True):
    data: _Summaries


class _LogNames(msgspec.Struct, frozen=True):
    result: dict[str, list[str]] = {}


class _LogList(msgspec.Struct, frozen=True):
    data: _LogNames


class RayClusterView:
    """Questions to the dashboard. Every method raises ExternalError when the cluster cannot be seen."""

    def __init__(self, line: RayTransport) -> None:
        self._line = line
        self._addresses: dict[str, str] = {}  # node id -> IP; a node that comes back has a new id
        self._agents: dict[str, str] = {}
        self._have_gpus: set[str] = set()  # nodes that joined with GPUs
        self._version: RayVersion | None = None

    async def version(self) -> RayVersion:
        """Remembered; `session_changed` asks again."""
        if self._version is None:
            self._version = await self.fresh_version()
        return self._version

    async def fresh_version(self) -> RayVersion:
        """As of now."""
        return await self._ask("/api/version", kind=RayVersion)

    async def session_changed(self) -> bool:
        """Whether the head was started again since it was first asked."""
        before, self._version = self._version, await self.fresh_version()
        return before is not None and before.session_name != self._version.session_name

    async def job(self, job: JobId) -> ray_answers.RayJob | None:
        """The job, or None when Ray says that it does not exist."""
        if "/" in job:
            return None
        try:
            answer = await self._line.get(f"/api/jobs/{job}")
        except Unreachable as fault:
            raise await self._explained(fault) from fault
        if answer.status == 404 and "does not exist" in answer.text:
            return None
        return self._read(answer, f"/api/jobs/{job}", ray_answers.RayJob)

    async def jobs(self) -> list[ray_answers.RayJob]:
        """All submissions, and drivers that nobody submitted."""
        return await self._ask("/api/jobs/", kind=list[ray_answers.RayJob])

    async def actors(self, job_hex: str) -> list[ray_answers.RayActor]:
        """The actors of a job, dead ones too."""
        # A filter that lacks one of its three parts is ignored by Ray, without an error.
        query = [("filter_keys", "job_id"), ("filter_predicates", "="), ("filter_values", job_hex)]
        found = await self._rows("/api/v0/actors", ray_answers.RayActor, query)
        return [actor for actor in found if actor.job_id == job_hex]

    async def pending_actors(self) -> list[ray_answers.RayActor]:
        """Actors of all jobs that wait for a place."""
        query = [("filter_keys", "state"), ("filter_predicates", "="), ("filter_values", PENDING)]
        found = await self._rows("/api/v0/actors", ray_answers.RayActor, query)
        return [actor for actor in found if actor.state == PENDING]

    async def placement_groups(self) -> list[PlacementGroup]:
        return await self._rows("/api/v0/placement_groups", PlacementGroup)

    async def nodes(self) -> list[ray_answers.RayNode]:
        """All nodes, dead ones too."""
        found = await self._rows("/api/v0/nodes", ray_answers.RayNode)
        self._addresses |= {node.node_id: node.node_ip for node in found}
        self._have_gpus |= {node.node_id for node in found if node.resources_total.get("GPU")}
        return found

    async def addresses(self, *, of: frozenset[str]) -> Mapping[str, str]:
        """Node id -> IP address. Asked again while one of these ids is not known."""
        if not of <= self._addresses.keys():
            await self.nodes()
        return self._addresses

    async def agents(self, *, of: frozenset[str]) -> Mapping[str, str]:
        """Node id -> address of its agent, "" where it is not known."""
        if not of <= self._agents.keys():
            for node in await self._summaries():
                port = node.raylet.dashboard_agent_listen_port
                if node.raylet.node_id:
                    self._agents[node.raylet.node_id] = f"http://{node.ip}:{port}" if port else ""
            for unknown in of - self._agents.keys():
                self._agents[unknown] = ""
        return self._agents

    async def gpus(self, *, of: frozenset[str]) -> Mapping[str, tuple[DeviceUse, ...]]:
        """Node id -> what its GPUs do. Asked only where one of these nodes is known to have GPUs."""
        if not of & self._have_gpus:
            return {}
        summaries = await self._summaries()
        return {
            node_summary.raylet.node_id: of_summary(node_summary.gpus or ()) for node_summary in summaries
        }

    async def worker_files(self, node_id: str, job_hex: str) -> list[str]:
        """Names of the log files of workers that were started for a job; none for a node that is gone."""
        query = [("node_id", node_id), ("glob", f"worker-*-{job_hex}-*")]
        answer = await self._line.get("/api/v0/logs", query)
        if answer.status != 200:
            return []
        groups = self._read(answer, "/api/v0/logs", _LogList).data.result
        names = [name for group in groups.values() for name in group]
        return sorted(name for name in names if (found := worker_file(name)) and found.job_hex == job_hex)

    async def thread_dump(self, pid: str, ip: str, *, limit_s: float) -> RayAnswer:
        """py-spy's words, or the dashboard's refusal."""
        query = [("pid", pid), ("ip", ip), ("native", "0")]
        return await self._line.get("/worker/traceback", query, limit_s=limit_s)

    async def _summaries(self) -> list[_NodeSummary]:
        return (await self._ask("/nodes", [("view", "summary")], kind=_SummaryAnswer)).data.summary

    async def _rows(self, path: str, kind: type[T], query: Query = ()) -> list[T]:
        answer = await self._line.get(path, [("detail", "true"), ("limit", str(MAX_ROWS)), *query])
        self._raise_for(answer, path)
        try:
            return ray_answers.rows(answer.body, kind)
        except msgspec.DecodeError as fault:
            raise self._odd(path, fault) from fault

    async def _ask(self, path: str, query: Query = (), *, kind: type[T]) -> T:
        return self._read(await self._line.get(path, query), path, kind)

    def _read(self, answer: RayAnswer, path: str, kind: type[T]) -> T:
        self._raise_for(answer, path)
        try:
            return msgspec.json.decode(answer.body, type=kind, strict=False)
        except msgspec.DecodeError as fault:
            raise self._odd(path, fault) from fault

    def _raise_for(self, answer: RayAnswer, path: str) -> None:
        if answer.status == 200:
            return
        if answer.status == 404:
            raise InvalidResponse(
                f"The server at {self._line.place} does not know {path}.",
                next_step="Give the address of a Ray dashboard; its default port is 8265.",
            )
        raise InvalidResponse(
            f"Ray at {self._line.place} answered {path} with {answer.status}: {answer.last_line}.",
            next_step="Its head may be sick; run `ray status` there. The job itself may run on.",
        )

    def _odd(self, path: str, fault: msgspec.DecodeError) -> InvalidResponse:
        return InvalidResponse(
            f"The answer of {self._line.place} to {path} cannot be read: {fault}.",
            next_step="Give the address of a Ray dashboard, of Ray 2.49 or newer.",
        )

    async def _explained(self, fault: Unreachable) -> ExternalError:
        """The same error; it says so where the dashboard answers but its GCS does not."""
        try:
            health = await self._line.get("/api/gcs_healthz", limit_s=PROBE_LIMIT_S)
        except ExternalError:
            return fault
        if health.status == 200:
            return fault
        return Unreachable(
            f"The dashboard at {self._line.place} answers, but Ray's control service (GCS) does not.",
            next_step="Check gcs_server.out on the head node; it ends the whole cluster after a minute.",
        )


def unknown_job(job: JobId, place: str, *, is_restarted: bool) -> NoSuchJob:
    if is_restarted:
        return NoSuchJob(
            f"Ray at {place} was started again and has forgotten the job {job}.",
            next_step="What it did after that start is not known; look at its output, then submit it again.",
        )
    return NoSuchJob(
        f"Ray at {place} does not know the job {job}.",
        next_step="Check the id with `ray job list`; if it is of another cluster, name that one with --ray.",
    )
