"""The launch protocol on Ray, against a dashboard that answers as a real one did."""

import asyncio
import io
import sys
import types
import zipfile
from contextlib import asynccontextmanager
from functools import partial

import pytest

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.submission.ray_launcher import RayLauncher
from babysitter.errors import NoSuchJob, SubmissionRefused, UserError
from babysitter.launch import (
    Entrypoint,
    EnvironmentConfig,
    JobAlreadyExists,
    JobFailed,
    JobRequest,
    JobStatus,
    LocalClient,
    RayClient,
    ResourceConfig,
    current_client,
)
from babysitter.launch.clients.current_client import ray_dashboard
from babysitter.launch.ray_request import ray_request_of
from babysitter.model.ids import JobId
from tests.support.cluster import HandClock
from tests.support.ray_dashboard import RayDashboard, recorded, served


@asynccontextmanager
async def clients(folder):
    (folder / "train.py").write_text("print(1)\n")
    async with served(RayDashboard()) as dashboard:
        client = RayClient(dashboard.url, workspace=folder)
        try:
            yield dashboard, client
        finally:
            await asyncio.to_thread(client.shutdown)


def request(name="train", **settings):
    return JobRequest(name, Entrypoint.from_command("python", "train.py"), **settings)


async def submitted(client, *given, **more):
    return await asyncio.to_thread(partial(client.submit, *given, **more))


async def test_a_job_is_submitted_with_its_folder_once(tmp_path):
    async with clients(tmp_path) as (dashboard, client):
        dashboard.cut_off = "after"
        job = await submitted(client, request(resources=ResourceConfig.with_gpu("H100", 2, ram="8g")))
        assert job.job_id == "train"
        (sent,) = dashboard.posted
        assert (sent["entrypoint"], sent["entrypoint_num_gpus"]) == ("python train.py", 2)
        assert sent["entrypoint_memory"] == 8 * 2**30
        assert sent["entrypoint_resources"] == {"accelerator_type:H100": 0.001}
        ((name, package),) = dashboard.packages.items()
        assert sent["runtime_env"]["working_dir"] == f"gcs://{name}"
        assert zipfile.ZipFile(io.BytesIO(package)).namelist() == ["train.py"]
        assert await asyncio.to_thread(job.status) is JobStatus.RUNNING
        assert (await submitted(client, request())).job_id == "train"  # adopted
        with pytest.raises(JobAlreadyExists):
            await submitted(client, request(), adopt_existing=False)
        await asyncio.to_thread(job.terminate)
        with pytest.raises(JobFailed):
            await asyncio.to_thread(job.wait)
        assert (await submitted(client, request())).job_id == "train-2"
        assert len(dashboard.posted) == 2


async def test_a_function_travels_with_the_folder(tmp_path):
    async with clients(tmp_path) as (dashboard, client):
        await submitted(client, JobRequest("call", Entrypoint.from_callable(print, ["hello"])))
        assert dashboard.posted[0]["entrypoint"] == "python -u _callable_runner.py"
        (package,) = dashboard.packages.values()
        archive = zipfile.ZipFile(io.BytesIO(package))
        assert set(archive.namelist()) == {"train.py", "_callable.pkl", "_callable_runner.py"}
        assert b"import ray.cloudpickle as cloudpickle" in archive.read("_callable_runner.py")


async def test_a_refusal_and_an_unknown_job_are_said(tmp_path):
    async with clients(tmp_path) as (dashboard, client):
        dashboard.failing["/api/jobs/"] = (400, b"Traceback\nTypeError: unexpected keyword argument 'x'\n")
        with pytest.raises(SubmissionRefused, match="unexpected keyword"):
            await submitted(client, request())
        dashboard.failing.clear()
        job = await submitted(client, request())
        dashboard.jobs.clear()
        with pytest.raises(NoSuchJob):
            await asyncio.to_thread(job.status)
        assert await asyncio.to_thread(job.logs, 0) == ()


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"replicas": 2}, "one entrypoint"),
        ({"max_retries_failure": 1}, "not tried again"),
        ({"resources": ResourceConfig.with_cpu(regions=["here"])}, "regions"),
        ({"environment": EnvironmentConfig(docker_image="x")}, "image"),
        ({"environment": EnvironmentConfig(extras=["gpu"])}, "extras"),
    ],
)
def test_what_ray_cannot_do_is_refused(settings, match):
    with pytest.raises(UserError, match=match):
        ray_request_of(request(**settings))


def test_variables_and_packages_go_into_the_runtime_environment():
    environment = EnvironmentConfig(env_vars={"RUN": "7"}, pip_packages=["einops"])
    body = ray_request_of(request(environment=environment)).body
    assert body["runtime_env"] == {"env_vars": {"JAX_PLATFORMS": "cpu", "RUN": "7"}, "pip": ["einops"]}
    tpu = ray_request_of(
        request(resources=ResourceConfig(device=ResourceConfig.with_tpu("v5litepod-4").device))
    )
    assert tpu.body["entrypoint_resources"] == {"TPU": 4}


def ray_module(dashboard_url="10.0.0.1:8265", *, is_initialised=True):
    """What a process that uses Ray has imported, as far as it is looked at."""
    worker = types.SimpleNamespace(get_dashboard_url=lambda: dashboard_url)
    private = types.SimpleNamespace(worker=worker)
    return types.SimpleNamespace(is_initialized=lambda: is_initialised, _private=private)


def test_the_client_of_a_process_that_uses_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", ray_module())
    assert ray_dashboard({}) == "http://10.0.0.1:8265"
    assert ray_dashboard({"RAY_API_SERVER_ADDRESS": "http://head:9"}) == "http://head:9"
    client = current_client({})
    assert isinstance(client, RayClient)
    client.shutdown()
    monkeypatch.setitem(sys.modules, "ray", ray_module(""))
    with pytest.raises(UserError, match="RAY_API_SERVER_ADDRESS"):
        current_client({})
    monkeypatch.setitem(sys.modules, "ray", ray_module(is_initialised=False))
    assert isinstance(current_client({}), LocalClient)


async def test_a_pending_job_is_waited_for_before_it_is_stopped():
    dashboard = RayDashboard(jobs={"train": recorded("jobs/02-get-pending")["body"]})
    async with served(dashboard):
        launcher = RayLauncher(RayHttpClient(dashboard.url), clock=HandClock())
        with pytest.raises(SubmissionRefused, match="pending"):
            await launcher.stop(JobId("train"))
        assert len(dashboard.asked) >= 20
        assert dashboard.acted == []
        await launcher.close()
