"""How a given command differs from the stored submission."""

import shlex

import pytest

from babysitter.model.submission import FolderState, Submission, SubmissionOrigin
from babysitter.policy.command_differences import differences, folder_change, read_options

REQUEST = {
    "entrypoint": {"runCommand": {"argv": ["python", "d.py"]}},
    "resources": {"cpuMillicores": 100, "memoryBytes": str(5 * 2**30), "diskBytes": str(5 * 2**30)},
    "environment": {"envVars": {"PYTHONPATH": ".", "MODE": "fast", "HF_TOKEN": "[REDACTED]"}},
    "maxRetriesFailure": 2,
}
SENT = "iris --cluster m job run --job-name a --memory 5GB --max-retries 2 --priority batch -e MODE fast"
STORED = Submission(
    tuple(shlex.split(f"{SENT} -- python d.py")), SubmissionOrigin.CONTROLLER, request=REQUEST
)
SAME = "iris job run --job-name b --memory 5GB --max-retries 2 --priority batch -e MODE x -e HF_TOKEN y"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"{SAME} -- python d.py", ()),
        (f"{SAME.replace('5GB', '10GB')} -- python d.py", ("--memory: 5GB → 10GB",)),
        (f"{SAME.replace('--memory 5GB', '')} -- python d.py", ("--memory: 5GB → 1GB (default)",)),
        (f"{SAME.replace('--max-retries 2', '')} -- python d.py", ("--max-retries: 2 → 0",)),
        (f"{SAME.replace('batch', 'interactive')} -- python d.py", ("--priority: batch → interactive",)),
        (f"{SAME} --region us-east1 -- python d.py", ("--region: (not given) → us-east1",)),
        (f"{SAME} --tpu v5litepod-16 -- python d.py", ("accelerator: none → tpu v5litepod-16",)),
        (f"{SAME} --cpu 2 -- python d.py", ("--cpu: 0.1 → 2",)),
        (
            f"{SAME.replace('-e HF_TOKEN y', '-eEXTRA 1')} -- python d.py",
            ("environment, only in the command: EXTRA", "environment, not in the command: HF_TOKEN"),
        ),
        (f"{SAME} -- python e.py --x", ("program: python d.py → python e.py --x",)),
    ],
)
def test_differences_of_a_given_command(command, expected):
    given = Submission(tuple(shlex.split(command)), SubmissionOrigin.RESUBMIT_FLAG)
    assert differences(given, STORED) == expected


def test_differences_name_variables_and_never_their_values():
    given = Submission(("iris", "job", "run", "-e", "KEY", "made-up-value", "--", "x"), STORED.origin)
    assert "made-up-value" not in " ".join(differences(given, STORED))


def test_differences_are_unknown_without_a_stored_submission():
    assert differences(STORED, None) == ()


def test_options_are_read_in_every_spelling():
    words = (
        "uv run iris job run -eA 1 --env-vars B 2 --env-vars=C 3 --memory=2GB --extra x --extra y z --cpu 4"
    )
    options = read_options(tuple(words.split()))
    assert options.variables == {"A", "B", "C"}
    # The client takes its own options behind the first word of the program too.
    assert options.values == {"--memory": "2GB", "--extra": "x, y", "--cpu": "4"}
    assert options.program == ("z",)


def test_options_are_those_that_the_client_reads():
    options = read_options(
        ("iris", "job", "run", "--no-sync", "--unknown", "4", "--", "python", "x.py", "--cpu", "4")
    )
    assert options.values == {"--no-sync": "given"}
    assert options.program == ("--unknown", "4", "python", "x.py", "--cpu", "4")


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (FolderState("d1", "a" * 40, 0, 3), ""),
        (FolderState("d2", "b" * 40, 0, 3), "commit aaaaaaaaaa became bbbbbbbbbb"),
        (FolderState("d2", "a" * 40, 1, 4), "it held 3 files and holds 4"),
        (FolderState("d2", "a" * 40, 1, 3), "files in it were changed"),
        (None, ""),
    ],
)
def test_folder_change_is_told_by_its_most_telling_part(now, expected):
    assert folder_change(FolderState("d1", "a" * 40, 0, 3), now) == expected
