import pytest

from babysitter.launch import (
    CpuConfig,
    Entrypoint,
    EnvironmentConfig,
    GpuConfig,
    JobRequest,
    JobStatus,
    ResourceConfig,
    TpuConfig,
    create_environment,
)

PRINT = Entrypoint.from_command("python", "-c", "print(1)")


@pytest.mark.parametrize(
    ("tpu", "slices", "replicas"),
    [("v4-8", 1, 1), ("v5litepod-16", 1, 4), ("v5litepod-16", 2, 8), ("v6e-32", 1, 8), ("v5p-8", 3, 3)],
)
def test_replicas_default_from_resources(tpu, slices, replicas):
    resources = ResourceConfig.with_tpu(tpu, slice_count=slices)
    assert JobRequest("train", PRINT, resources).replicas == replicas


def test_replicas_of_the_request_win():
    resources = ResourceConfig.with_tpu("v4-8", slice_count=4)
    assert JobRequest("train", PRINT, resources, replicas=2).replicas == 2


def test_with_tpu_resources():
    resources = ResourceConfig.with_tpu("v5litepod-16", ram="64g", regions=["us-central2"])
    assert resources.device == TpuConfig("v5litepod-16")
    assert (resources.cpu, resources.ram, resources.disk) == (32, "64g", "50g")
    assert resources.device.chip_count() == 4


def test_with_tpu_alternatives():
    assert ResourceConfig.with_tpu(["v6e-4", "v5litepod-4"]).device_alternatives == ["v5litepod-4"]
    with pytest.raises(ValueError, match="same machines"):
        ResourceConfig.with_tpu(["v6e-4", "v6e-8"])


def test_with_tpu_unknown_type_names_its_family():
    with pytest.raises(ValueError, match=r"v6e-1, v6e-4"):
        ResourceConfig.with_tpu("v6e-5")
    with pytest.raises(ValueError, match="at least one"):
        ResourceConfig.with_tpu([])
    with pytest.raises(ValueError, match="at least 1"):
        ResourceConfig.with_tpu("v4-8", slice_count=0)


@pytest.mark.parametrize(
    ("device", "kind", "platforms"),
    [(CpuConfig(), "cpu", "cpu"), (TpuConfig("v4-8"), "tpu", ""), (GpuConfig("H100", count=8), "gpu", "")],
)
def test_device_variables(device, kind, platforms):
    assert device.kind == kind
    assert device.default_env_vars()["JAX_PLATFORMS"] == platforms


def test_environment_create_passes_tokens_through(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_TOKEN", "hf-made-up")
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    environment = EnvironmentConfig.create(env_vars={"RUN_ID": "7", "TOKENIZERS_PARALLELISM": "true"})
    assert environment.env_vars["HF_TOKEN"] == "hf-made-up"
    assert "WANDB_API_KEY" not in environment.env_vars
    assert environment.env_vars["RUN_ID"] == "7"
    assert environment.env_vars["TOKENIZERS_PARALLELISM"] == "true"
    assert environment.workspace == str(tmp_path)
    assert create_environment(docker_image="ghcr.io/x/y").workspace is None
    with pytest.raises(ValueError, match="not both"):
        EnvironmentConfig.create(workspace="x", docker_image="y")


@pytest.mark.parametrize("name", ["", "two words", "a/b", "a\tb"])
def test_request_refuses_names(name):
    with pytest.raises(ValueError, match="not a job name"):
        JobRequest(name, PRINT)


@pytest.mark.parametrize("field", ["replicas", "max_retries_failure", "max_retries_preemption"])
def test_request_refuses_negative_counts(field):
    with pytest.raises(ValueError, match=field):
        JobRequest("train", PRINT, **{field: -1})


def test_entrypoint_from_one_string_is_split():
    entry = Entrypoint.from_command("python train.py --name 'a b'")
    assert entry.binary_entrypoint.argv == ("python", "train.py", "--name", "a b")
    with pytest.raises(ValueError, match="empty"):
        Entrypoint.from_command("")
    with pytest.raises(ValueError, match="either"):
        Entrypoint()


def test_finished_states():
    assert [status for status in JobStatus if not JobStatus.finished(status)] == ["pending", "running"]
