from unittest.mock import patch

import pytest

from babysitter.launch import (
    CpuConfig,
    Entrypoint,
    FakeClient,
    JobAlreadyExists,
    JobFailed,
    JobRequest,
    JobStatus,
    ResourceConfig,
    TpuConfig,
    set_current_client,
    wait_all,
)
from tests.launch import training_script
from tests.launch.training_script import TrainConfig, run_levanter_train_lm

REQUEST = JobRequest("train", Entrypoint.from_command("true"))


def test_training_design_example_tpu():
    fake = FakeClient()
    with patch.object(training_script, "_get_client", lambda: fake):
        run_levanter_train_lm(
            TrainConfig(ResourceConfig.with_tpu("v5litepod-16", slice_count=2), run_id="run-7")
        )
    (request,) = fake.requests
    assert request.resources.device.kind == "tpu"
    assert isinstance(request.resources.device, TpuConfig)
    assert request.resources.device.variant == "v5litepod-16"
    assert request.replicas == 8
    assert request.environment.env_vars["RUN_ID"] == "run-7"
    assert request.environment.env_vars["WANDB_PROJECT"] == "tiny"


def test_training_design_example_cpu():
    fake = FakeClient()
    with set_current_client(fake):
        run_levanter_train_lm(TrainConfig(ResourceConfig.with_cpu(), run_id="run-8"))
    assert fake.requests[0].resources.device == CpuConfig()
    assert fake.requests[0].replicas == 1
    assert fake.requests[0].entrypoint.callable_entrypoint.callable is training_script.main


def test_fake_job_succeeds():
    job = FakeClient(lines=["a", "b", "c"]).submit(REQUEST)
    assert job.wait(timeout=0) is JobStatus.SUCCEEDED
    assert job.status() is JobStatus.SUCCEEDED
    assert list(job.logs(max_lines=2)) == ["b", "c"]
    assert not job.logs(max_lines=0)
    job.terminate()
    assert job.was_terminated


def test_fake_job_fails_where_asked_to():
    job = FakeClient(status=JobStatus.FAILED).submit(REQUEST)
    with pytest.raises(JobFailed, match="/fake/train ended as failed"):
        job.wait()
    assert job.wait(raise_on_failure=False) is JobStatus.FAILED


def test_fake_client_adopts_by_name():
    client = FakeClient()
    first = client.submit(REQUEST)
    assert client.submit(REQUEST) is first
    with pytest.raises(JobAlreadyExists) as refused:
        client.submit(REQUEST, adopt_existing=False)
    assert refused.value.handle is first
    assert len(client.requests) == 2


def test_wait_all_names_the_failed_job():
    good, bad = FakeClient().submit(REQUEST), FakeClient(status=JobStatus.STOPPED).submit(REQUEST)
    assert wait_all([]) == []
    assert wait_all([good, bad], raise_on_failure=False) == [JobStatus.SUCCEEDED, JobStatus.STOPPED]
    with pytest.raises(JobFailed, match="stopped"):
        wait_all([good, bad])
