"""How the end of a job is reported: once, with what was open, and with nothing left open."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from babysitter.model.events import IncidentEnded, IncidentOpened
from babysitter.model.ids import IncidentId, JobId
from babysitter.model.incident import Incident
from babysitter.model.job import Attempt, JobState, Task, TaskState
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, Surface
from babysitter.model.watch import Watch
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.answering.request_restart import propose
from babysitter.usecases.watching.manage_watches import look_now, stop_watch, watch_status
from tests.support.app import ADA, AppHarness, home
from tests.support.build import NOON, ROOT
from tests.support.jobs import job, raw
from tests.support.scenes import continue_from

MISSING = "Exit code: 1. stderr: ModuleNotFoundError: No module named 'torch'"
OOM = "Exit code 137: OOM killed (container exceeded memory limit)"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


async def watched(place: AppHarness, seconds: float = 120) -> Watch:
    return await continue_from(place, ("watched", seconds), lambda: _watched(place, seconds))


async def _watched(place: AppHarness, seconds: float) -> Watch:
    place.cluster.jobs[ROOT] = job(ROOT)
    watch = await place.watch()
    await place.pass_s(seconds)
    assert (await place.now(watch)).phase is Phase.STEADY
    return watch


def end(place: AppHarness, state: JobState = JobState.FAILED, error: str = MISSING, code: int = 1) -> None:
    now: datetime = place.clock.now()
    known = place.cluster.jobs[ROOT]
    place.cluster.jobs[ROOT] = replace(known, state=state, finished_at=now, error=error)
    if state is JobState.SUCCEEDED:
        return
    task = TaskState(state.value)
    place.cluster.tasks_of[ROOT] = (
        Task(
            JobId(f"{ROOT}/0"),  # type: ignore[arg-type]
            task,
            exit_code=code,
            error=error,
            current_attempt=0,
            attempts=(Attempt(0, task, code, error, finished_at=now),),
        ),
    )


async def incidents(place: AppHarness, watch: Watch) -> tuple[Incident, ...]:
    async with place.app.store.reading() as tx:
        return await tx.incidents.incidents_of((watch.id,))


async def test_a_failed_job_is_reported_once(place: AppHarness):
    watch = await watched(place)
    end(place)
    await place.pass_s(600)
    assert place.ear.occasions == ["started", "incident"]
    card = place.ear.heard[-1]
    assert card.words.title == "Ended badly: dedup (missing dependency)"
    assert dict(card.words.fields)["Ended"].startswith("failed after 2 min")
    assert dict(card.words.fields)["Owner"] == ADA
    assert (card.mentions, card.mentions_on_call) == ((ADA,), False)
    (incident,) = await incidents(place, watch)
    assert (incident.status, incident.outcome) == ("failed", "the job ended: failed")
    assert len(await place.events(IncidentOpened)) == len(await place.events(IncidentEnded)) == 1


async def test_a_failed_job_is_not_reported_again_by_another_check(place: AppHarness):
    watch = await watched(place)
    end(place)
    await place.pass_s(60)
    for _ in range(3):
        await look_now(place.app, watch.id)
        await place.pass_s(60)
    assert place.ear.occasions == ["started", "incident"]
    assert len(await incidents(place, watch)) == 1


async def test_a_closed_incident_still_shows_what_it_was(place: AppHarness):
    watch = await watched(place)
    end(place)
    await place.pass_s(60)
    (shown,) = (await watch_status(place.app, watch.id)).incidents
    assert (shown.diagnosis.cause, shown.status) == ("missing-dependency", "failed")


async def test_an_offer_about_an_ended_job_keeps_its_incident_open(place: AppHarness):
    watch = await watched(place)
    end(place, error=OOM, code=137)
    await place.pass_s(60)
    (incident,) = await incidents(place, watch)
    assert incident.status == "proposed"
    assert (await place.now(watch)).due_at is not None
    await place.pass_s(13 * 3600, step_s=600)  # nobody answers
    (incident,) = await incidents(place, watch)
    assert (incident.status, incident.outcome) == ("failed", "the job ended: failed")
    assert place.ear.occasions == ["started", "incident", "reminder"]


async def test_a_denied_offer_about_an_ended_job_closes_its_incident(place: AppHarness):
    watch = await watched(place)
    end(place, error=OOM, code=137)
    await place.pass_s(60)
    (offer,) = (await watch_status(place.app, watch.id)).proposals
    await decide(place.app, offer.id, ADA, Answer.NO, Surface.TERMINAL)
    await place.pass_s(600)
    assert [incident.status for incident in await incidents(place, watch)] == ["failed"]
    assert place.ear.occasions == ["started", "incident"]


async def test_a_restart_of_an_ended_job_can_be_asked_for(place: AppHarness):
    watch = await watched(place)
    end(place)
    await place.pass_s(60)
    with pytest.raises(Exception, match="the same again would fail again"):
        await propose(place.app, watch.id, why="I fixed it.", asked_by="an agent")


async def test_a_watch_that_is_stopped_leaves_nothing_open(place: AppHarness):
    watch = await watched(place)
    end(place, error=OOM, code=137)
    await place.pass_s(60)
    await stop_watch(place.app, watch.id, by=ADA)
    (incident,) = await incidents(place, watch)
    assert (incident.status, incident.outcome) == ("resolved", "the watch was stopped")


async def test_the_end_mentions_a_failed_child(place: AppHarness):
    await watched(place)
    child = JobId(f"{ROOT}/load")
    place.cluster.jobs[child] = job(child, JobState.FAILED, error=MISSING)
    end(place, JobState.SUCCEEDED, "")
    await place.pass_s(60)
    said = place.ear.heard[-1]
    assert said.occasion == "finished"
    assert said.words.title == "Finished: dedup"
    assert "1 child job ended badly: load (failed: Exit code: 1." in said.words.sentence
    assert said.words.severity == "degraded"


async def test_the_end_mentions_an_open_nan(place: AppHarness):
    await watched(place)
    for step in range(40):
        loss = "2.5" if step < 20 else "nan"
        place.cluster.log.append(raw(130 + step * 5, f"step {step}: loss={loss}"))
    await place.pass_s(300)
    end(place, JobState.SUCCEEDED, "")
    await place.pass_s(60)
    said = place.ear.heard[-1]
    assert "umerical divergence" in said.words.title + said.words.sentence
    assert "succeeded" in said.words.sentence + dict(said.words.fields).get("Ended", "")
    async with place.app.store.reading() as tx:
        assert await tx.incidents.open_incidents() == ()


async def test_the_end_of_a_known_trouble_does_not_repeat_its_evidence(place: AppHarness):
    await watched(place)
    for step in range(40):
        loss = "2.5" if step < 20 else "nan"
        place.cluster.log.append(raw(130 + step * 5, f"step {step}: loss={loss}"))
    await place.pass_s(900)
    said_before = [message.occasion.value for message in place.ear.heard]
    end(place, JobState.SUCCEEDED, "")
    await place.pass_s(60)
    assert said_before == ["started", "incident"]
    assert place.ear.occasions == ["started", "incident", "finished"]
    last = place.ear.heard[-1]
    assert last.words.evidence == ()
    assert "was open when it ended" in last.words.sentence


_ = IncidentId, NOON
