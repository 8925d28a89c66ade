"""Reading a Ray cluster through its dashboard and agents: what is asked, and what its failures become."""

import json
from dataclasses import replace

import pytest

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.registry import open_cluster, parse_job_id, ray_spec, spec_from_options, unknown_job
from babysitter.diagnosis.timeline.tree_memory import waits_for_machines
from babysitter.errors import (
    BadConfig,
    ExternalError,
    InvalidResponse,
    NoSuchJob,
    NotAuthorised,
    SubmissionRefused,
    Unreachable,
    UserError,
)
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import TaskState
from babysitter.model.log import Cursor, LogSource
from tests.support.clock import NOON, FakeClock
from tests.support.ray_dashboard import (
    HANG,
    RANKS,
    RayDashboard,
    hanging,
    recorded_bytes,
    served,
    worker_log,
)

ROOT = JobId(HANG)
DRIVER_LOG = f"job-driver-{HANG}.log"


@pytest.fixture
async def dashboard():
    async with served(hanging()) as running:
        yield running


@pytest.fixture
async def reader(dashboard):
    async with reading(dashboard) as opened:
        yield opened


def reading(dashboard, token="", clock=None):
    return Opened(RayReader(RayHttpClient(dashboard.url, token=token), clock=clock or FakeClock(NOON)))


class Opened:
    def __init__(self, reader):
        self.reader = reader

    async def __aenter__(self):
        return self.reader

    async def __aexit__(self, *_):
        await self.reader.close()


async def texts(reader, source=None, after=None, at_most=100, **more):
    batch = await reader.lines(source or LogSource(ROOT), after=after, at_most=at_most, **more)
    return [line.text for line in batch.lines], batch.cursor


async def test_tasks_are_the_driver_and_the_actors(reader):
    tree = await reader.tree(ROOT, tasks_of=[ROOT])
    driver, *actors = tree.root.tasks
    assert driver.id == f"{HANG}/0"
    assert [task.id for task in actors] == [f"{HANG}/Rank-75dab0f8", f"{HANG}/Rank-fb145199"]
    assert {task.worker for task in actors} == {"10.0.0.1"}
    assert "pid 18392" in actors[0].status_text
    assert tree.root.task_states == {TaskState.RUNNING: 3}


async def test_a_job_can_be_named_by_its_job_id(dashboard, reader):
    dashboard.jobs["04000000"] = dashboard.jobs[HANG]
    tree = await reader.tree(JobId("04000000"), tasks_of=[JobId("04000000")])
    assert tree.root.id == "04000000"
    assert tree.root.tasks[0].id == "04000000/0"


async def test_actors_of_other_jobs_never_count(dashboard, reader):
    dashboard.failing["/api/v0/actors"] = (
        200,
        recorded_bytes("actors/02-list-detail-of-the-job"),  # as Ray answers a filter that it ignores
    )
    assert (await reader.tree(ROOT)).root.task_count == 1


async def test_a_look_costs_two_requests(dashboard, reader):
    await reader.tree(ROOT)
    before = len(dashboard.asked)
    await reader.tree(ROOT)
    assert [path for path, _ in dashboard.asked[before:]] == [f"/api/jobs/{HANG}", "/api/v0/actors"]


async def test_a_waiting_placement_group_is_told(dashboard, reader):
    groups = [
        {
            "placement_group_id": "55048cb1",
            "name": "unified_pg",
            "creator_job_id": "04000000",
            "state": "PENDING",
            "bundles": [{"unit_resources": {"GPU": 8.0}, "node_id": ""}],
            "stats": {"scheduling_state": "INFEASIBLE"},
        }
    ]
    told = "placement group 'unified_pg' is PENDING (INFEASIBLE), needs 8 GPU"
    assert (await reader.tree(ROOT)).root.pending_reason == "", "not asked: its actors have their places"
    dashboard.groups, actors = groups, dashboard.actors
    assert (await reader.tree(ROOT, tasks_of=(ROOT,))).root.pending_reason == told
    tree = await reader.tree(ROOT)
    assert tree.root.pending_reason == told, "asked for as long as it waits"
    assert waits_for_machines(tree) == tree.root, "though its driver and a controller run"
    dashboard.groups, dashboard.actors = [], []
    assert (await reader.tree(ROOT)).root.pending_reason == ""
    dashboard.groups = groups
    assert (await reader.tree(ROOT)).root.pending_reason == told
    dashboard.groups, dashboard.actors = [], actors
    assert waits_for_machines(await reader.tree(ROOT)) is None


async def test_head_restart_is_not_a_deleted_job(dashboard, reader):
    await reader.tree(ROOT)
    dashboard.jobs.clear()
    with pytest.raises(NoSuchJob, match="does not know"):
        await reader.tree(ROOT)
    dashboard.session = "session_2"
    with pytest.raises(NoSuchJob, match="started again"):
        await reader.tree(ROOT)


async def test_an_unknown_route_is_not_an_unknown_job(reader, dashboard):
    dashboard.failing[f"/api/jobs/{HANG}"] = (404, b"404: Not Found")
    with pytest.raises(InvalidResponse):
        await reader.find(ROOT)


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b"Server got itself in trouble"), (200, b"<html>login</html>"), (200, b'{"type": 3}')],
)
async def test_a_sick_dashboard_is_blindness(dashboard, reader, status, body):
    dashboard.failing[f"/api/jobs/{HANG}"] = (status, body)
    with pytest.raises(ExternalError):
        await reader.tree(ROOT)


async def test_nobody_there_is_blindness():
    async with Opened(RayReader(RayHttpClient("http://127.0.0.1:1"))) as reader:
        with pytest.raises(Unreachable, match="connection refused"):
            await reader.find(ROOT)


async def test_tokens():
    async with served(hanging(token="made-up-token")) as dashboard:
        async with reading(dashboard) as reader:
            with pytest.raises(NotAuthorised, match="wants a token"):
                await reader.find(ROOT)
        async with reading(dashboard, token="another") as reader:
            with pytest.raises(NotAuthorised, match="does not accept"):
                await reader.find(ROOT)
        async with reading(dashboard, token="made-up-token") as reader:
            assert await reader.find(ROOT) is not None


async def test_the_token_is_masked_in_every_answer():
    async with served(hanging(token="made-up-token")) as dashboard:
        dashboard.files[DRIVER_LOG] += b"sent made-up-token there\nend\n"
        async with reading(dashboard, token="made-up-token") as reader:
            lines, cursor = await texts(reader)
            assert "sent ************* there" in lines
            dashboard.files[DRIVER_LOG] += b"next\n"
            assert (await texts(reader, after=cursor))[0] == ["next"]  # offsets stayed true


async def test_lines_are_read_once_by_offset(dashboard, reader):
    lines, cursor = await texts(reader)
    assert lines[-1].endswith("(spin pid=25048)\x1b[0m spinning")
    assert lines.count("rank 0 entering barrier") == 1
    assert "waiting:  50%" in lines
    assert not any(line.startswith(":") for line in lines)
    before = dashboard.served_bytes
    dashboard.files[worker_log(RANKS[0], "out")] += b"rank 0 left\nhal"
    assert (await texts(reader, after=cursor))[0] == ["rank 0 left"]
    assert dashboard.served_bytes - before == len(b"rank 0 left\nhal")


async def test_the_drivers_copy_of_a_worker_line_is_dropped(dashboard, reader):
    copied = f"\x1b[36m(Rank pid={RANKS[0]})\x1b[0m rank 0 entering barrier\n(raylet) of nobody\n"
    dashboard.files[DRIVER_LOG] += copied.encode()
    lines, _ = await texts(reader)
    assert "(raylet) of nobody" in lines
    assert not any(f"pid={RANKS[0]}" in line for line in lines)


async def test_workers_that_were_started_ahead(dashboard, reader):
    dashboard.files[worker_log(RANKS[0], "out", job="ffffffff")] = b"from the start\n"
    dashboard.files[worker_log(999, "out", job="ffffffff")] = b"of another job\n"
    lines, _ = await texts(reader)
    assert "from the start" in lines
    assert "of another job" not in lines


async def test_file_of_an_actor_behind_the_look_is_its(dashboard, reader):
    """Else the lines of one process are those of two tasks."""
    actors, dashboard.actors = dashboard.actors, []
    await reader.tree(ROOT)
    dashboard.actors = actors
    dashboard.files[worker_log(999, "out")] = b"of a process without an actor\n"
    tasks = {line.task for line in (await reader.lines(LogSource(ROOT), after=None, at_most=100)).lines}
    assert f"{ROOT}/worker-999" in tasks
    assert not {f"{ROOT}/worker-{pid}" for pid in RANKS} & tasks
    before = len(dashboard.asked)
    await reader.lines(LogSource(ROOT), after=None, at_most=100)
    assert "/api/v0/actors" not in [path for path, _ in dashboard.asked[before:]], "asked once for each file"


async def test_a_large_log_costs_only_its_end(dashboard, reader):
    dashboard.files[DRIVER_LOG] = b"x" * 99 + b"\n"
    dashboard.files[DRIVER_LOG] *= 40_000
    lines, cursor = await texts(reader, at_most=300, newest=True)
    assert len(lines) == 300
    assert dashboard.served_bytes < 300_000
    before = dashboard.served_bytes
    assert (await texts(reader, after=cursor))[0] == []
    assert dashboard.served_bytes == before


async def test_a_file_that_shrank_is_read_from_its_beginning(dashboard, reader):
    _, cursor = await texts(reader)
    dashboard.files[DRIVER_LOG] = b"again\n"
    batch = await reader.lines(LogSource(ROOT), after=cursor, at_most=100)
    assert batch.is_full
    assert (await texts(reader, after=batch.cursor))[0] == ["again"]


async def test_without_agents_the_dashboard_gives_the_lines():
    async with served(hanging(has_agent=False)) as dashboard, reading(dashboard) as reader:
        lines, cursor = await texts(reader)
        assert lines.count("rank 0 entering barrier") == 1
        dashboard.files[worker_log(RANKS[0], "out")] += b"rank 0 left\n"
        lines, cursor = await texts(reader, after=cursor)
        assert lines == ["rank 0 left"]
        assert (await texts(reader, after=cursor))[0] == []


async def test_files_of_a_lost_node_hide_no_others():
    """Else nothing is read of the driver, whose log says that the node is gone."""
    lost = {worker_log(RANKS[1], stream) for stream in ("out", "err")}
    async with (
        served(hanging(has_agent=False, on_lost_nodes=lost)) as dashboard,
        reading(dashboard) as reader,
    ):
        batch = await reader.lines(LogSource(ROOT), after=None, at_most=100)
        newest = await reader.lines(LogSource(ROOT), after=None, at_most=100, newest=True)
        dashboard.on_lost_nodes = {DRIVER_LOG}
        with pytest.raises(ExternalError, match="cannot be read from Ray"):
            await reader.lines(LogSource(ROOT), after=None, at_most=100)
    for lines in (batch.lines, newest.lines):
        assert "rank 0 entering barrier" in [line.text for line in lines]
        assert any(line.task == f"{ROOT}/0" for line in lines)


async def test_a_foreign_cursor_reads_nothing_twice(reader):
    lines, cursor = await texts(reader, after=Cursor("12345"))
    assert lines == []
    assert cursor == "{}"


async def test_worker_files_are_listed_now_and_then(dashboard):
    clock = FakeClock(NOON)

    def listed():
        return [path for path, _ in dashboard.asked].count("/api/v0/logs")

    async with reading(dashboard, clock=clock) as reader:
        await reader.tree(ROOT)
        await texts(reader)
        first = listed()
        await texts(reader)
        assert listed() == first
        clock.advance(1200.0)
        await texts(reader)
        assert listed() > first


@pytest.mark.parametrize(
    ("name", "words"),
    [("dump/10-worker-ip", "profiling is off"), ("dump-enabled/12-worker-foreign-pid", "no right")],
)
async def test_a_refused_dump_is_not_possible(dashboard, reader, name, words):
    dashboard.dump = (403 if "enabled" not in name else 500, recorded_bytes(name))
    with pytest.raises(SubmissionRefused, match=f"possible: .*{words}"):
        await reader.dump(TaskId(f"{HANG}/0"))


async def test_a_dump_asks_for_the_process_of_its_task(dashboard, reader):
    await reader.dump(TaskId(f"{HANG}/Rank-75dab0f8"))
    assert dashboard.asked[-1] == ("/worker/traceback", {"pid": "18392", "ip": "10.0.0.1", "native": "0"})
    with pytest.raises(SubmissionRefused, match="no running process"):
        await reader.dump(TaskId(f"{HANG}/Rank-00000000"))


def test_job_ids_are_parsed_by_the_backend():
    spec, _ = ray_spec("ray://head")
    assert (spec.name, spec.url) == ("head:8265", "http://head:8265")
    assert parse_job_id(spec, "my-run.1") == "my-run.1"
    with pytest.raises(UserError, match="ray job list"):
        parse_job_id(spec, "/ada/train")
    assert "ray job list" in unknown_job(spec, ROOT).next_step
    iris = spec_from_options(cluster="marin")
    assert parse_job_id(iris, "/ada/train") == "/ada/train"
    with pytest.raises(UserError):
        parse_job_id(iris, "my-run.1")


def test_a_ray_cluster_needs_its_address():
    with pytest.raises(BadConfig, match="dashboard"):
        open_cluster(replace(spec_from_options(cluster="torch"), backend="ray"))


async def test_control_service_gone_is_named():
    dashboard = RayDashboard(gcs=503)
    async with served(dashboard) as running:
        client = HangingJobs(running.url)
        async with Opened(RayReader(client)) as reader:
            with pytest.raises(Unreachable, match="GCS"):
                await reader.find(ROOT)


class HangingJobs(RayHttpClient):
    """Job routes that hang, as they do while the control service is dead."""

    async def get(self, path, query=(), **more):
        if path.startswith("/api/jobs"):
            raise Unreachable("did not answer")
        return await super().get(path, query, **more)


async def test_a_quiet_look_reads_the_workers_files_in_turn(dashboard):
    """On one node at most six requests a minute; what the driver's log repeats is never told twice."""
    clock = FakeClock(NOON)
    async with reading(dashboard, clock=clock) as reader:
        await reader.tree(ROOT)
        _, cursor = await texts(reader)
        clock.advance(60)
        quiet = {"may_wait_s": 5.0}
        first, second = RANKS
        dashboard.files[DRIVER_LOG] += f"(Rank pid={first}) one\n(Rank pid={second}) two\n".encode()
        dashboard.files[worker_log(first, "out")] += b"one\nonly here\n"
        dashboard.files[worker_log(second, "out")] += b"two\n"
        found = []
        for _ in range(2 * len(RANKS) + 1):
            before = len(dashboard.asked)
            new, cursor = await texts(reader, after=cursor, **quiet)
            found += new
            assert [path for path, _ in dashboard.asked[before:]].count(f"/logs/{DRIVER_LOG}") == 1
            assert len(dashboard.asked) - before <= 2
            clock.advance(60)
        new, cursor = await texts(reader, after=cursor)  # a look that wants everything
        told = sorted(line.rpartition(") ")[2] for line in [*found, *new])
        assert told == ["one", "only here", "two"]
        assert "?" + str(first) not in (cursor or "")


async def test_a_quiet_minute_costs_six_requests(dashboard):
    """As the service asks: a tree and a log every minute, states and a log between them."""
    clock = FakeClock(NOON)
    actors = [{**dashboard.actors[0], "actor_id": f"{n}" * 32, "pid": 100 + n} for n in range(8)]
    dashboard.actors = actors
    for actor in actors:
        for stream in ("out", "err"):
            dashboard.files[worker_log(actor["pid"], stream)] = b":job_id:04000000\nstep=1\n"
    cluster = open_cluster(ray_spec(dashboard.url)[0], clock=clock)
    reader = cluster.reader
    await reader.tree(ROOT, max_age_s=600.0)
    cursor = (await reader.lines(LogSource(ROOT), after=None, at_most=10_000)).cursor
    clock.advance(60)
    asked, lines = len(dashboard.asked), dashboard.served_bytes
    minutes = 10
    for _ in range(2 * minutes):
        await reader.tree(ROOT, max_age_s=600.0)
        batch = await reader.lines(LogSource(ROOT), after=cursor, at_most=500, may_wait_s=4.0)
        cursor = batch.cursor
        clock.advance(30)
    await cluster.close()
    assert (len(dashboard.asked) - asked) / minutes <= 6
    assert dashboard.served_bytes == lines
    assert dashboard.sent_bytes / minutes <= 10_000


async def test_workers_beside_the_driver_are_read_from_its_agent(dashboard):
    dashboard.lists_ports = False
    async with reading(dashboard) as reader:
        await texts(reader)
    assert "/api/v0/logs/file" not in [path for path, _ in dashboard.asked]


def on_gpus(dashboard):
    """The node joined with two GPUs; the actor of rank 0 holds memory of the first one."""
    nodes = json.loads(recorded_bytes("state/06-nodes-detail"))
    nodes["data"]["result"]["result"][0]["resources_total"]["GPU"] = 2.0
    dashboard.failing["/api/v0/nodes"] = (200, json.dumps(nodes).encode())
    used = {"name": "x", "uuid": "x", "memoryTotal": 81920}
    process = {"pid": RANKS[0], "gpuMemoryUsage": 73000, "gpuUtilization": None}
    dashboard.gpus = [
        {
            **used,
            "index": 0,
            "utilizationGpu": 0,
            "memoryUsed": 73000,
            "processesPids": [process],
        },
        {**used, "index": 1, "utilizationGpu": None, "memoryUsed": 100, "processesPids": []},
    ]


async def test_gpus_of_a_process_are_those_it_uses(dashboard, reader):
    on_gpus(dashboard)
    tasks = (await reader.tree(ROOT, tasks_of=[ROOT])).root.tasks
    found = {
        task.status_text[-5:]: [device.text for device in task.devices] for task in tasks if task.devices
    }
    assert found == {str(RANKS[0]): ["GPU 0: 0 % busy, 71.3 of 80 GB"]}
    (machine,) = await reader.workers()
    assert machine.status.endswith("2 GPU, GPU 0: 0 % busy, 71.3 of 80 GB, GPU 1: 0.1 of 80 GB")


async def test_gpus_that_cannot_be_asked_hide_no_task(dashboard, reader):
    on_gpus(dashboard)
    dashboard.failing["/nodes"] = (500, b"x")
    tasks = (await reader.tree(ROOT, tasks_of=[ROOT])).root.tasks
    assert len(tasks) == 3


async def test_nodes_without_gpus_are_not_asked_for_them(dashboard, reader):
    await reader.tree(ROOT, tasks_of=[ROOT])
    assert "/nodes" not in {path for path, _ in dashboard.asked}
