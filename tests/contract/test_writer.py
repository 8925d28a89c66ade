"""What every backend's hands promise: exactly one job, never twice, never a guess."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.errors import ExternalError, MissingSubmission, NoSuchJob, SubmissionRefused
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin, SubmitContext
from babysitter.policy.resubmission import KnownSubmission, ways
from babysitter.preflight import possible
from babysitter.preflight.client import folder
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import blocking
from babysitter.preflight.program import program
from tests.contract.backends_under_test import SCRIPTED, WRITERS


@pytest.fixture(params=list(WRITERS))
async def world(request):
    async with WRITERS[request.param]() as made:
        yield made


@pytest.fixture(params=list(SCRIPTED))
async def scripted(request):
    async with SCRIPTED[request.param]() as made:
        yield made


async def test_promise_1_exactly_the_job_is_stopped_with_what_is_below_it(world):
    await world.writer.stop(world.root)
    stopped = {job for job, state in world.states().items() if state == "KILLED"}
    assert stopped == {world.root, world.coordinator, world.workers}
    assert [world.states()[job] for job in world.neighbours] == ["RUNNING", "RUNNING"]
    assert world.asked("TerminateJob") == 1
    await world.writer.stop(world.root)  # idempotent
    assert [world.states()[job] for job in world.neighbours] == ["RUNNING", "RUNNING"]


def test_promise_1_the_prefix_stop_is_nowhere_in_the_source():
    source = Path(__file__).parents[2] / "src"
    spelled = re.compile(r"""["']job["'],\s*["'](stop|kill|cancel)["']""")
    assert [path.name for path in source.rglob("*.py") if spelled.search(path.read_text())] == []


async def test_a_name_that_only_begins_some_jobs_stops_none(world):
    with pytest.raises(NoSuchJob):
        await world.writer.stop(JobId(world.root[:-1]))
    assert set(world.states().values()) == {"RUNNING"}


async def test_a_job_is_submitted_once_under_its_fresh_name(world):
    assert await world.writer.submit(world.again) == world.new
    assert world.states()[world.new] in ("RUNNING", "PENDING")
    assert world.asked("LaunchJob") == 1
    found = await world.reader.find(world.new)
    assert found is not None


async def test_a_name_that_runs_is_refused_and_nothing_is_started_beside_it(world):
    await world.writer.submit(world.again)
    before = world.states()
    with pytest.raises(SubmissionRefused, match="already exists"):
        await world.writer.submit(world.again)
    assert world.states() == before


async def blocked_by(world, submission):
    """Ids and sentences of what blocks this submission."""
    found = await world.writer.preflight(submission, purpose=Purpose.RESUBMIT)
    return {finding.id: finding.sentence for finding in blocking(found)}


async def test_preflight_names_what_cannot_be_started(world, tmp_path):
    if world.given is not None:
        pytest.skip("its command is never run: tests/backends/test_ray_writer.py")
    again = replace(world.again, workdir=str(tmp_path))
    assert await blocked_by(world, again) == {}
    nobody = replace(again, argv=("no-such-command-anywhere", *again.argv))
    assert "`no-such-command-anywhere` cannot be run here" in (await blocked_by(world, nobody))[program.ID]
    gone = replace(again, workdir="/no/such/folder")
    assert "is not there" in (await blocked_by(world, gone))[folder.MISSING]
    blanked = replace(again, redacted=("WANDB_API_KEY",))
    assert "WANDB_API_KEY" in (await blocked_by(world, blanked))[possible.ID]
    empty = Submission((), SubmissionOrigin.CONTROLLER, job=world.new)
    assert "--resubmit" in (await blocked_by(world, empty))[possible.ID]
    assert (world.asked("LaunchJob"), world.asked("TerminateJob")) == (0, 0)


async def stored_submission(world):
    """What the cluster stored of the root, to be launched under the fresh name."""
    stored = await world.reader.submission(world.root)
    constants = world.reader.abilities.client_constants
    (http, *_) = ways(KnownSubmission(SubmitContext(stored=stored), client_constants=constants))
    assert http.submission is not None
    return replace(http.submission, job=world.new)


async def test_stored_submission_is_launched_as_it_was(world):
    launched = await stored_submission(world)
    assert await world.writer.submit(launched) == world.new
    assert world.asked("LaunchJob") == 1
    stored, again = await world.reader.submission(world.root), await world.reader.submission(world.new)
    before, after = (
        {name: value for name, value in item.request.items() if name not in world.set_by_us}
        for item in (stored, again)
    )
    assert after == before
    with pytest.raises(SubmissionRefused, match="already exists"):
        await world.writer.submit(launched)


async def test_launch_never_replaces_a_job_that_has_ended(scripted):
    world = scripted
    launched = await stored_submission(world)
    await world.writer.submit(launched)
    await world.until_up(world.new)
    await world.writer.stop(world.new)
    with pytest.raises(SubmissionRefused, match="already exists"):
        await world.writer.submit(launched)


async def test_without_a_command_nothing_is_started(world):
    with pytest.raises(MissingSubmission):
        await world.writer.submit(
            Submission((), SubmissionOrigin.CONTROLLER, job=world.new, request={"name": "x"})
        )
    assert world.asked("LaunchJob") == 0


@pytest.mark.parametrize("code", ["unavailable", "internal", "deadline_exceeded"])
async def test_an_unknown_outcome_is_said_and_never_tried_again(scripted, code):
    world = scripted
    world.breaks(code)
    with pytest.raises(ExternalError):
        await world.writer.submit(world.again)
    with pytest.raises(ExternalError):
        await world.writer.stop(world.root)
    assert world.asked("LaunchJob") == 1
    assert world.asked("TerminateJob") == 1
