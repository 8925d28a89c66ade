"""The old job is stopped and the new one is not taken: told at once, tried again, ended by its expiry."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from babysitter.engine.restarting import restart_saga
from babysitter.errors import (
    ExternalError,
    FactsChanged,
    SubmissionRefused,
    Unreachable,
    UserError,
)
from babysitter.model.events import IncidentEnded, JobFinished
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState
from babysitter.model.phase import Phase
from babysitter.model.submission import Submission
from babysitter.model.watch import Watch
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.usecases.answering.follow_approval import follow_approval
from babysitter.usecases.watching.manage_watches import stop_watch, watch_status
from tests.engine.test_act import SUCCESSOR, answer, offer_of
from tests.engine.test_check import zombie
from tests.support.app import ADA, AppHarness, home
from tests.support.build import ROOT, submission
from tests.support.jobs import pipeline, tree


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


async def refused(place: AppHarness) -> Watch:
    """An approved restart whose job was stopped, and whose submission the cluster refuses."""
    watch = await zombie(place)
    place.writer.refuses = SubmissionRefused("No room.")
    await answer(place, await offer_of(place, watch))
    await place.pass_s(15)
    assert place.writer.stopped == [ROOT]
    return watch


async def test_failed_submission_is_told_once_with_the_command(place: AppHarness):
    await refused(place)
    await place.pass_s(3600, step_s=30)
    assert place.ear.occasions == ["started", "incident", "not-submitted"]
    message = place.ear.heard[-1]
    assert message.mentions_on_call
    assert message.words.title == "Stopped and not submitted again: dedup-r1"
    assert f"{ROOT} has ended and {SUCCESSOR} was not submitted" in message.words.sentence
    assert "No room" in message.words.sentence
    assert "iris --cluster marin job run" in message.words.commands[0]
    assert message.words.footer == f"To end the tries: babysit stop {ROOT}"


async def test_failed_submission_is_tried_at_growing_intervals(place: AppHarness):
    await refused(place)
    tried_at = []
    for _ in range(150):
        before = len(place.writer.tried)
        await place.pass_s(10, step_s=10)
        if len(place.writer.tried) > before:
            tried_at.append(place.clock.now())
    pauses = [(after - before).total_seconds() for before, after in pairwise(tried_at)]
    assert pauses == sorted(pauses)
    assert 290 <= pauses[-1] <= 310
    assert len(pauses) < 12


async def test_submission_taken_later_becomes_the_restart(place: AppHarness):
    watch = await refused(place)
    await place.pass_s(600, step_s=30)
    place.writer.refuses = None
    await place.pass_s(300, step_s=30)
    assert place.writer.submitted == [SUCCESSOR]
    after = await place.now(watch)
    assert (after.root, after.restarts) == (SUCCESSOR, 1)
    assert place.ear.occasions[:4] == ["started", "incident", "not-submitted", "acting"]


async def test_submission_by_the_person_is_followed(place: AppHarness):
    watch = await refused(place)
    started = Job(SUCCESSOR, JobState.RUNNING, submitted_at=place.clock.now(), task_count=1)
    place.cluster.jobs[SUCCESSOR] = started
    tries = len(place.writer.tried)
    await place.pass_s(60)
    assert len(place.writer.tried) == tries  # found by its name, not submitted twice
    assert (await place.now(watch)).root == SUCCESSOR


async def test_tries_end_with_the_approval_and_nothing_is_hidden(place: AppHarness):
    watch = await refused(place)
    await place.pass_s(13 * 3600, step_s=900)
    tries = len(place.writer.tried)
    await place.pass_s(3600, step_s=900)
    assert len(place.writer.tried) == tries
    after = await place.now(watch)
    assert (after.phase, after.root, after.restarts) == (Phase.FINISHED, ROOT, 0)
    (ended,) = await place.events(JobFinished)
    assert ended.cause == "zombie-coordinator"
    assert "stopped for a restart that broke off at submitted" in ended.summary
    assert after.outlook is not None
    assert (after.outlook.job_state, after.outlook.summary) == ("killed", ended.summary)
    assert [event.status for event in await place.events(IncidentEnded)] == ["failed"]
    assert place.ear.occasions == ["started", "incident", "not-submitted", "worse"]
    assert "Not done: submitted" in place.ear.heard[-1].words.decided


async def test_submission_that_cannot_be_made_here_is_tried_again(place: AppHarness):
    watch = await zombie(place)
    place.writer.refuses = UserError("A variable is not set.")
    await answer(place, await offer_of(place, watch))
    await place.pass_s(300)
    place.writer.refuses = None
    await place.pass_s(300, step_s=30)
    assert place.writer.submitted == [SUCCESSOR]


async def test_tries_survive_a_new_process(tmp_path: Path):
    async with home(tmp_path) as place:
        place.cluster.show(tree(*pipeline()))
        watch = await refused(place)
    async with home(tmp_path, clock=place.clock, cluster=place.cluster, writer=place.writer) as again:
        await again.pass_s(120, step_s=30)
        place.writer.refuses = None
        await again.pass_s(300, step_s=30)
        assert place.writer.submitted == [SUCCESSOR]
        assert (await again.now(watch)).root == SUCCESSOR
        assert "not-submitted" not in again.ear.occasions


async def test_stopping_the_watch_ends_the_tries(place: AppHarness):
    watch = await refused(place)
    stopped = await stop_watch(place.app, ROOT, by=ADA)
    assert stopped.stopped_at is not None
    tries = len(place.writer.tried)
    await place.pass_s(3600, step_s=60)
    assert len(place.writer.tried) == tries
    (ended,) = await place.events(IncidentEnded)
    assert ended.outcome == f"{SUCCESSOR} was not submitted; {ADA} ended the tries"
    assert (await watch_status(place.app, watch.id)).incidents == ()


async def test_folder_that_changed_after_the_stop_is_not_shipped(place: AppHarness, tmp_path: Path):
    code = tmp_path / "code"
    code.mkdir()
    (code / "d.py").write_text("one")
    watch = await zombie(place, resubmit=replace(submission(), workdir=str(code)))
    offer = await offer_of(place, watch)
    place.writer.refuses = SubmissionRefused("No room.")
    await answer(place, offer)
    await place.pass_s(15)
    (code / "d.py").write_text("two")
    place.writer.refuses, tries = None, len(place.writer.tried)
    await place.pass_s(600, step_s=30)
    assert len(place.writer.tried) == tries
    (code / "d.py").write_text("one")
    await place.pass_s(600, step_s=30)
    assert place.writer.submitted == [SUCCESSOR]


async def test_approval_is_followed_to_its_end(place: AppHarness):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    place.writer.refuses = SubmissionRefused("No room.")
    await answer(place, offer)
    await place.pass_s(15)
    with pytest.raises(ExternalError, match=f"{SUCCESSOR} was not submitted.*No room"):
        await follow_approval(place.app, offer)
    place.writer.refuses = None
    await place.pass_s(120, step_s=30)
    assert await follow_approval(place.app, offer) == f"Submitted as {SUCCESSOR}."


async def test_approval_that_was_called_off_is_followed(place: AppHarness):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    block = PreflightSeverity.BLOCK
    place.writer.findings = (PreflightFinding("program-missing", block, "`iris` is not here."),)
    await answer(place, offer)
    await place.pass_s(15)
    with pytest.raises(FactsChanged, match="Called off, nothing was done: `iris` is not here"):
        await follow_approval(place.app, offer)


async def test_stop_in_doubt_is_told_without_a_command(place: AppHarness, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(restart_saga, "LOOK_EVERY", timedelta(0))
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    stop = place.writer.stop

    async def lose_the_answer(job: JobId) -> None:
        await stop(job)
        place.cluster.broken = Unreachable("Away.")
        raise place.cluster.broken

    place.writer.stop = lose_the_answer  # type: ignore[method-assign]
    await answer(place, offer)
    await place.pass_s(60)
    assert place.ear.occasions[-1] == "not-submitted"
    words = place.ear.heard[-1].words
    assert "was asked to stop, is not known to have ended" in words.sentence
    assert words.commands == ()  # it would be a second writer beside the old job
    with pytest.raises(ExternalError, match="is not known to have ended"):
        await follow_approval(place.app, offer)
    place.cluster.broken = None
    await place.pass_s(60)
    assert place.writer.submitted == [SUCCESSOR]
    assert (await place.now(watch)).root == SUCCESSOR


async def test_stop_during_a_retry_ends_the_tries(place: AppHarness):
    watch = await refused(place)
    place.writer.refuses = None
    submit, ended = place.writer.submit, []

    async def submit_while_somebody_stops(wanted: Submission) -> JobId:
        ended.append(await stop_watch(place.app, ROOT, by=ADA))
        return await submit(wanted)

    place.writer.submit = submit_while_somebody_stops  # type: ignore[method-assign]
    await place.pass_s(3600, step_s=60)
    assert [other.stopped_at is not None for other in ended] == [True]
    assert place.writer.submitted == [SUCCESSOR]  # this try was under way
    after = await place.now(watch)
    assert (after.root, after.restarts) == (ROOT, 0)
    assert place.ear.occasions == ["started", "incident", "not-submitted", "worse"]
    assert "was submitted all the same" in str(place.ear.heard[-1].words)


async def test_stop_during_a_retry_that_fails_is_quiet(place: AppHarness):
    await refused(place)

    async def refuse_while_somebody_stops(wanted: Submission) -> JobId:
        await stop_watch(place.app, ROOT, by=ADA)
        place.writer.tried.append(JobId(str(wanted.job)))
        raise SubmissionRefused("No room.")

    place.writer.submit = refuse_while_somebody_stops  # type: ignore[method-assign]
    tries = len(place.writer.tried)
    await place.pass_s(3600, step_s=60)
    assert len(place.writer.tried) == tries + 1
    assert place.ear.occasions == ["started", "incident", "not-submitted"]
    (ended,) = await place.events(IncidentEnded)
    assert ended.outcome == f"{SUCCESSOR} was not submitted; {ADA} ended the tries"


async def approved_and_stopped_by(place: AppHarness, then) -> Watch:
    """An approved restart; `then()` happens right after the old job was stopped."""
    watch = await zombie(place)
    stop = place.writer.stop

    async def stop_and_then(job: JobId) -> None:
        await stop(job)
        then()

    place.writer.stop = stop_and_then  # type: ignore[method-assign]
    await answer(place, await offer_of(place, watch))
    await place.pass_s(15)
    return watch


async def test_forgotten_old_job_is_told_with_the_command(place: AppHarness, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(restart_saga, "LOOK_EVERY", timedelta(0))
    watch = await approved_and_stopped_by(place, lambda: place.cluster.jobs.pop(ROOT))
    await place.pass_s(3600, step_s=30)
    assert place.ear.occasions == ["started", "incident", "not-submitted"]
    message = place.ear.heard[-1]
    assert message.mentions_on_call
    assert f"does not know {ROOT} any more" in message.words.sentence
    assert "Make sure that it does not run any more" in message.words.sentence
    assert "--job-name dedup-r1" in message.words.commands[0]
    started = Job(SUCCESSOR, JobState.RUNNING, submitted_at=place.clock.now(), task_count=1)
    place.cluster.jobs[SUCCESSOR] = started
    await place.pass_s(600, step_s=30)
    assert (await place.now(watch)).root == SUCCESSOR
    assert place.writer.submitted == []


async def test_taken_name_is_told_with_a_free_one(place: AppHarness):
    foreign = Job(SUCCESSOR, JobState.RUNNING, submitted_at=place.clock.now(), task_count=1)
    watch = await approved_and_stopped_by(
        place,
        lambda: place.cluster.jobs.update({SUCCESSOR: replace(foreign, submitted_at=place.clock.now())}),
    )
    await place.pass_s(1200, step_s=30)
    assert place.ear.occasions == ["started", "incident", "not-submitted"]
    words = place.ear.heard[-1].words
    assert f"a job named {SUCCESSOR} exists already and is not of this restart" in words.sentence
    assert "--job-name dedup-r1-2" in words.commands[0]
    assert f"first looks for {SUCCESSOR}-2" in words.sentence
    assert (await place.now(watch)).root == ROOT
    free = JobId(f"{SUCCESSOR}-2")
    place.cluster.jobs[free] = replace(foreign, id=free, submitted_at=place.clock.now())
    await place.pass_s(600, step_s=30)
    assert (await place.now(watch)).root == free


async def test_unexpected_error_after_the_stop_is_told_and_tried_again(place: AppHarness):
    watch = await zombie(place)
    place.writer.refuses = TypeError("made up")
    await answer(place, await offer_of(place, watch))
    await place.pass_s(1200, step_s=30)
    assert place.ear.occasions == ["started", "incident", "not-submitted"]
    message = place.ear.heard[-1]
    assert message.mentions_on_call
    assert "a fault of babysit's own (TypeError)" in message.words.sentence
    assert "iris --cluster marin job run" in message.words.commands[0]
    assert len(place.writer.tried) < 12
    place.writer.refuses = None
    await place.pass_s(600, step_s=30)
    assert place.writer.submitted == [SUCCESSOR]
    assert (await place.now(watch)).root == SUCCESSOR


async def test_error_before_the_stop_touches_nothing(place: AppHarness):
    watch = await zombie(place)

    async def crash(*_: object, **__: object) -> str:
        raise TypeError("made up")

    place.writer.preflight = crash  # type: ignore[method-assign]
    await answer(place, await offer_of(place, watch))
    await place.pass_s(60)
    assert place.writer.stopped == []
    assert "TypeError" in (await place.now(watch)).trouble
    assert place.ear.occasions == ["started", "incident"]


async def test_command_that_cannot_be_written_yet_follows(place: AppHarness):
    by_hand = place.writer.by_hand

    async def crash(*_: object) -> str:
        raise TypeError("made up")

    place.writer.by_hand = crash  # type: ignore[method-assign]
    await refused(place)
    place.writer.by_hand = by_hand  # type: ignore[method-assign]
    await place.pass_s(600, step_s=30)
    assert place.ear.occasions == ["started", "incident", "not-submitted", "not-submitted"]
    assert [bool(message.words.commands) for message in place.ear.heard[-2:]] == [False, True]
