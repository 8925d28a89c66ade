"""The command that starts a job again: read, and sent to the cluster on which the job is watched."""

import pytest

from babysitter.backends.open import ClusterSpec
from babysitter.errors import UserError
from babysitter.service.command import addressed, submission_of

MARIN = ClusterSpec("marin", cluster="marin")
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
    assert addressed(submission_of(command), spec).argv == tuple(argv.split())


@pytest.mark.parametrize("command", ["iris 'job run", "python train.py"])
def test_what_is_no_submission_is_refused_in_a_sentence(command: str):
    with pytest.raises(UserError, match="The resubmit command"):
        submission_of(command)
