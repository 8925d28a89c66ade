"""Commands that start a job again: the fresh name, what was blanked, and what the outcome means."""

import pytest

from babysitter.backends.iris.answers.json_fields import JsonNode
from babysitter.backends.iris.submit_syntax import (
    kept_submission,
    launch_request,
    named,
    outcome,
    ready_to_run,
)
from babysitter.backends.run_process import Finished
from babysitter.errors import (
    InvalidResponse,
    MissingSubmission,
    NoSuchJob,
    SubmissionRefused,
    Unreachable,
)
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.preflight.client.client_environment import CLIENT_CONSTANTS
from tests.backends.recorded import exchange

NEW = JobId("/ada/dedup-r1")
PROGRAM = {"runCommand": {"argv": ["python", "d.py"]}}
TAIL = "-- python run.py --job-name inner --wait"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            f"iris --cluster marin job run {TAIL}",
            f"iris --cluster marin job run --no-wait --job-name dedup-r1 {TAIL}",
        ),
        (
            f"uv run iris job run --job-name dedup -e A B {TAIL}",
            f"uv run iris job run --no-wait --job-name dedup-r1 -e A B {TAIL}",
        ),
        (
            f"iris job run --job-name=dedup --wait --memory 5GB {TAIL}",
            f"iris job run --no-wait --job-name dedup-r1 --memory 5GB {TAIL}",
        ),
        (
            f"iris job run --no-wait --job-name a --job-name b {TAIL}",
            f"iris job run --no-wait --job-name dedup-r1 {TAIL}",
        ),
        # Already right: left alone, so that what runs is word for word what was shown.
        (
            f"iris job run --memory 5GB --no-wait --job-name dedup-r1 {TAIL}",
            f"iris job run --memory 5GB --no-wait --job-name dedup-r1 {TAIL}",
        ),
    ],
)
def test_the_command_gets_the_fresh_name_and_does_not_wait(command, expected):
    result = named(tuple(command.split()), NEW)
    assert " ".join(result) == expected
    assert named(result, NEW) == result


@pytest.mark.parametrize("command", ["./submit.sh dedup", "uv run python x.py", "iris -- job run", ""])
def test_a_command_that_cannot_be_named_is_not_run(command):
    with pytest.raises(MissingSubmission):
        named(tuple(command.split()), NEW)


@pytest.mark.parametrize("job", ["/ada/dedup/child", "dedup", "/ada/"])
def test_only_root_jobs_are_submitted(job):
    with pytest.raises(MissingSubmission):
        named(("iris", "job", "run", "--", "x"), JobId(job))


def test_mays_kept_command_is_run_with_our_own_iris_and_cluster():
    request = exchange("may", "01-plain-success", "s01-GetJobStatus-root").json["request"]
    kept = kept_submission(
        JsonNode.of(request), JobId("/root/t"), iris=("uv", "run", "iris", "--cluster", "m")
    )
    assert kept.argv[:7] == ("uv", "run", "iris", "--cluster", "m", "job", "run")
    assert kept.argv[-3:] == ("python", "plain_jobs.py", "ok")
    assert "--controller-url" not in kept.argv  # the address of that day is not the address of today
    assert kept.redacted == ()  # blanked variables that the command itself never named do not matter
    assert kept.origin is SubmissionOrigin.CONTROLLER


def test_april_keeps_no_command_but_says_what_it_blanked():
    request = exchange("april", "01-plain-success", "s01-GetJobStatus-root").json["request"]
    kept = kept_submission(JsonNode.of(request), JobId("/root/t"), iris=("iris",))
    assert kept.argv == ()
    assert (kept.redacted, kept.request_blanks) == ((), ("TOKENIZERS_PARALLELISM",))


def test_blanked_values_are_named_and_never_guessed():
    sent = "/x/iris job run -e HF_TOKEN [REDACTED] --key=**REDACTED** -e A b -- python x.py"
    kept = kept_submission(JsonNode.of({"submitArgv": sent.split()}), NEW, iris=("iris",))
    assert kept.redacted == ("HF_TOKEN", "--key")
    with pytest.raises(MissingSubmission, match="HF_TOKEN, --key"):
        ready_to_run(kept, {})
    ready = ready_to_run(kept, {"HF_TOKEN": "made-up", "--key": "k"})
    assert " ".join(ready.argv).endswith("-e HF_TOKEN made-up --key=k -e A b -- python x.py")


def test_a_submission_without_a_name_of_its_own_is_not_run():
    with pytest.raises(MissingSubmission):
        ready_to_run(Submission(argv=("iris", "job", "run"), origin=SubmissionOrigin.STORED), {})


@pytest.mark.parametrize(
    ("stdout", "stderr", "code", "expected"),
    [
        ("/ada/dedup-r1\n", "I2026 iris.cli.job Submitting job\n", 0, "/ada/dedup-r1"),
        ("", "I2026 all is well\n", 0, InvalidResponse),
        ("/ada/a\n/ada/b\n", "", 0, InvalidResponse),
        ("", "Error: No such option: --tpuu\n", 2, SubmissionRefused),
        (
            "",
            "connectrpc.errors.ConnectError: Job /ada/dedup-r1 already exists and is still running\n",
            1,
            SubmissionRefused,
        ),
        ("", "connectrpc.errors.ConnectError: Request timed out\n", 1, Unreachable),
        ("", "connectrpc.errors.ConnectError: Job /ada/x not found\n", 1, NoSuchJob),
    ],
)
def test_what_the_end_of_the_command_means(stdout, stderr, code, expected):
    submission = Submission(argv=(), origin=SubmissionOrigin.STORED, job=NEW)
    done = Finished(stdout, stderr, code)
    if isinstance(expected, str):
        assert outcome(done, submission) == expected
    else:
        with pytest.raises(expected):
            outcome(done, submission)


def test_a_kept_request_is_launched_under_the_fresh_name_and_never_replaces_a_job():
    request = {
        "name": "/ada/dedup",
        "submitArgv": ["iris"],
        "entrypoint": PROGRAM,
        "replicas": 2,
        "fail_if_exists": False,  # as the command line tool spells it
        "environment": {"envVars": {"A": "b"}},
    }
    submission = Submission((), SubmissionOrigin.CONTROLLER, job=NEW, request=request)
    body = launch_request(submission, {}, client_revision_date="2026-11-20")
    assert body == {
        "name": NEW,
        "submitArgv": ["iris"],
        "entrypoint": PROGRAM,
        "replicas": 2,
        "environment": {"envVars": {"A": "b"}},
        "clientRevisionDate": "2026-11-20",
        "failIfExists": True,
        "existingJobPolicy": "EXISTING_JOB_POLICY_ERROR",
    }
    assert "clientRevisionDate" not in launch_request(submission, {}, client_revision_date="")
    blanked = Submission(
        (),
        SubmissionOrigin.CONTROLLER,
        job=NEW,
        request=request | {"environment": {"envVars": {"HF_TOKEN": "[REDACTED]", "A": "b"}}},
    )
    with pytest.raises(MissingSubmission, match="HF_TOKEN"):
        launch_request(blanked, {"A": "c"}, client_revision_date="2026-11-20")
    filled = launch_request(blanked, {"HF_TOKEN": "made-up", "A": "c"}, client_revision_date="")
    assert filled["environment"] == {"envVars": {"HF_TOKEN": "made-up", "A": "b"}}


@pytest.mark.parametrize(
    ("request_", "blanks"),
    [
        ({"environment": {"envVars": {"A": "b"}}}, ()),
        ({"environment": {"envVars": {"URL": "gs://x/[REDACTED]"}}}, ("URL",)),
        ({"environment": {"env_vars": {"KEY": "**REDACTED**"}}}, ("KEY",)),
        ({"entrypoint": {"runCommand": {"argv": ["x", "--k=[REDACTED]"]}}}, ("entrypoint.runCommand.argv",)),
        ({"submitArgv": ["-e", "K", "[REDACTED]"]}, ()),
        ({"entrypoint": {"runCommand": {"argv": ["bash", "$W/_callable_runner.py"]}}}, ("workdirFiles",)),
        ({"entrypoint": {"workdirFiles": {"run.sh": ""}}}, ("workdirFiles",)),
        ({"entrypoint": {"workdirFiles": {"run.sh": "ZWNobw=="}}}, ()),
    ],
)
def test_whatever_was_blanked_in_a_request_is_named(request_, blanks):
    assert kept_submission(JsonNode.of(request_), NEW, iris=("iris",)).request_blanks == blanks


@pytest.mark.parametrize("era", ["april", "may"])
def test_recorded_requests_lack_only_what_every_client_sets(era):
    request = exchange(era, "01-plain-success", "s01-GetJobStatus-root").json["request"]
    kept = kept_submission(JsonNode.of(request), NEW, iris=("iris",))
    assert set(kept.request_blanks) == {"TOKENIZERS_PARALLELISM"} <= set(CLIENT_CONSTANTS)


@pytest.mark.parametrize(
    ("exit_code", "stderr", "words"),
    [
        (
            2,
            "Usage: iris\n\nError: --tpu requires --enable-extra-resources.\nOnly CPU is needed.\n",
            "did not accept its options: --tpu requires --enable-extra-resources.",
        ),
        (
            1,
            "Traceback:\nValueError: Bundle size 25.8MB exceeds maximum 25MB. Consider.\n",
            "gave up: Bundle size 25.8MB exceeds maximum 25MB.",
        ),
    ],
)
def test_refusal_of_the_client_is_named(exit_code, stderr, words):
    submission = Submission(("iris",), SubmissionOrigin.STORED, job=JobId("/ada/dedup-r1"))
    with pytest.raises(SubmissionRefused) as refused:
        outcome(Finished("", stderr, exit_code), submission)
    assert words in str(refused.value)
