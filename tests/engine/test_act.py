"""From an answer to a new job that came up: decided once, acted once, told as it goes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from babysitter.errors import NotAllowed
from babysitter.model.events import IncidentEnded, StepTaken
from babysitter.model.ids import JobId, Person, ProposalId
from babysitter.model.incident import IncidentStatus
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, Surface
from babysitter.model.watch import Watch
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.program import program
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.watching.manage_watches import watch_status
from tests.engine.test_check import seconds, zombie
from tests.support.app import ADA, AppHarness, home
from tests.support.build import ROOT
from tests.support.jobs import pipeline, raw, report, tree

SUCCESSOR = JobId("/ada/dedup-r1")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


async def offer_of(place: AppHarness, watch: Watch) -> ProposalId:
    return next(
        proposal.id
        for proposal in (await watch_status(place.app, watch.id)).proposals
        if proposal.status == "open"
    )


def answer(place: AppHarness, offer: ProposalId, person: Person = ADA, yes: Answer = Answer.YES):
    return decide(place.app, offer, person, yes, Surface.TERMINAL)


async def come_up(place: AppHarness) -> None:
    """The new job's pipeline gets going."""
    coordinator = f"{SUCCESSOR}/zephyr-dedup-9f9f9f9f-p0-a0"
    for job in pipeline(context="zephyr-dedup-9f9f9f9f", since_s=seconds(place)):
        moved = JobId(job.id.replace(ROOT, SUCCESSOR, 1))
        place.cluster.jobs[moved] = type(job)(**{**_fields(job), "id": moved})
    for done in range(1, 8):
        place.cluster.log.append(
            report(seconds(place), done, 100, coordinator=coordinator, execution="20261120-130000-1a1b1c1d")
        )
        await place.pass_s(30)


def _fields(job) -> dict[str, object]:
    return {name: getattr(job, name) for name in job.__dataclass_fields__}


async def test_promise_1_nothing_is_done_without_an_answer(place: AppHarness):
    await zombie(place)
    await place.pass_s(4 * 3600, step_s=300)
    assert (place.writer.stopped, place.writer.submitted) == ([], [])


async def test_an_approval_stops_exactly_that_job_and_starts_it_again_once(place: AppHarness):
    watch = await zombie(place)
    neighbours = [JobId("/ada/dedup-2"), JobId("/ada/dedupe")]
    for neighbour in neighbours:
        place.cluster.jobs[neighbour] = type(place.cluster.jobs[ROOT])(
            **{**_fields(place.cluster.jobs[ROOT]), "id": neighbour}
        )
    ruling = await answer(place, await offer_of(place, watch))
    assert ruling.took_effect
    await place.pass_s(60)
    assert place.writer.stopped == [ROOT]
    assert place.writer.submitted == [SUCCESSOR]
    assert all(not place.cluster.jobs[neighbour].state.is_terminal for neighbour in neighbours)
    followed = await place.now(watch)
    assert (followed.root, followed.first_root, followed.restarts) == (SUCCESSOR, ROOT, 1)
    await come_up(place)
    assert (await place.now(watch)).phase is Phase.STEADY
    (ended,) = await place.events(IncidentEnded)
    assert isinstance(ended, IncidentEnded)
    assert ended.status == IncidentStatus.RESOLVED
    done = [
        event.step
        for event in await place.events(StepTaken)
        if isinstance(event, StepTaken) and event.state == "done"
    ]
    assert done == ["evidence-saved", "stop-requested", "terminal-confirmed", "submitted", "recorded"]
    assert place.ear.occasions[-1] == "resolved"
    card = [message for message in place.ear.edited if message.id == place.ear.heard[1].id][-1]
    assert "Approved by U-ada" in card.words.decided
    await place.pass_s(3600, step_s=30)
    assert place.writer.submitted == [SUCCESSOR]


async def test_what_the_stop_would_lose_is_kept_first_and_without_secrets(place: AppHarness):
    watch = await zombie(place)
    token = "hf_" + "madeup" * 6
    place.cluster.log.append(raw(seconds(place), f"token {token}", f"{ROOT}/0"))
    await answer(place, await offer_of(place, watch))
    await place.pass_s(60)
    kept = sorted((place.app.state_folder / "evidence").iterdir())
    assert [path.suffix for path in kept] == [".log", ".threads"]
    assert "_shutdown" in kept[1].read_text()
    assert "token" in kept[0].read_text()
    assert token not in kept[0].read_text()


async def test_promise_2_many_answers_at_once_lead_to_one_act(place: AppHarness):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    rulings = await asyncio.gather(*(answer(place, offer) for _ in range(5)))
    assert sum(ruling.took_effect for ruling in rulings) == 1
    assert all("Already approved by U-ada" in ruling.sentence for ruling in rulings if not ruling.took_effect)
    await place.pass_s(120)
    assert (place.writer.stopped, place.writer.submitted) == ([ROOT], [SUCCESSOR])


async def test_a_stranger_decides_nothing(place: AppHarness):
    watch = await zombie(place)
    with pytest.raises(NotAllowed, match="U-mallory may not answer"):
        await answer(place, await offer_of(place, watch), Person("U-mallory"))
    await place.pass_s(120)
    assert place.writer.stopped == []


async def test_a_denial_is_kept_and_nothing_is_offered_again_for_the_same_facts(place: AppHarness):
    watch = await zombie(place)
    await answer(place, await offer_of(place, watch), yes=Answer.NO)
    await place.pass_s(1800, step_s=30)
    (incident,) = (await watch_status(place.app, watch.id)).incidents
    assert incident.status is IncidentStatus.DENIED
    assert place.writer.stopped == []
    assert place.ear.occasions == ["started", "incident"]


async def test_a_job_that_recovered_between_the_answer_and_the_act_is_left_alone(place: AppHarness):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    jobs_now = [*pipeline(state=type(place.cluster.jobs[ROOT].state).KILLED, workers=None)]
    place.cluster.show(tree(*jobs_now, *pipeline(attempt=1, since_s=seconds(place))))
    for done in (1, 2, 3):
        place.cluster.log.append(
            report(
                seconds(place), done, 100, coordinator=f"{ROOT}/zephyr-dedup-0a1b2c3d-p0-a1", execution="x-2"
            )
        )
        place.clock.advance(1)
    await answer(place, offer)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([], [])
    async with place.app.store.reading() as tx:
        withdrawn = await tx.incidents.proposal(offer)
    assert withdrawn is not None
    assert withdrawn.status == "withdrawn"


async def test_no_job_is_stopped_that_cannot_be_started_again_from_here(place: AppHarness):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    block = PreflightSeverity.BLOCK
    place.writer.findings = (PreflightFinding(program.ID, block, "`iris` cannot be run here."),)
    await answer(place, offer)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([], [])
    told = [message.words.sentence for message in place.ear.heard]
    assert "Nothing was done. `iris` cannot be run here." in told
    assert (await watch_status(place.app, watch.id)).proposals[-1].status == "withdrawn"
    place.writer.findings = ()  # the person installs it, and answers the new offer
    await place.pass_s(60)
    await answer(place, await offer_of(place, watch))
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([ROOT], [SUCCESSOR])
