"""`babysit preflight`: command lines as people have them, read in a folder with a cluster file beside it."""

import json
import os
import shlex
import subprocess

import pytest

from babysitter.surfaces.cli.commands import run

CLUSTER = """
name: reef
controller: {gcp: {port: 10000}}
platform: {label_prefix: reef, gcp: {project_id: coral}}
tpu_pools:
  v5e-spot:
    family: v5e
    zones: [europe-west4-b, us-west4-a]
    resources: {cpu: 112, ram: 192GB, disk: 100GB, capacity_type: preemptible}
    sizes: {4: {max_slices: 9}, 16: {max_slices: 9}}
scale_groups:
  cpu:
    zones: [europe-west4-b, us-central1-a]
    resources: {cpu: 8, ram: 64GB, disk: 100GB, device_type: cpu, capacity_type: on-demand}
  h100:
    num_vms: 1
    resources: {cpu: 128, ram: 2TB, disk: 1TB, device_type: gpu, device_variant: H100, device_count: 8}
    slice_template: {coreweave: {region: US-EAST-02A}}
"""
PROJECT = """
[project]
name = "job"
version = "0"
[project.optional-dependencies]
cpu = []
gpu = []
tpu = []
"""
FILES = {
    "reef.yaml": CLUSTER,
    "pyproject.toml": PROJECT,
    "x.py": "print('hi')\n",
    "run.sh": "echo hi\n",
    "secret.py": "print('left out')\n",
    ".gitignore": "secret.py\nlocal.yaml\n",
    "local.yaml": "a: 1\n",
    "train.yaml": "a: 1\n",
    "needs_prefix.py": "import os\nprint(os.environ['MARIN_PREFIX'])\n",
    "needs_key.py": "import os\nprint(os.environ['API_HOST'], os.environ.get('OTHER'))\n",
    "experiments/__init__.py": "",
    "experiments/tiny.py": "",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A git folder with a job in it, and an `iris` that can be found."""
    work, tools = tmp_path / "work", tmp_path / "tools"
    for name, text in FILES.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    tools.mkdir()
    for name in ("iris", "uv"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    git = ["git", "-C", str(work), "-c", "user.name=ada", "-c", "user.email=ada@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a job"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HF_TOKEN", "WANDB_API_KEY", "UNSET_ONE", "DATA"):
        monkeypatch.delenv(name, raising=False)
    return work


def checked(capsys, words, *options, generation="may", config="reef.yaml"):
    """Exit code and reply."""
    given = ["--generation", generation, "--config", config, *options]
    code = run(["preflight", "--json", *given, "--", *words])
    return code, json.loads(capsys.readouterr().out)


def blocks(reply):
    return {finding["id"] for finding in reply["findings"] if finding["severity"] == "block"}


IRIS = "iris --config reef.yaml job run"
TPU = "--enable-extra-resources --extra job:tpu"
GOOD = [
    f"{IRIS} --no-wait -- python x.py",
    f"{IRIS} -- python x.py --memory 64TB",
    f"uv run {IRIS} --no-wait --memory 3GB -- python x.py",
    f"uv run --with iris --no-sync {IRIS} -- python x.py",
    f"{IRIS} --tpu v5litepod-16 {TPU} -- python x.py",
    f"{IRIS} --tpu v5litepod-4,v5litepod-4 {TPU} --region us-west4 -- python x.py",
    f"{IRIS} --tpu v5litepod-16 --replicas 8 {TPU} -- python x.py",
    f"{IRIS} --tpu v5litepod-16 --enable-extra-resources -- bash -c 'uv sync --extra tpu && python x.py'",
    f"{IRIS} --gpu H100x8 --enable-extra-resources --extra gpu -- python x.py",
    f"{IRIS} --gpu 4 --enable-extra-resources -- python x.py",
    f"{IRIS} --reserve v5litepod-16 --no-wait --extra cpu -- python -m experiments.tiny",
    f"{IRIS} --zone us-central1-a -- python x.py",
    f"{IRIS} --region europe-west4 -e MARIN_PREFIX gs://reef-europe-west4/out -- python x.py",
    f"{IRIS} -e MARIN_PREFIX /tmp/out -- python needs_prefix.py",
    f"{IRIS} -- bash run.sh",
    f"{IRIS} -- bash -c 'chmod +x run.sh && ./run.sh'",
    f"{IRIS} -- python -m http.server",
    f"{IRIS} -- python -c 'print(1)'",
    f"{IRIS} -- python /app/x.py",
    f"{IRIS} -- python x.py --config train.yaml --out gs://reef/out.json",
    f"{IRIS} --memory 48GB --cpu 8 --enable-extra-resources -- python x.py",
    f"A=1 {IRIS} -- python x.py",
    "iris --controller-url http://127.0.0.1:1 job run -- python x.py",
    "iris --config reef.yaml run --extra job:cpu -- python x.py",  # the old spelling
]
BAD = [
    (f"{IRIS} --memory 8GB -- python x.py", {"extra-resources"}),
    (f"{IRIS} --memory 8 -- python x.py", {"size-without-unit"}),
    (f"{IRIS} --ram 2GB -- python x.py", {"unknown-flag"}),
    (f"{IRIS} --tpu V5LITEPOD-16 {TPU} -- python x.py", {"unknown-tpu"}),
    (f"{IRIS} --tpu v5e-16 {TPU} -- python x.py", {"unknown-tpu", "not-offered"}),
    (f"{IRIS} --tpu v6e-16 {TPU} -- python x.py", {"not-offered"}),
    (f"{IRIS} --tpu v5litepod-16 {TPU} --region us-central1 -- python x.py", {"not-offered"}),
    (f"{IRIS} --tpu v5litepod-16 {TPU} --replicas 6 -- python x.py", {"replicas-of-slice", "not-offered"}),
    (f"{IRIS} --tpu v5litepod-4,v5litepod-16 {TPU} -- python x.py", {"replicas-of-slice"}),
    (f"{IRIS} --tpu v5litepod-16 --enable-extra-resources -- python x.py", {"accelerator-extra"}),
    (f"{IRIS} --tpu v5litepod-16 --enable-extra-resources --extra cpu -- python x.py", {"accelerator-extra"}),
    (f"{IRIS} --extra rl -- python x.py", {"unknown-extra"}),
    (f"{IRIS} --gpu A100x8 --enable-extra-resources -- python x.py", {"not-offered"}),
    (f"{IRIS} --gpu H100x16 --enable-extra-resources -- python x.py", {"not-offered"}),
    (f"{IRIS} --memory 4TB --enable-extra-resources -- python x.py", {"not-offered"}),
    (f"{IRIS} --cpu 500 -- python x.py", {"not-offered"}),
    (f"{IRIS} --region us-centrall -- python x.py", {"not-offered"}),
    (f"{IRIS} --zone us-central1 -- python x.py", {"not-offered"}),
    (f"{IRIS} -- python y.py", {"file-not-shipped"}),
    (f"{IRIS} -- python secret.py", {"file-not-shipped"}),
    (f"{IRIS} -- python x.py --config local.yaml", {"file-not-shipped"}),
    (f"{IRIS} -- python ../x.py", {"file-not-shipped"}),
    (f"{IRIS} -- python -m experiments.huge", {"file-not-shipped"}),
    (f"{IRIS} -- ./run.sh", {"not-executable"}),
    (f"{IRIS} -- bash -c './run.sh'", {"not-executable"}),
    (f"{IRIS} -- bash -c 'cd experiments && python y.py'", {"file-not-shipped"}),
    (f"{IRIS} -e MARIN_PREFIX '' -- python x.py", {"output-prefix"}),
    (
        f"{IRIS} --region europe-west4 -e MARIN_PREFIX gs://reef-us-central2/o -- python x.py",
        {"output-prefix"},
    ),
    (f"{IRIS} -- python needs_prefix.py", {"variable-not-passed"}),
    (f"{IRIS} -e KEY -- python x.py", {"swallowed-word"}),
    (f"{IRIS} -e KEY=1 x -- python x.py", {"bad-value"}),
    (f"{IRIS} bash -lec 'echo hi'", {"missing-separator"}),
    ("iris --config nowhere.yaml job run -- python x.py", {"cluster-not-named"}),
    ("iris --cluster job run -- python x.py", {"cluster-not-named"}),
    ("iris --config reef.yaml job runn -- python x.py", {"nothing-to-submit"}),
    ("iris --confg reef.yaml job run -- python x.py", {"unknown-flag"}),
    ("iris --cluster --config reef.yaml job run -- python x.py", {"cluster-not-named"}),
    ("iris --controller-url job run -- python x.py", {"cluster-not-named"}),
    ("iris --controller-url localhost:1 job run -- python x.py", {"cluster-not-named"}),
    (f"{IRIS} --memory 0.5 -- python x.py", {"size-without-unit"}),
    (f"{IRIS} -e=A 1 -- python x.py", {"bad-value"}),
    ("iris --config reef.yaml jobs run -- python x.py", {"nothing-to-submit"}),
    (f"{IRIS} -- bash -c 'echo (python x.py'", {"line-for-shell"}),
    (
        "iris --config reef.yaml --controller-url http://127.0.0.1:1 job run -- python x.py",
        {"cluster-not-named"},
    ),
    ("no-such-iris --config reef.yaml job run -- python x.py", {"command-not-runnable"}),
]


@pytest.mark.parametrize("line", GOOD)
@pytest.mark.parametrize("generation", ["april", "may", "august"])
@pytest.mark.usefixtures("folder")
def test_good_line_may_be_submitted(line, generation, capsys):
    words = shlex.split(line)
    code, reply = checked(capsys, words, generation=generation)
    assert (code, reply["verdict"], blocks(reply)) == (0, "ok", set())
    assert reply["generation"] == generation


@pytest.mark.parametrize(("line", "ids"), BAD, ids=[line for line, _ in BAD])
@pytest.mark.parametrize("generation", ["april", "may", "august"])
@pytest.mark.usefixtures("folder")
def test_bad_line_is_blocked(line, ids, generation, capsys):
    code, reply = checked(capsys, shlex.split(line), generation=generation)
    assert blocks(reply) == ids
    assert (code, reply["verdict"]) == (1, "blocked")
    assert all(finding["fix"] for finding in reply["findings"] if finding["severity"] == "block")


@pytest.mark.parametrize(
    ("line", "unset"),
    [
        (f"{IRIS} -e TOKEN $UNSET_ONE -- python x.py", True),
        (f'{IRIS} -e TOKEN "$UNSET_ONE" -- python x.py', True),
        (f"{IRIS} -- python x.py --in ${{UNSET_ONE}}/a", True),
        (f"UNSET_ONE=1 {IRIS} -- python x.py $UNSET_ONE", True),
        (f"{IRIS} -- python x.py ${{UNSET_ONE:-default}}", False),
        (f"{IRIS} -- bash -c 'echo $UNSET_ONE'", False),
        (f"{IRIS} -- python x.py \\$UNSET_ONE", False),
        (f"export UNSET_ONE=1; {IRIS} -- python x.py $UNSET_ONE", False),
        (f"UNSET_ONE=1 && {IRIS} -- python x.py $UNSET_ONE", False),
        (f"for UNSET_ONE in 1 2; do {IRIS} -- python x.py $UNSET_ONE; done", False),
        (f"{IRIS} -- python x.py $HOME", False),
    ],
)
@pytest.mark.usefixtures("folder")
def test_variables_that_nobody_sets(line, unset, capsys):
    words = ["iris", "--config", "reef.yaml", "job", "run", "--", "python", "x.py"]
    _, reply = checked(capsys, words, "--line", line)
    assert ("unset-variable" in blocks(reply)) is unset


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("generation", ["may", "august"])
def test_only_preemptible_machines_have_the_type(generation, capsys):
    line = f"{IRIS} --tpu v5litepod-16 {TPU} --no-preemptible -- python x.py"
    _, reply = checked(capsys, shlex.split(line), generation=generation)
    assert blocks(reply) == {"not-offered"}


def test_local_cluster_ends_with_its_command(folder, capsys):
    (folder / "here.yaml").write_text("controller: {local: {port: 0}}\nscale_groups: {}\n")
    _, reply = checked(
        capsys,
        shlex.split("iris --config here.yaml job run --no-wait -- python x.py"),
        config="here.yaml",
    )
    assert blocks(reply) == {"local-cluster-ends"}


@pytest.mark.usefixtures("folder")
def test_resubmission_does_not_wait(capsys):
    code, reply = checked(capsys, shlex.split(f"{IRIS} -- python x.py"), "--purpose", "resubmit")
    assert (code, blocks(reply)) == (1, {"no-wait"})


def test_changed_files_are_a_warning(folder, capsys):
    (folder / "x.py").write_text("print('changed')\n")
    code, reply = checked(capsys, shlex.split(f"{IRIS} --no-wait -- python x.py"))
    assert code == 0
    assert "uncommitted-changes" in {finding["id"] for finding in reply["findings"]}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--", "python", "x.py"], "not an `iris job run` command"),
        ([], "Which command?"),
        (["--generation", "june", "--", "iris"], "not one of 'april', 'may', 'august'."),
        (["--config", "nowhere.yaml", "--", "iris", "job", "run", "--", "x"], "nowhere.yaml"),
        (["--bogus", "--", "iris"], "--bogus"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_arguments_exit_2(words, says, capsys):
    assert run(["preflight", *words]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_answer_for_people(capsys):
    assert (
        run(["preflight", "--config", "reef.yaml", "--", *shlex.split(f"{IRIS} --memory 8GB -- ./run.sh")])
        == 1
    )
    shown = capsys.readouterr().out
    assert "BLOCK  extra-resources" in shown
    assert "bash ./run.sh" in shown
    assert shown.rstrip().endswith("Blocked: correct what is marked BLOCK.")
