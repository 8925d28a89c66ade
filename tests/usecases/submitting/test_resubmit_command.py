"""The command that starts a job again: read, and sent to the cluster on which the job is watched."""

from pathlib import Path

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import read_command
from babysitter.errors import UserError
from babysitter.usecases.submitting.resubmit_command import (
    context_of,
    submission_of,
    variable_names,
)
from tests.backends.test_bundle import git

MARIN = ClusterSpec("marin", cluster="marin")
NOWHERE = Path("/nowhere")
BY_URL = ClusterSpec("x", url="http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("command", "spec", "argv"),
    [
        ("iris job run -- python x.py", MARIN, "iris --cluster marin job run -- python x.py"),
        ("uv run iris job run -- a", BY_URL, "uv run iris --controller-url http://127.0.0.1:9 job run -- a"),
        ("iris --config c.yaml job run -- a", MARIN, "iris --config c.yaml job run -- a"),
        ("iris --cluster=dev job run -- a", MARIN, "iris --cluster=dev job run -- a"),
        ("iris job run -- a --cluster b", MARIN, "iris --cluster marin job run -- a --cluster b"),
        ("make run", MARIN, "make run"),
    ],
)
def test_a_command_that_names_no_cluster_goes_to_the_watched_one(command: str, spec: ClusterSpec, argv: str):
    assert read_command(spec, submission_of(command)).argv == tuple(argv.split())


@pytest.mark.parametrize("command", ["iris 'job run", "python train.py"])
def test_what_is_no_submission_is_refused_in_a_sentence(command: str):
    with pytest.raises(UserError, match="The resubmit command"):
        submission_of(command)


async def test_folder_of_a_command_is_recorded_with_its_state(tmp_path: Path):
    (tmp_path / "x.py").write_text("")
    context = await context_of(None, here=tmp_path, state_folder=NOWHERE, is_needed=True)
    assert context.workdir == str(tmp_path)
    assert context.folder is not None
    assert (context.folder.file_count, context.folder.commit) == (1, "")


async def test_folder_nobody_named_is_recorded_only_as_a_repository(tmp_path: Path):
    assert (await context_of(None, here=tmp_path, state_folder=NOWHERE)).workdir == ""
    git(tmp_path, "init", "-q")
    assert (await context_of(None, here=tmp_path, state_folder=NOWHERE)).workdir == str(tmp_path)


async def test_folder_that_was_named_must_be_there(tmp_path: Path):
    with pytest.raises(UserError, match="is not there"):
        await context_of(tmp_path / "gone", here=tmp_path, state_folder=NOWHERE)
    (tmp_path / "x.py").touch()
    with pytest.raises(UserError, match=r"x\.py is a file, not a folder"):
        await context_of(tmp_path / "x.py", here=tmp_path, state_folder=NOWHERE)


def test_variables_are_named_never_given():
    assert variable_names(" HF_TOKEN, WANDB_API_KEY,HF_TOKEN ") == ("HF_TOKEN", "WANDB_API_KEY")
    with pytest.raises(UserError, match=r"'1A' is not the name") as fault:
        variable_names("1A=secret-value")
    assert "secret-value" not in str(fault.value)


async def test_folder_with_our_own_state_is_not_shipped(tmp_path: Path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "babysit.db").write_text("")
    with pytest.raises(UserError, match=r"babysit's own state.*--workdir"):
        await context_of(None, here=tmp_path, state_folder=tmp_path / "state", is_needed=True)
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("state/")
    assert (await context_of(None, here=tmp_path, state_folder=tmp_path / "state")).workdir
