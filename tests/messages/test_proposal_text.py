"""What an approval would run, in words."""

from dataclasses import replace

from babysitter.messages.proposal_text import commands_of, notes_of, submission_lines
from babysitter.model.launch_request import GIB
from babysitter.model.submission import FolderState, Submission, SubmissionOrigin, ValueSource
from tests.messages.test_compose import proposal
from tests.support import build

REQUEST = {
    "entrypoint": {"runCommand": {"argv": ["python", "d.py", "--name", "a b"]}},
    "resources": {"cpuMillicores": 500, "memoryBytes": str(5 * GIB), "diskBytes": str(GIB // 2)},
    "environment": {
        "envVars": {"MODE": "fast", "HF_TOKEN": "[REDACTED]", "TOKENIZERS_PARALLELISM": "[REDACTED]"}
    },
    "bundleId": "23c66acce1b251e675f1820a3be2effc7b61c0b2f56dbce3049cdabe3ba9f762",
    "replicas": 4,
}
HTTP = Submission(
    (),
    SubmissionOrigin.CONTROLLER,
    request=REQUEST,
    fills={"HF_TOKEN": ValueSource.ENVIRONMENT, "TOKENIZERS_PARALLELISM": ValueSource.CLIENT_CONSTANT},
)


def test_launch_over_http_names_program_bundle_and_sources():
    assert commands_of(proposal(submission=HTTP)) == (
        "stop /ada/dedup   # exactly this job",
        "launch /ada/dedup-r1 over HTTP, as the cluster stored /ada/dedup:",
        "  program: python d.py --name 'a b'",
        "  code: its own bundle, 23c66acce1b2",
        "  resources: 0.5 CPU, 5GB memory, 0.5GB disk, 4 replicas",
        "  environment: HF_TOKEN, MODE, TOKENIZERS_PARALLELISM",
        "  HF_TOKEN: from the environment of the service, read at the act",
        "  TOKENIZERS_PARALLELISM: the value that every iris client sets",
    )


def test_command_names_its_folder_and_what_it_holds():
    command = replace(build.submission("iris", "job", "run"), workdir="/home/ada/my code")
    clean = replace(command, folder=FolderState("d", "1a2b3c4d5e6f", 0, 12))
    assert submission_lines(proposal(submission=clean)) == (
        "# the command given with --resubmit",
        "cd '/home/ada/my code'   # commit 1a2b3c4d5e, 12 files",
        "iris job run",
    )
    dirty = replace(command, folder=FolderState("d", "1a2b3c4d5e6f", 2, 12))
    assert "2 uncommitted files, 12 files" in submission_lines(proposal(submission=dirty))[1]
    foreign = replace(command, origin=SubmissionOrigin.CONTROLLER, folder=FolderState("d", file_count=1))
    assert submission_lines(proposal(submission=foreign))[:2] == (
        "# the command that the cluster stored",
        "cd '/home/ada/my code'   # 1 file, not in git",
    )


def test_secrets_of_a_program_are_not_shown():
    token = "hf_" + "madeup" * 6
    request = REQUEST | {"entrypoint": {"runCommand": {"argv": ["python", "x.py", "--token", token]}}}
    shown = "\n".join(submission_lines(proposal(submission=replace(HTTP, request=request))))
    assert token not in shown


def test_notes_tell_differences_and_the_first_try():
    notes = dict(notes_of(proposal(differences=("--memory: 5GB → 10GB",), earlier_try="p-1 was called off.")))
    assert notes == {
        "First try": "p-1 was called off.",
        "Differs from what the cluster stored": "--memory: 5GB → 10GB",
    }
    assert notes_of(proposal()) == ()
