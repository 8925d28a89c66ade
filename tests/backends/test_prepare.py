"""A submission is completed at the act: values from their sources, the client's date; the same by hand."""

import json
import os
import shlex
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from babysitter.backends.iris.submission.prepare import SubmissionPreparer
from babysitter.errors import MissingSubmission
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin, ValueSource
from tests.support.clock import FakeClock

JOB = JobId("/ada/dedup-r1")
REQUEST = {
    "entrypoint": {"runCommand": {"argv": ["python", "it's.py"]}},
    "environment": {"envVars": {"HF_TOKEN": "[REDACTED]", "TOKENIZERS_PARALLELISM": "[REDACTED]"}},
    "bundleId": "b1",
}
FILLS = {"HF_TOKEN": ValueSource.ENVIRONMENT, "TOKENIZERS_PARALLELISM": ValueSource.CLIENT_CONSTANT}
HTTP = Submission((), SubmissionOrigin.CONTROLLER, job=JOB, request=REQUEST, fills=FILLS)
COMMAND = Submission(
    (
        *("iris", "job", "run", "--no-wait", "--job-name", "dedup-r1"),
        *("-e", "HF_TOKEN", "[REDACTED]", "--", "python", "it's.py"),
    ),
    SubmissionOrigin.CONTROLLER,
    job=JOB,
    redacted=("HF_TOKEN",),
    fills={"HF_TOKEN": ValueSource.ENVIRONMENT},
    workdir="/my code",
)
SECRET = "made-up 'token'"


@dataclass
class Eyes:
    """A controller of a generation that wants a client's date, or does not."""

    wants_client_date: bool = True

    async def dialect(self):
        return SimpleNamespace(wants_client_date=self.wants_client_date)


def preparer(
    date: str = "2026-11-20", *, wants_client_date: bool = True, **environ: str
) -> SubmissionPreparer:
    return SubmissionPreparer(
        Eyes(wants_client_date),
        iris=("no-such-iris-anywhere",),
        options=("--cluster", "marin"),
        client_revision_date=date,
        environ=environ,
        clock=FakeClock(),
    )


async def test_request_is_filled_from_its_named_sources():
    body = await preparer(HF_TOKEN=SECRET, OTHER="x").request(HTTP)
    assert body["environment"] == {"envVars": {"HF_TOKEN": SECRET, "TOKENIZERS_PARALLELISM": "false"}}
    assert (body["name"], body["bundleId"], body["clientRevisionDate"]) == (JOB, "b1", "2026-11-20")


async def test_variable_that_was_not_named_is_not_taken():
    unnamed = replace(HTTP, fills={"TOKENIZERS_PARALLELISM": ValueSource.CLIENT_CONSTANT})
    with pytest.raises(MissingSubmission, match="HF_TOKEN"):
        await preparer(HF_TOKEN=SECRET).request(unnamed)


async def test_variable_that_is_not_set_is_named():
    assert preparer().missing_variables(HTTP) == ("HF_TOKEN",)
    assert preparer(HF_TOKEN="").missing_variables(HTTP) == ("HF_TOKEN",)
    with pytest.raises(MissingSubmission, match="HF_TOKEN"):
        await preparer().request(HTTP)


async def test_launch_without_a_client_date_is_not_tried():
    with pytest.raises(MissingSubmission, match="does not tell one"):
        await preparer("", HF_TOKEN=SECRET).request(HTTP)
    body = await preparer("", wants_client_date=False, HF_TOKEN=SECRET).request(HTTP)
    assert "clientRevisionDate" not in body


def test_command_is_filled_from_the_environment():
    ready = preparer(HF_TOKEN=SECRET).command(COMMAND)
    assert ready.argv[ready.argv.index("-e") :] == ("-e", "HF_TOKEN", SECRET, "--", "python", "it's.py")


def as_a_shell_reads(line: str) -> list[str]:
    """The words that a shell makes of this, with the variable set."""
    printed = f'for word in {line}; do printf "%s\\0" "$word"; done'
    done = subprocess.run(
        ["sh", "-c", printed],
        capture_output=True,
        check=True,
        env=os.environ | {"HF_TOKEN": SECRET},
        text=True,
    )
    return done.stdout.split("\0")[:-1]


async def test_command_by_hand_is_what_would_be_run():
    line = await preparer().by_hand(COMMAND)
    assert SECRET not in line
    folder, _, command = line.partition(" && ")
    assert shlex.split(folder) == ["cd", "/my code"]
    assert as_a_shell_reads(command) == list(preparer(HF_TOKEN=SECRET).command(COMMAND).argv)


def sent_by_a_shell(line: str, folder: Path, value: str) -> list[str]:
    """The words that the client gets when this line is pasted into bash, with the variable set."""
    client = folder / "no-such-iris-anywhere"
    client.write_text('#!/bin/sh\nprintf "%s\\0" "$0" "$@"\n')
    client.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    environ = os.environ | {"HF_TOKEN": value, "PATH": path}
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env=environ, text=True)
    return done.stdout.split("\0")[1:-1]


@pytest.mark.parametrize(
    "value",
    [
        SECRET,
        'a "quoted" word',
        "back\\slash \\n",
        "two\nlines\n",
        "\tü \u6f22 \U0001f680",
        "$HOME `id` $(id) !x",
    ],
)
async def test_launch_by_hand_is_what_would_be_sent(tmp_path: Path, value: str):
    variables = {**REQUEST["environment"]["envVars"], "PLAIN": value}
    given = replace(HTTP, request=REQUEST | {"environment": {"envVars": variables}})
    line = await preparer(HF_TOKEN="hf-of-nobody").by_hand(given)
    assert "hf-of-nobody" not in line
    *call, body = sent_by_a_shell(line, tmp_path, value)
    assert call == ["--cluster", "marin", "rpc", "controller", "launch-job", "--json"]
    assert json.loads(body) == await preparer(HF_TOKEN=value).request(given)


async def test_launch_by_hand_without_its_variable_sends_nothing(tmp_path: Path):
    line = await preparer(HF_TOKEN=SECRET).by_hand(HTTP)
    with pytest.raises(subprocess.CalledProcessError) as failed:
        sent_by_a_shell(line, tmp_path, "")
    assert "HF_TOKEN" in failed.value.stderr
    assert failed.value.stdout == ""


async def test_nothing_by_hand_where_nobody_knows_how():
    assert await preparer().by_hand(replace(HTTP, fills={})) == ""
