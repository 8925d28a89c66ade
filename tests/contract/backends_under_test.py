"""The worlds that eyes and hands are held to their contracts in: every backend and every generation.

A world holds the jobs of tests/support/small_iris.py, or recorded ones of the same shape. A new backend adds
a factory to `READERS` (and to `WRITERS` when it acts).
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from babysitter.backends.backend import ClusterReader, ClusterWriter
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.recording.format import TimeScale, read_recording
from babysitter.backends.recording.player import RecordedReader
from babysitter.backends.registry import folder_run, open_cluster, ray_spec, read_command
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Attempt, Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import LogLine
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.sim.iris.controller import Simulator
from tests.support.clock import NOON, FakeClock
from tests.support.cluster import SmallCluster
from tests.support.controller import ScriptedController, controller
from tests.support.fork_server import command_line
from tests.support.ray_dashboard import HANG, hanging, served
from tests.support.recordings import FIXTURES
from tests.support.session_folder import session_in
from tests.support.small_iris import COORDINATOR, NEIGHBOURS, ROOT, WORKERS, Small

_ROOT, _COORDINATOR, _WORKERS = JobId(ROOT), JobId(COORDINATOR), JobId(WORKERS)
_NEW = JobId("/ada/sweep-r1")
_NEIGHBOURS = tuple(JobId(neighbour) for neighbour in NEIGHBOURS)
SWEEP = Path(__file__).parents[1] / "support" / "sweep.yaml"
BUILT_ON = "2026-11-20"
IRIS_SETS = frozenset({"name", "failIfExists", "existingJobPolicy", "fail_if_exists", "existing_job_policy"})
RAY_COMMAND = "ray job submit --entrypoint-num-cpus 1 -- python x.py"


async def _is_up(_job: JobId) -> None:
    return


@dataclass
class BackendUnderTest:
    """`behind`: the server that answers as a test says, where it is one.

    `states` and `asked` look past the client: the state of every job, and how often a call was made.
    """

    reader: ClusterReader
    writer: ClusterWriter | None = None
    root: JobId = _ROOT
    coordinator: JobId = _COORDINATOR
    workers: JobId = _WORKERS
    neighbours: tuple[JobId, ...] = _NEIGHBOURS
    progress: str = "complete, "  # in the coordinator's own lines
    url: str = ""
    command: tuple[str, ...] = field(default_factory=lambda: command_line("crippled"))
    behind: ScriptedController | None = None
    states: Callable[[], dict[str, str]] = dict
    asked: Callable[[str], int] = len
    new: JobId = _NEW
    given: Submission | None = None  # a person's command, named; None = the one of `again`
    set_by_us: frozenset[str] = frozenset()  # fields of a request that every launch sets
    until_up: Callable[[JobId], Awaitable[None]] = _is_up  # a real cluster takes a moment to start a job
    breaks: Callable[[str], None] = len  # from now on acts are answered with 503 and this code

    @property
    def again(self) -> Submission:
        """The command that starts `new`."""
        if self.given is not None:
            return self.given
        command = f"--controller-url {self.url} job run --user ada --job-name sweep -- python x.py"
        return Submission((*self.command, *command.split()), SubmissionOrigin.STORED, job=self.new)


MakeWorld = Callable[[], AbstractAsyncContextManager[BackendUnderTest]]


def iris(generation: str, transport: str) -> MakeWorld:
    @asynccontextmanager
    async def world() -> AsyncIterator[BackendUnderTest]:
        state = Small(generation)
        async with controller(state.answers()) as server:
            spec = ClusterSpec(
                "small",
                url=server.url,
                transport=transport,
                iris_command=command_line("crippled"),
                client_revision_date=BUILT_ON,
            )
            # Everything around the eyes is there too, as in the product; only the clock is the test's.
            cluster = open_cluster(spec, clock=FakeClock())
            try:
                yield BackendUnderTest(
                    cluster.reader,
                    cluster.writer,
                    url=server.url,
                    behind=server,
                    states=lambda: dict(state.states),
                    asked=lambda method: len(server.bodies(method)),
                    set_by_us=IRIS_SETS,
                    breaks=_answers_503(server),
                )
            finally:
                await cluster.close()

    return world


def simulated(generation: str, transport: str) -> MakeWorld:
    """The simulator behind the client: what passes here may stand for a real cluster elsewhere."""

    @asynccontextmanager
    async def world() -> AsyncIterator[BackendUnderTest]:
        clock = FakeClock()
        async with Simulator(str(SWEEP), clock.now, generation=generation) as simulator:
            clock.advance(60)
            command = command_line("simulated-iris", "--as", generation)
            spec = ClusterSpec(
                "sim",
                url=simulator.url,
                transport=transport,
                iris_command=command,
                client_revision_date=BUILT_ON,
            )
            cluster = open_cluster(spec, clock=clock)
            workers, coordinator, root = simulator.cluster.subtree(ROOT)
            try:
                yield BackendUnderTest(
                    cluster.reader,
                    cluster.writer,
                    JobId(root.id),
                    JobId(coordinator.id),
                    JobId(workers.id),
                    url=simulator.url,
                    command=command,
                    states=lambda: {
                        job.id: job.state.upper() for job in simulator.cluster.jobs.values() if job.tasks
                    },
                    asked=lambda method: [request for request, _ in simulator.requests].count(method),
                    set_by_us=IRIS_SETS,
                )
            finally:
                await cluster.close()

    return world


@asynccontextmanager
async def memory() -> AsyncIterator[BackendUnderTest]:
    """The cluster in memory that other tests use: it may be trusted there because it passes here."""
    cluster, state = SmallCluster(), Small("may")
    jobs = [
        Job(JobId(part), JobState.RUNNING, submitted_at=NOON, task_count=1) for part in (ROOT, COORDINATOR)
    ]
    jobs.append(Job(JobId(WORKERS), JobState.RUNNING, submitted_at=NOON, task_count=2))
    cluster.show(JobTree(jobs[0], tuple(jobs[1:])))
    cluster.jobs |= {JobId(neighbour): replace(jobs[0], id=JobId(neighbour)) for neighbour in NEIGHBOURS}
    for job in jobs:
        running = TaskState.RUNNING
        cluster.tasks_of[job.id] = tuple(
            Task(TaskId(f"{job.id}/{index}"), running, current_attempt=0, attempts=(Attempt(0, running),))
            for index in range(job.task_count)
        )
    cluster.log = [
        LogLine(text, at_ms=number, task=TaskId(key.rpartition(":")[0]), attempt=0)
        for number, (key, text) in enumerate(state.log, start=1)
    ]
    cluster.texts[TaskId(f"{COORDINATOR}/0")] = "Process 7: python\n"
    yield BackendUnderTest(cluster)


def recorded(era: str, hash_: str) -> MakeWorld:
    @asynccontextmanager
    async def world() -> AsyncIterator[BackendUnderTest]:
        recording = read_recording(FIXTURES / era / "07-zephyr-healthy")
        reader = RecordedReader(recording, TimeScale(0.0, 1.0))
        for step in recording.steps:
            reader.show(step)
        coordinator = f"{recording.root}/zephyr-wordcount-{hash_}-p0-a0"
        workers = f"{coordinator}/zephyr-wordcount-{hash_}-p0-workers-a0"
        yield BackendUnderTest(
            reader, None, recording.root, JobId(coordinator), JobId(workers), neighbours=()
        )

    return world


def _answers_503(server: ScriptedController) -> Callable[[str], None]:
    messages = {"unavailable": "error sending request", "deadline_exceeded": "Request timed out"}

    def breaks(code: str) -> None:
        said = {"code": code, "message": messages.get(code, "something broke")}
        server.calls["LaunchJob"] = server.calls["TerminateJob"] = (503, said)

    return breaks


@asynccontextmanager
async def ray_acting() -> AsyncIterator[BackendUnderTest]:
    """A job that runs on Ray, and others with ids like it."""
    async with served(hanging()) as dashboard:
        running = dashboard.jobs[HANG]
        dashboard.jobs = {name: {**running, "submission_id": name} for name in (HANG, "hang-10", "hang-11")}
        spec, _ = ray_spec(dashboard.url)
        cluster = open_cluster(spec, clock=FakeClock())
        root, new = JobId(HANG), JobId("hang-1-r1")
        given = read_command(spec, Submission(tuple(RAY_COMMAND.split()), SubmissionOrigin.RESUBMIT_FLAG))
        called = {"LaunchJob": "/api/jobs/", "TerminateJob": f"/api/jobs/{root}/stop"}
        paths = dashboard.acted

        def breaks(code: str) -> None:
            dashboard.failing_acts = (503, code.encode())

        states = {"STOPPED": "KILLED"}
        try:
            yield BackendUnderTest(
                cluster.reader,
                cluster.writer,
                root,
                root,
                root,
                neighbours=(JobId("hang-10"), JobId("hang-11")),
                url=dashboard.url,
                states=lambda: {
                    name: states.get(job["status"], job["status"]) for name, job in dashboard.jobs.items()
                },
                asked=lambda method: paths.count(called[method]),
                new=new,
                given=replace(given, job=new),
                set_by_us=frozenset({"babysit_record"}),
                breaks=breaks,
            )
        finally:
            await cluster.close()


@asynccontextmanager
async def ray() -> AsyncIterator[BackendUnderTest]:
    """A recorded job of Ray: it has no children, so it stands for each of the three."""
    async with served(hanging()) as dashboard:
        spec, _ = ray_spec(dashboard.url)
        cluster = open_cluster(spec)
        root, neighbours = JobId(HANG), (JobId("hang-10"),)
        try:
            yield BackendUnderTest(
                cluster.reader, None, root, root, root, neighbours=neighbours, progress="deadlock"
            )
        finally:
            await cluster.close()


@asynccontextmanager
async def session() -> AsyncIterator[BackendUnderTest]:
    """A run known by its session folder: a driver that prints, and two workers."""
    with TemporaryDirectory() as folder:
        found = session_in(Path(folder))
        found.write("raylet.out", "up\n", now=NOON)
        for pid in (7, 8):
            found.worker("SglEngine", pid, "")
        log = found.root / "train_20261120_110005.log"
        log.write_text("".join(f"{number}/20 complete, 3 in-flight\n" for number in range(20)))
        os.utime(log, (NOON.timestamp(),) * 2)
        spec, root = folder_run([found.root], log, environ={}, must_run=False)
        cluster = open_cluster(spec, clock=FakeClock())
        try:
            yield BackendUnderTest(cluster.reader, None, root, root, root, neighbours=())
        finally:
            await cluster.close()


READERS: dict[str, MakeWorld] = {
    f"iris-{generation}-{transport}": iris(generation, transport)
    for generation in ("april", "may", "august")
    for transport in ("rpc", "cli")
} | {
    "sim-april-rpc": simulated("april", "rpc"),
    "sim-may-rpc": simulated("may", "rpc"),
    "sim-august-rpc": simulated("august", "rpc"),
    "ray": ray,
    "ray-session": session,
    "memory": memory,
    "recording-april": recorded("iris-2026-04", "499f8124"),
    "recording-may": recorded("iris-2026-05", "468b736c"),
}

SCRIPTED: dict[str, MakeWorld] = {name: make for name, make in READERS.items() if name.startswith("iris")}
SCRIPTED["ray"] = ray_acting
WRITERS: dict[str, MakeWorld] = SCRIPTED | {
    f"sim-{generation}-{transport}": simulated(generation, transport)
    for generation in ("april", "may", "august")
    for transport in ("rpc", "cli")
}

if os.environ.get("BABYSIT_LIVE_RAY"):  # set by `make drills`
    from tests.drills.live_ray import live_eyes, live_hands

    READERS["ray-live"] = live_eyes
    WRITERS["ray-live"] = SCRIPTED["ray-live"] = live_hands
