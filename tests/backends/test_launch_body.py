import base64
import os
import zipfile
from dataclasses import replace
from io import BytesIO

import pytest

from babysitter.backends.iris.submission.launch_body import LaunchContext, launch_body
from babysitter.backends.iris.submission.new_job import ExistingJobPolicy, NewJob
from babysitter.backends.iris.submission.setup_commands import setup_commands
from babysitter.backends.iris.submission.workspace_zip import pack_workspace
from babysitter.errors import UserError

MAY = LaunchContext("may", client_date="2026-11-20", python_version="3.12")
JOB = NewJob(name="train", command=("python", "train.py"), user="ada")


def body(job: NewJob = JOB, context: LaunchContext = MAY, **changes: object) -> dict:
    return launch_body(replace(job, **changes), context)


def test_body_of_a_plain_job():
    assert body(variables={"A": "1"}) == {
        "name": "/ada/train",
        "entrypoint": {
            "setupCommands": list(
                setup_commands(extras=(), pip_packages=(), python_version="3.12", is_verbose=False)
            ),
            "runCommand": {"argv": ["python", "train.py"]},
        },
        "resources": {"cpuMillicores": 100, "memoryBytes": str(2**30), "diskBytes": str(5 * 2**30)},
        "environment": {"envVars": {"A": "1"}, "pythonVersion": "3.12"},
        "replicas": 1,
        "maxRetriesFailure": 0,
        "maxRetriesPreemption": 1000,
        "existingJobPolicy": "EXISTING_JOB_POLICY_ERROR",
        "constraints": [
            {
                "key": "preemptible",
                "op": "CONSTRAINT_OP_EQ",
                "value": {"stringValue": "false"},
                "mode": "CONSTRAINT_MODE_REQUIRED",
            }
        ],
        "clientRevisionDate": "2026-11-20",
    }


@pytest.mark.parametrize(
    ("generation", "millicores", "with_device"),
    [("april", 500, 32_000), ("may", 100, 32_000), ("august", 100, 4_000)],
)
def test_body_cpu_defaults(generation, millicores, with_device):
    context = LaunchContext(generation)
    assert body(context=context)["resources"]["cpuMillicores"] == millicores
    assert body(context=context, tpus=("v4-8",))["resources"]["cpuMillicores"] == with_device
    assert body(context=context, tpus=("v4-8",), cpu=64)["resources"]["cpuMillicores"] == 64_000


def test_body_april_has_no_client_date():
    assert "clientRevisionDate" not in body(context=LaunchContext("april", client_date="2026-11-20"))


@pytest.mark.parametrize(
    ("changes", "replicas", "group"),
    [
        ({"tpus": ("v4-8",)}, 1, None),
        ({"tpus": ("v5litepod-16",)}, 4, "tpu-name"),
        ({"tpus": ("v5litepod-16",), "replicas": 1}, 4, "tpu-name"),
        ({"tpus": ("v5litepod-16",), "replicas": 8}, 8, "tpu-name"),
        ({"gpu": "H100x8", "replicas": 2}, 2, "pool"),
        ({"gpu": "H100x8"}, 1, None),
        ({"replicas": 3}, 3, None),
    ],
)
def test_body_gangs(changes, replicas, group):
    found = body(**changes)
    assert found["replicas"] == replicas
    assert found.get("coscheduling") == ({"groupBy": group} if group else None)


@pytest.mark.parametrize(
    ("changes", "device"),
    [
        ({"tpus": ("v5litepod-16", "v6e-16")}, {"tpu": {"variant": "v5litepod-16", "count": 4}}),
        ({"tpus": ("v7-8",)}, {"tpu": {"variant": "v7-8", "count": 0}}),
        ({"gpu": "h100x8"}, {"gpu": {"variant": "H100", "count": 8}}),
        ({"gpu": "4"}, {"gpu": {"count": 4}}),
        ({"gpu": "L4"}, {"gpu": {"variant": "L4", "count": 1}}),
    ],
)
def test_body_devices(changes, device):
    assert body(**changes)["resources"]["device"] == device


def test_body_constraints():
    found = body(
        tpus=("v6e-4", "v5litepod-4"),
        regions=("us-east5", "US-Central1"),
        zone="us-east5-b",
        preemptible=True,
        constraints=(("pool", "Large"),),
    )["constraints"]
    values = {item["key"]: item.get("values") or item["value"]["stringValue"] for item in found}
    assert values == {
        "region": [{"stringValue": "us-east5"}, {"stringValue": "us-central1"}],
        "zone": "us-east5-b",
        "device-variant": [{"stringValue": "v6e-4"}, {"stringValue": "v5litepod-4"}],
        "preemptible": "true",
        "pool": "large",
    }
    modes = {item["key"]: item["mode"].rpartition("_")[2] for item in found}
    assert modes["preemptible"] == "PREFERRED"
    assert modes["zone"] == "REQUIRED"


@pytest.mark.parametrize(
    ("changes", "is_pinned"),
    [
        ({"cpu": 1.0, "memory": "4GB"}, True),
        ({"cpu": 1.5}, False),
        ({"memory": "5GB"}, False),
        ({"replicas": 2}, False),
        ({"tpus": ("v4-8",)}, False),
        ({"is_small_pinned": False}, False),
    ],
)
def test_body_small_jobs_are_pinned(changes, is_pinned):
    assert ("constraints" in body(**changes)) is is_pinned


def test_body_optional_fields():
    found = body(
        ports=("http", "actor"),
        timeout_s=90,
        scheduling_timeout_s=600,
        priority="batch",
        image="ghcr.io/x",
        reserve=("2:v4-8", "H100x8"),
        max_retries=3,
        max_preemption_retries=7,
        extras=("marin:tpu", "eval"),
        pip_packages=("einops>=0.8",),
        workdir_files={"_callable.pkl": b"\0x"},
        existing_job_policy=ExistingJobPolicy.ADOPT_RUNNING,
    )
    assert found["ports"] == ["http", "actor"]
    assert found["timeout"] == {"milliseconds": "90000"}
    assert found["schedulingTimeout"] == {"milliseconds": "600000"}
    assert found["priorityBand"] == "PRIORITY_BAND_BATCH"
    assert found["taskImage"] == "ghcr.io/x"
    assert [entry["resources"]["device"] for entry in found["reservation"]["entries"]] == [
        {"tpu": {"variant": "v4-8", "count": 4}},
        {"tpu": {"variant": "v4-8", "count": 4}},
        {"gpu": {"variant": "H100", "count": 8}},
    ]
    assert (found["maxRetriesFailure"], found["maxRetriesPreemption"]) == (3, 7)
    assert found["environment"]["extras"] == ["marin:tpu", "eval"]
    assert found["entrypoint"]["workdirFiles"] == {"_callable.pkl": base64.b64encode(b"\0x").decode()}
    assert found["existingJobPolicy"] == "EXISTING_JOB_POLICY_KEEP"


def test_body_children_inherit():
    inherited = {"key": "region", "op": "CONSTRAINT_OP_EQ", "value": {"string_value": "us-east5"}}
    found = body(parent="/ada/train", name="eval", is_small_pinned=False, inherited_constraints=(inherited,))
    assert found["name"] == "/ada/train/eval"
    assert found["constraints"] == [inherited]
    own = body(regions=("us-central1",), is_small_pinned=False, inherited_constraints=(inherited,))
    assert [constraint["value"]["stringValue"] for constraint in own["constraints"]] == ["us-central1"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"command": ()}, "No command"),
        ({"tpus": ("v4-8",), "gpu": "8"}, "exclude each other"),
        ({"tpus": ("v4-8", "v4-16")}, "different numbers of machines"),
        ({"tpus": ("v5litepod-16",), "replicas": 6}, "multiple of 4"),
        ({"replicas": 0}, "at least 1"),
        ({"gpu": "H100X8"}, "H100X8"),
        ({"gpu": "0"}, "not a GPU"),
        ({"memory": "lots"}, "--memory lots is not a size"),
        ({"reserve": ("none:v4-8",)}, "COUNT:"),
        ({"reserve": ("v4-9",)}, "v4-9"),
        ({"reserve": ("v4-8",), "zone": "us-east5-b"}, "Leave out --region and --zone"),
    ],
)
def test_body_refused(changes, words):
    with pytest.raises(UserError) as refused:
        body(**changes)
    assert words in str(refused.value)


def test_setup_commands_extras_and_python():
    commands = setup_commands(
        extras=("marin:tpu", "e v"), pip_packages=("a>=1",), python_version="3.11", is_verbose=True
    )
    assert commands[2].endswith("--python 3.11 --all-packages --no-group dev --extra tpu --extra 'e v'")
    assert commands[2].startswith("uv sync  $(")
    assert commands[5] == "uv pip install  --link-mode symlink cloudpickle py-spy memray 'a>=1'"


def test_pack_workspace_is_reproducible(tmp_path):
    files = []
    for name in ("b.py", "a/run.sh"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
        files.append(path)
    packed = pack_workspace(tmp_path, sorted(files))
    files[0].touch()
    assert pack_workspace(tmp_path, sorted(files)) == packed
    assert zipfile.ZipFile(BytesIO(packed)).namelist() == ["a/run.sh", "b.py"]


def test_pack_workspace_too_large(tmp_path):
    (tmp_path / "noise.bin").write_bytes(os.urandom(26 * 2**20))
    with pytest.raises(UserError, match=r"26\.\d MB; clusters take 25 MB"):
        pack_workspace(tmp_path, [tmp_path / "noise.bin"])
