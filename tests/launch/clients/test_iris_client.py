import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.submission.new_job import ExistingJobPolicy
from babysitter.errors import NoSuchJob, SubmissionRefused, UserError
from babysitter.launch import (
    Entrypoint,
    EnvironmentConfig,
    IrisClient,
    JobAlreadyExists,
    JobFailed,
    JobRequest,
    JobStatus,
    LocalClient,
    ResourceConfig,
    current_client,
    set_current_client,
)
from babysitter.launch.clients.iris_client import ParentJob, new_job_of, parent_job
from babysitter.sim.iris.controller import Simulator
from tests.support.clock import FakeClock

SWEEP = Path(__file__).parents[2] / "support" / "sweep.yaml"
GENERATIONS = ("april", "may", "august")
BUILT_ON = "2026-11-20"


@asynccontextmanager
async def simulated(generation: str, folder: Path) -> AsyncIterator[tuple[Simulator, IrisClient, FakeClock]]:
    clock = FakeClock()
    (folder / "train.py").write_text("print(1)\n")
    async with Simulator(str(SWEEP), clock.now, generation=generation) as simulator:
        client = IrisClient.remote(simulator.url, workspace=folder, client_revision_date=BUILT_ON)
        try:
            yield simulator, client, clock
        finally:
            await asyncio.to_thread(client.shutdown)


def request(name: str = "train", **settings: object) -> JobRequest:
    environment = EnvironmentConfig.create(docker_image="ghcr.io/x", env_vars={"RUN_ID": "7"})
    settings = {"environment": environment, **settings}
    return JobRequest(name, Entrypoint.from_command("python", "train.py"), **settings)


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_iris_client_submits_and_waits(generation, tmp_path):
    async with simulated(generation, tmp_path) as (simulator, client, clock):
        job = await asyncio.to_thread(client.submit, request(max_retries_failure=2))
        assert job.job_id.endswith("/train")
        stored = simulator.cluster.jobs[job.job_id].request
        assert stored["entrypoint"]["runCommand"]["argv"] == ["python", "train.py"]
        assert stored["environment"]["envVars"]["RUN_ID"] == "7"
        assert stored["environment"]["envVars"]["JAX_PLATFORMS"] == "cpu"
        assert stored["maxRetriesFailure"] == 2
        assert stored["maxRetriesPreemption"] == 100
        assert await asyncio.to_thread(job.status) in (JobStatus.PENDING, JobStatus.RUNNING)
        await asyncio.to_thread(job.terminate)
        clock.advance(60)
        assert await asyncio.to_thread(job.wait, 30.0, raise_on_failure=False) is JobStatus.STOPPED
        with pytest.raises(JobFailed, match="ended as stopped: Terminated by user"):
            await asyncio.to_thread(job.wait, 30.0)


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_iris_client_adopts_a_running_job(generation, tmp_path):
    async with simulated(generation, tmp_path) as (simulator, client, _):
        first = await asyncio.to_thread(client.submit, request())
        count = len(simulator.cluster.jobs)
        again = await asyncio.to_thread(client.submit, request())
        assert again.job_id == first.job_id
        assert len(simulator.cluster.jobs) == count
        with pytest.raises(JobAlreadyExists) as refused:
            await asyncio.to_thread(client.submit, request(), adopt_existing=False)
        assert refused.value.handle.job_id == first.job_id


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_iris_client_logs_of_a_job(generation, tmp_path):
    async with simulated(generation, tmp_path) as (_, client, clock):
        job = await asyncio.to_thread(client.submit, request())
        clock.advance(600)
        lines = await asyncio.to_thread(job.logs, 3)
        assert len(lines) <= 3
        assert not await asyncio.to_thread(job.logs, 0)


async def test_iris_client_passes_refusals_on(tmp_path):
    async with simulated("may", tmp_path) as (_, client, _):
        resources = ResourceConfig.with_tpu("v4-8")
        with pytest.raises(SubmissionRefused, match="no scaling group provides device tpu:v4-8"):
            await asyncio.to_thread(client.submit, request(resources=resources))


async def test_iris_client_needs_a_client_date(tmp_path):
    async with simulated("may", tmp_path) as (simulator, _, _):
        spec = ClusterSpec("x", url=simulator.url, iris_command=(sys.executable, "-c", ""))
        undated = IrisClient(spec, workspace=tmp_path)
        with pytest.raises(UserError, match="client_revision_date"):
            await asyncio.to_thread(undated.submit, request())
        await asyncio.to_thread(undated.shutdown)


async def test_iris_client_sends_functions(tmp_path):
    pytest.importorskip("cloudpickle")
    async with simulated("may", tmp_path) as (simulator, client, _):
        call = JobRequest(
            "call", Entrypoint.from_callable(print, args=["hi"]), environment=request().environment
        )
        job = await asyncio.to_thread(client.submit, call)
        entrypoint = simulator.cluster.jobs[job.job_id].request["entrypoint"]
        assert set(entrypoint["workdirFiles"]) == {"_callable.pkl", "_callable_runner.py"}
        assert entrypoint["runCommand"]["argv"][-1].endswith("$IRIS_WORKDIR/_callable_runner.py")


async def test_iris_client_ships_the_folder(tmp_path):
    async with simulated("may", tmp_path) as (simulator, client, _):
        job = await asyncio.to_thread(client.submit, request(environment=None))
        bundle = simulator.cluster.jobs[job.job_id].request["bundleId"]
        assert len(bundle) == 64


async def test_iris_handle_of_a_job_that_is_gone(tmp_path):
    async with simulated("may", tmp_path) as (simulator, client, _):
        job = await asyncio.to_thread(client.submit, request())
        del simulator.cluster.jobs[job.job_id]
        with pytest.raises(NoSuchJob):
            await asyncio.to_thread(job.status)


TASK = {
    "IRIS_TASK_ID": "/ada/train/0:2",
    "IRIS_CONTROLLER_ADDRESS": "127.0.0.1:10000",
    "IRIS_BUNDLE_ID": "b" * 64,
    "IRIS_JOB_ENV": '{"RUN_ID": "7", "A": "parent"}',
    "IRIS_JOB_EXTRAS": '["tpu"]',
    "IRIS_JOB_CONSTRAINTS": '[{"key": "zone", "value": {"string_value": "us-east5-b"}}]',
    "IRIS_WORKER_REGION": "us-east5",
}


def test_parent_job_of_a_task():
    parent = parent_job(TASK)
    assert parent.job_id == "/ada/train"
    assert parent.controller_url == "http://127.0.0.1:10000"
    assert parent.variables == {"RUN_ID": "7", "A": "parent"}
    assert [constraint["key"] for constraint in parent.constraints] == ["zone", "region"]


def test_parent_job_outside_of_one():
    assert parent_job({}) is None
    assert parent_job({"IRIS_TASK_ID": "/ada/train/0"}) is None


@pytest.mark.parametrize(
    "odd",
    [{"IRIS_TASK_ID": "train"}, {"IRIS_JOB_ENV": "{"}, {"IRIS_JOB_ENV": "[1]"}, {"IRIS_JOB_EXTRAS": "7"}],
)
def test_parent_job_that_cannot_be_read(odd):
    with pytest.raises(UserError, match="IRIS_"):
        parent_job({**TASK, **odd})


def test_children_inherit_and_win():
    environment = EnvironmentConfig.create(docker_image="x", env_vars={"A": "own"})
    job = new_job_of(request(environment=environment), ExistingJobPolicy.REFUSE, parent=parent_job(TASK))
    assert job.job_id == "/ada/train/train"
    assert (job.variables["RUN_ID"], job.variables["A"]) == ("7", "own")
    assert job.extras == ("tpu",)


def test_current_client_inside_a_task():
    client = current_client(TASK)
    assert isinstance(client, IrisClient)
    assert client._parent == ParentJob(
        **{field: getattr(parent_job(TASK), field) for field in ParentJob.__slots__}
    )
    client.shutdown()


def test_current_client_is_local_elsewhere():
    assert isinstance(current_client({}), LocalClient)
    chosen = LocalClient()
    with set_current_client(chosen):
        assert current_client(TASK) is chosen
