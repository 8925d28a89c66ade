"""Stopping and submitting on Ray: what is sent, what is refused before the stop, and what is never kept."""

import json
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.submission.restart_checks import (
    CHECKS,
    FOLDER,
    HEAD_RESTARTED,
    IMPOSSIBLE,
    JOB_PENDING,
    NAME_TAKEN,
    NOT_SUBMITTED,
    PACKAGE_GONE,
    PROGRAM,
    RECORD_CHANGED,
    RESOURCES_UNKNOWN,
    VARIABLE,
)
from babysitter.backends.ray.submission.submit_command import given_submission
from babysitter.backends.ray.writer import RayWriter
from babysitter.errors import (
    ExternalError,
    InvalidResponse,
    MissingSubmission,
    NoSuchJob,
    SubmissionRefused,
    UserError,
)
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin, ValueSource
from babysitter.preflight.facts import Purpose
from babysitter.store.codec import codec
from tests.support.ray_dashboard import HANG, hanging, recorded, served

ROOT, NEW = JobId(HANG), JobId("hang-1-r1")
PACKAGE = "_ray_pkg_0011223344556677.zip"
SECRET = "made-up-7f3a9c2b"
ENVIRONMENT = {"working_dir": f"gcs://{PACKAGE}", "env_vars": {"MODE": "fast", "WANDB_API_KEY": SECRET}}


@asynccontextmanager
async def acting(environ=None, **changes):
    """Dashboard, reader and writer, around a running job with a package, variables and metadata."""
    dashboard = hanging(**changes)
    told = {"runtime_env": ENVIRONMENT, "metadata": {"team": "x"}}
    dashboard.jobs["ok-1"] = {**dashboard.jobs["ok-1"], "metadata": {"odd": None}}
    dashboard.jobs[HANG] = {**dashboard.jobs[HANG], **told}
    dashboard.packages[PACKAGE] = b"zip"
    async with served(dashboard):
        line = RayHttpClient(dashboard.url)
        try:
            yield dashboard, RayReader(line), RayWriter(line, environ=environ or {})
        finally:
            await line.close()


async def restart(reader, **changes):
    """The submission of a proposal about the running job."""
    stored = await reader.submission(ROOT)
    return replace(stored, **{"job": NEW, "replaces": ROOT, "proposal": "p-1"} | changes)


async def ids_of(writer, submission, *, blocking=True):
    found = await writer.preflight(submission, purpose=Purpose.RESUBMIT)
    return [finding.id for finding in found if finding.blocks or not blocking]


async def test_the_same_job_is_submitted_under_the_new_id():
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        assert await ids_of(writer, submission) == []
        assert await writer.submit(submission) == NEW
        (sent,) = dashboard.posted
        assert sent["submission_id"] == NEW
        assert sent["entrypoint"] == dashboard.jobs[HANG]["entrypoint"]
        assert sent["runtime_env"] == ENVIRONMENT
        assert sent["metadata"] == {"team": "x", "babysit_proposal": "p-1", "babysit_resources": "{}"}
        found = await reader.find(NEW)
        assert found is not None
        assert found.proposal == "p-1"


async def test_what_is_kept_holds_no_value_of_a_variable():
    async with acting() as (_, reader, writer):
        submission = await restart(reader)
        kept = codec(Submission).encode(submission)
        assert SECRET not in kept
        assert "fast" not in kept
        assert submission.fills == dict.fromkeys(("MODE", "WANDB_API_KEY"), ValueSource.RECORD)
        assert codec(Submission).decode(kept) == submission
        by_hand = await writer.by_hand(submission)
        assert SECRET not in by_hand
        assert '"${WANDB_API_KEY:?}"' in by_hand
        assert "--submission-id hang-1-r1" in by_hand


async def test_a_secret_in_the_program_is_masked_and_read_again():
    async with acting() as (dashboard, reader, writer):
        program = f"env HF_TOKEN=hf_{'a1B2' * 8} python x.py"
        dashboard.jobs[HANG]["entrypoint"] = program
        submission = await restart(reader)
        assert "hf_" not in codec(Submission).encode(submission)
        assert await writer.by_hand(submission) == ""
        await writer.submit(submission)
        assert dashboard.posted[0]["entrypoint"] == program
        del dashboard.jobs[HANG], dashboard.jobs[NEW]
        with pytest.raises(MissingSubmission, match="record of hang-1 is gone"):
            await writer.submit(submission)


async def test_resources_are_known_of_jobs_that_we_submitted():
    async with acting() as (dashboard, reader, writer):
        unknown = await restart(reader)
        assert unknown.summary.resources == ("not known",)
        assert RESOURCES_UNKNOWN in await ids_of(writer, unknown, blocking=False)
        command = "ray job submit --entrypoint-num-gpus 2 --entrypoint-memory 1073741824 -- python x.py"
        given = given_submission(
            Submission(tuple(command.split()), SubmissionOrigin.RESUBMIT_FLAG), dashboard.url
        )
        await writer.submit(replace(given, job=NEW, proposal="p-1"))
        assert dashboard.posted[0]["entrypoint_num_gpus"] == 2
        again = await reader.submission(NEW)
        assert (again.summary.resources, again.summary.unknown) == (("2 GPU", "1GB memory"), ())
        await writer.submit(replace(again, job=JobId("hang-1-r2"), proposal="p-2"))
        first, second = dashboard.posted
        assert second["metadata"]["babysit_proposal"] == "p-2"
        assert {**second, "metadata": 0, "submission_id": 0} == {**first, "metadata": 0, "submission_id": 0}


@pytest.mark.parametrize("cut_off", ["before", "after"])
async def test_a_cut_off_submission_is_found_or_made_once(cut_off):
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        dashboard.cut_off = cut_off
        with pytest.raises(ExternalError):
            await writer.submit(submission)
        assert await writer.submit(submission) == NEW
        assert await writer.submit(submission) == NEW
        assert len(dashboard.posted) == 1


async def test_an_id_that_another_job_has_is_refused():
    async with acting() as (dashboard, reader, writer):
        dashboard.jobs[NEW] = {**recorded("jobs/05-get-succeeded")["body"], "submission_id": NEW}
        with pytest.raises(SubmissionRefused, match="another one"):
            await writer.submit(await restart(reader))
        assert dashboard.posted == []


async def test_already_exists_is_success_for_our_own_job():
    """Somebody of us was faster between the look and the request: Ray answers 500 with a traceback."""
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        await writer.submit(submission)
        ours = dashboard.jobs.pop(NEW)
        dashboard.appears = (NEW, ours)
        assert await writer.submit(submission) == NEW
        assert len(dashboard.posted) == 2


async def test_another_head_is_never_submitted_to():
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        dashboard.session = "session_2"
        with pytest.raises(SubmissionRefused, match="started again"):
            await writer.submit(submission)
        assert dashboard.acted == []
        assert HEAD_RESTARTED in await ids_of(writer, submission)


async def test_a_pending_job_is_not_stopped():
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        dashboard.jobs[HANG]["status"] = "PENDING"
        with pytest.raises(SubmissionRefused, match="pending"):
            await writer.stop(ROOT)
        assert dashboard.acted == []
        assert await ids_of(writer, submission) == [JOB_PENDING]


async def test_a_run_that_nobody_submitted_is_a_persons_to_restart():
    async with acting() as (dashboard, _, writer):
        driver = JobId("04000000")
        info = {"id": driver, "node_ip_address": "10.0.0.1", "pid": "18351"}
        dashboard.jobs[driver] = {
            **dashboard.jobs[HANG],
            "type": "DRIVER",
            "submission_id": None,
            "entrypoint": "python train.py",
            "driver_info": info,
        }
        reader = RayReader(RayHttpClient(dashboard.url))
        submission = replace(await reader.submission(driver), job=NEW, replaces=driver)
        (finding,) = [
            item
            for item in await writer.preflight(submission, purpose=Purpose.RESUBMIT)
            if item.id == NOT_SUBMITTED
        ]
        assert "`kill 18351`, then `python train.py`" in finding.fix
        assert "Nobody else will do it" in finding.fix
        with pytest.raises(SubmissionRefused, match="Nobody submitted"):
            await writer.stop(driver)
        await reader.close()


async def test_a_package_is_looked_for_before_the_stop():
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        dashboard.packages.clear()
        assert await ids_of(writer, submission) == [PACKAGE_GONE]
        with pytest.raises(SubmissionRefused, match="no longer has the files"):
            await writer.submit(submission)
        assert dashboard.posted == []


async def test_a_recorded_folder_is_sent_in_place_of_the_package(tmp_path):
    (tmp_path / "x.py").write_text("print(1)\n")
    async with acting() as (dashboard, reader, writer):
        dashboard.jobs[HANG]["entrypoint"] = "python x.py"
        submission = await restart(reader, workdir=str(tmp_path))
        dashboard.packages.clear()
        assert await ids_of(writer, submission) == []
        await writer.submit(submission)
        (name,) = dashboard.packages
        assert dashboard.posted[0]["runtime_env"] == {**ENVIRONMENT, "working_dir": f"gcs://{name}"}
        assert "--working-dir" in await writer.by_hand(submission)
        there = await restart(reader, workdir=str(tmp_path), job=JobId("free"))
        assert await ids_of(writer, there) == []
        (tmp_path / "x.py").rename(tmp_path / "y.py")
        assert await ids_of(writer, there) == [PROGRAM]  # the folder of another project
        gone = replace(submission, workdir=str(tmp_path / "gone"))
        assert FOLDER in await ids_of(writer, gone)


async def test_a_record_that_says_something_else_is_not_submitted():
    async with acting() as (dashboard, reader, writer):
        submission = await restart(reader)
        dashboard.jobs[HANG]["start_time"] += 1
        assert await ids_of(writer, submission) == [RECORD_CHANGED]
        with pytest.raises(MissingSubmission):
            await writer.submit(submission)


async def test_secrets_of_a_given_command_come_from_the_environment():
    words = ("ray", "job", "submit", "--runtime-env-json", json.dumps({"env_vars": {"HF_TOKEN": SECRET}}))
    given = Submission((*words, "--", "python", "x.py"), SubmissionOrigin.RESUBMIT_FLAG)
    async with acting({"HF_TOKEN": "from-here"}) as (dashboard, _, writer):
        kept = replace(given_submission(given, dashboard.url), job=NEW, proposal="p-1")
        assert SECRET not in codec(Submission).encode(kept)
        await writer.submit(kept)
        assert dashboard.posted[0]["runtime_env"]["env_vars"] == {"HF_TOKEN": "from-here"}
        bare = RayWriter(RayHttpClient(dashboard.url), environ={})
        assert await ids_of(bare, replace(kept, job=JobId("free"))) == [VARIABLE]
        await bare._line.close()


async def test_a_taken_id_and_an_empty_request_are_found_before_the_stop():
    async with acting() as (dashboard, reader, writer):
        dashboard.jobs[NEW] = dashboard.jobs[HANG]
        assert await ids_of(writer, await restart(reader)) == [NAME_TAKEN]
        empty = Submission((), SubmissionOrigin.CONTROLLER, job=NEW)
        assert await ids_of(writer, empty) == [IMPOSSIBLE]


async def test_stop_says_what_is_not_known():
    async with acting() as (dashboard, _, writer):
        with pytest.raises(NoSuchJob):
            await writer.stop(JobId("hang-"))
        dashboard.failing_acts = (500, b"Server got itself in trouble")
        with pytest.raises(InvalidResponse, match="trouble"):
            await writer.stop(ROOT)


def test_every_check_has_a_stable_id():
    assert list(CHECKS) == [
        "nothing-to-submit",
        "head-restarted",
        "not-submitted",
        "job-pending",
        "record-changed",
        "package-gone",
        "folder-missing",
        "file-not-shipped",
        "variable-missing",
        "name-taken",
        "resources-unknown",
    ]


@pytest.mark.parametrize(
    ("command", "match"),
    [
        ("iris job run -- python x.py", "not a submission to Ray"),
        ("ray job submit --working-dir .", "names no program"),
        ("ray job submit --runtime-env e.yaml -- python x.py", "--runtime-env of"),
        ("ray job submit --entrypoint-num-gpus many -- python x.py", "not a number"),
        ("ray job submit --runtime-env-json {x -- python x.py", "not JSON"),
        ("ray job submit --address http://other:8265 -- python x.py", "names http://other:8265"),
        (f"ray job submit -- env HF_TOKEN=hf_{'a1B2' * 8} python x.py", "holds a secret"),
    ],
)
def test_a_command_that_cannot_be_kept_is_refused(command, match):
    given = Submission(tuple(command.split()), SubmissionOrigin.RESUBMIT_FLAG)
    with pytest.raises(UserError, match=match):
        given_submission(given, "http://127.0.0.1:8265")


def test_the_folder_of_a_command_is_below_the_one_it_is_run_in():
    command = "ray job submit --working-dir=src --no-wait -- python x.py"
    given = Submission(tuple(command.split()), SubmissionOrigin.RESUBMIT_FLAG, workdir="/home/ada/job")
    kept = given_submission(given, "http://127.0.0.1:8265")
    assert (kept.workdir, kept.summary.takes_folder) == ("/home/ada/job/src", True)
    plain = given_submission(replace(given, argv=("ray", "job", "submit", "ls")), "http://127.0.0.1:8265")
    assert (plain.workdir, plain.summary.takes_folder) == ("", False)
