from datetime import UTC, datetime
from pathlib import Path

import pytest

from babysitter.errors import UserError
from babysitter.launch.submit_options import SubmitOptions, job_of, on_chosen_accelerator

AT = datetime(2026, 11, 22, 6, 0, tzinfo=UTC)
COMMAND = ("python", "train.py")
CLUSTER = """\
name: tiny
platform: {gcp: {project_id: made-up}}
controller: {manual: {host: 127.0.0.1}}
scale_groups:
  tpu_v5e_16:
    num_vms: 4
    resources: {device_type: tpu, device_variant: v5litepod-16, device_count: 4}
    worker: {attributes: {region: us-east5, zone: us-east5-b}}
  tpu_v4_8:
    num_vms: 1
    resources: {device_type: tpu, device_variant: v4-8, device_count: 4}
    worker: {attributes: {region: us-central2, zone: us-central2-b}}
  gpu_h100:
    num_vms: 1
    resources: {device_type: gpu, device_variant: H100, device_count: 8}
  cpus:
    resources: {device_type: cpu}
"""


def job(**options):
    return job_of(SubmitOptions(COMMAND, **options), now=AT, token="1a2b")


def chosen(folder: Path, **options):
    (folder / "tiny.yaml").write_text(CLUSTER)
    options = SubmitOptions(COMMAND, **options)
    return on_chosen_accelerator(job_of(options, now=AT, token="1a2b"), options, folder / "tiny.yaml")


def test_job_of_plain_command():
    assert job().name == "babysit-train-20261122-060000-1a2b"
    assert job(job_name="tiny").name == "tiny"


def test_job_of_lists():
    found = job(tpu=("v6e-4,v5litepod-4",), ports=("http,grpc", "actor"), region=("a", "b"))
    assert found.tpus == ("v6e-4", "v5litepod-4")
    assert found.ports == ("http", "grpc", "actor")
    assert found.regions == ("a", "b")
    assert job(constraints=("pool=large", "k = v")).constraints == (("pool", "large"), ("k", "v"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"job_name": "a/b"}, "--job-name 'a/b'"),
        ({"replicas": 0}, "--replicas is at least 1"),
        ({"replicas": -1}, "--replicas is at least 1"),
        ({"max_retries": -1}, "--max-retries is at least 0"),
        ({"timeout_s": -5}, "--timeout is at least 0"),
        ({"scheduling_timeout_s": -5}, "--coscheduling-timeout"),
        ({"cpu": -1.0}, "--cpu is at least 0"),
        ({"cpu": float("nan")}, "--cpu is a number up to"),
        ({"cpu": float("inf")}, "--cpu is a number up to"),
        ({"timeout_s": 10**20}, "--timeout is a number up to"),
        ({"constraints": ("pool",)}, "--constraint pool is not KEY=VALUE"),
        ({"constraints": ("=x",)}, "--constraint =x"),
        ({"ports": ("8080",)}, "--ports 8080"),
        ({"ports": ("http", "http")}, "names a port twice"),
    ],
)
def test_job_of_refuses(options, words):
    with pytest.raises(UserError) as refused:
        job(**options)
    assert words in str(refused.value)


def test_job_of_names_every_fault_at_once():
    with pytest.raises(UserError) as refused:
        job(job_name="a/b", max_retries=-1, ports=("1",))
    assert all(word in str(refused.value) for word in ("--job-name", "--max-retries", "--ports"))


def test_job_of_no_command():
    with pytest.raises(UserError, match="Which command"):
        job_of(SubmitOptions(()), now=AT, token="")


def test_scale_group_stands_for_its_accelerator(tmp_path):
    found, sentence = chosen(tmp_path, scale_group="tpu_v5e_16")
    assert found.tpus == ("v5litepod-16",)
    assert sentence == "--scale-group tpu_v5e_16 stands for --tpu v5litepod-16."
    assert chosen(tmp_path, scale_group="gpu_h100")[0].gpu == "H100x8"
    cpus = chosen(tmp_path, scale_group="cpus")[0]
    assert (cpus.tpus, cpus.gpu) == ((), "")


def test_scale_group_of_an_older_file(tmp_path):
    file = tmp_path / "old.yaml"
    file.write_text(
        "scale_groups:\n  tpu_v5e_16:\n    accelerator_type: tpu\n    accelerator_variant: v5litepod-16\n"
    )
    options = SubmitOptions(COMMAND, scale_group="tpu_v5e_16")
    assert on_chosen_accelerator(job(), options, file)[0].tpus == ("v5litepod-16",)


def test_scale_group_unknown_names_the_nearest(tmp_path):
    with pytest.raises(UserError, match=r"tpu_v5e_16"):
        chosen(tmp_path, scale_group="tpu_v5e_8")


@pytest.mark.parametrize(
    ("options", "tpu"),
    [({}, "v4-8"), ({"region": ("us-east5",)}, "v5litepod-16"), ({"zone": "us-central2-b"}, "v4-8")],
)
def test_auto_chooses_the_smallest_slice(tmp_path, options, tpu):
    found, sentence = chosen(tmp_path, auto=True, **options)
    assert found.tpus == (tpu,)
    assert tpu in sentence


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"auto": True, "tpu": ("v4-8",)}, "--auto and --tpu exclude"),
        ({"scale_group": "cpus", "gpu": "8"}, "--scale-group and --gpu exclude"),
        ({"auto": True, "scale_group": "cpus"}, "exclude each other"),
        ({"auto": True, "region": ("mars",)}, "offers no TPUs in mars"),
    ],
)
def test_accelerator_choice_refused(tmp_path, options, words):
    with pytest.raises(UserError, match=words):
        chosen(tmp_path, **options)


def test_accelerator_choice_needs_a_file():
    options = SubmitOptions(COMMAND, auto=True)
    with pytest.raises(UserError, match="--config"):
        on_chosen_accelerator(job(), options, None)
