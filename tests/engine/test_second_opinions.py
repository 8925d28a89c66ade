"""Second opinions beside the checks: the card goes out first, is edited then, and nothing else changes."""

import asyncio
from dataclasses import replace
from pathlib import Path

from babysitter.advisor.consultation import Consultation, Usage
from babysitter.advisor.material import Material
from babysitter.advisor.question import Question
from babysitter.config.settings import AdvisorSettings
from babysitter.engine.second_opinions import SecondOpinions
from babysitter.model.events import Event
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import JobId
from babysitter.model.incident import Incident
from babysitter.model.job import JobState
from babysitter.model.opinion import NoOpinion, Opinion, OpinionRecord, Quote
from babysitter.model.watch import Watch
from babysitter.usecases.explain import advice_lines
from tests.engine.test_check import zombie
from tests.support.app import AppHarness, home
from tests.support.build import NOON, ROOT
from tests.support.jobs import job, pipeline, raw, tree

LIE = Opinion(Cause.USER_CANCEL, 1.0, "Somebody stopped it.", (Quote("F1", "job state"),), ActionKind.RESTART)


class ScriptedAdvisor:
    """Answers what it is told, and counts."""

    def __init__(self, opinion: Opinion | NoOpinion) -> None:
        self.opinion = opinion
        self.questions: list[Question] = []

    async def consult(self, question: Question, material: Material) -> Consultation:  # noqa: ARG002
        self.questions.append(question)
        return Consultation(self.opinion, Usage(1, 4_000, 500, 0.02), "said")


async def failed(place: AppHarness, root: JobId = ROOT) -> None:
    """A plain job prints words that no rule knows, and ends badly."""
    place.cluster.jobs[root] = job(root)
    await place.watch(root)
    place.cluster.log.append(raw(0, "E the moon is made of cheese, giving up", f"{root}/0"))
    await place.pass_s(60)
    place.cluster.jobs[root] = replace(job(root), state=JobState.FAILED, finished_at=place.clock.now())
    await place.pass_s(60)


async def incident_of(place: AppHarness) -> tuple[Incident, OpinionRecord | None]:
    async with place.app.store.reading() as tx:
        (incident,) = await tx.incidents.all()
        return incident, await tx.opinions.of(incident.id)


def opinions(place: AppHarness, advisor: ScriptedAdvisor, *, waits: bool = False) -> SecondOpinions:
    return SecondOpinions(place.app, advisor, waits_for_answers=waits)


async def settled(place: AppHarness) -> None:
    await place.service.tick()
    await place.service.settled()


async def told(place: AppHarness) -> list[Event]:
    return await place.events()


async def test_lying_opinion_changes_no_proof_and_no_proposal(tmp_path: Path):
    async with home(tmp_path) as place:
        place.cluster.show(tree(*pipeline()))
        await zombie(place)
        before, events = await incident_of(place), await told(place)
        card = next(each for each in place.ear.heard if each.occasion.value == "incident")
        assert not [note for note in card.words.notes if note[0] == "Second opinion"]
        advisor = ScriptedAdvisor(LIE)
        await opinions(place, advisor).ask_next()
        await settled(place)
        after, record = await incident_of(place)
        assert (after.diagnosis, after.status) == (before[0].diagnosis, before[0].status)
        assert await told(place) == events
        assert record is not None
        assert record.combined.cause is Cause.ZOMBIE_COORDINATOR
        assert record.combined.action is before[0].diagnosis.action
        edited = [each for each in place.ear.edited if each.id == card.id][-1]
        (note,) = [text for name, text in edited.words.notes if name == "Second opinion"]
        assert "user-cancel" in note
        assert "zombie-coordinator is proven and stands" in note
        assert "[4,500 tokens, 0.020 USD]" in note
        assert [each.target for each in edited.buttons] == [each.target for each in card.buttons]


async def test_each_incident_is_asked_about_once(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        (watch,) = await every_watch(place)
        assert "Nobody was asked" in (await advice_lines(place.app, watch))[0]
        advisor = ScriptedAdvisor(replace(LIE, cause=Cause.DATA_ERROR))
        asking = opinions(place, advisor)
        await asking.ask_next()
        await asking.ask_next()
        await opinions(place, advisor).ask_next()
        lines = await advice_lines(place.app, watch)
        assert lines[1].startswith("Second opinion: suspected data-error")
        assert lines[-1] == "said"
        assert len(advisor.questions) == 1
        assert "the moon is made of cheese" in advisor.questions[0].text
        _, record = await incident_of(place)
        assert record is not None
        assert (record.combined.cause, record.tokens) == (Cause.DATA_ERROR, 4_500)


async def test_no_opinion_is_said_on_the_card(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        await opinions(place, ScriptedAdvisor(NoOpinion("The service was down."))).ask_next()
        await settled(place)
        notes = [note for each in place.ear.edited for note in each.words.notes]
        assert ("Second opinion", "none was to be had: The service was down.") in notes


async def test_answer_by_another_hand_is_looked_for_again(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        advisor = ScriptedAdvisor(NoOpinion("not there yet."))
        asking = opinions(place, advisor, waits=True)
        await asking.ask_next()
        await asking.ask_next()
        assert len(advisor.questions) == 1
        place.clock.advance(31)
        advisor.opinion = replace(LIE, cause=Cause.DATA_ERROR)
        await asking.ask_next()
        assert (await incident_of(place))[1] is not None


WISHES = ({"ask": "on-request"}, {"calls_per_day": 3}, {"tokens_per_day": 1_000})


async def test_nobody_is_asked_beyond_the_settings(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        advisor = ScriptedAdvisor(LIE)
        for wish in WISHES:
            settings = place.app.settings.model_copy(update={"advisor": AdvisorSettings(**wish)})
            limited = replace(place.app, settings=settings)
            await SecondOpinions(limited, advisor, waits_for_answers=True).ask_next()
        assert advisor.questions == []


async def test_service_without_an_advisor_has_no_such_activity(tmp_path: Path):
    async with home(tmp_path / "one") as place:
        assert "advisor" not in place.service._activities
    async with home(tmp_path / "two", advisor={"exchange": tmp_path / "x"}) as place:
        await failed(place)
        await asyncio.wait_for(place.service._activities["advisor"].attempt(), 30)
        assert [path.suffix for path in (tmp_path / "x").iterdir()] == [".md"]


async def every_watch(place: AppHarness) -> tuple[Watch, ...]:
    async with place.app.store.reading() as tx:
        return tuple(await tx.watches.all())


async def test_second_incident_of_a_kind_costs_nothing(tmp_path: Path):
    quoted = replace(LIE, cause=Cause.DATA_ERROR, quotes=(Quote("L1", "the moon is made of cheese"),))
    async with home(tmp_path) as place:
        advisor = ScriptedAdvisor(quoted)
        asking = opinions(place, advisor)
        await failed(place)
        await asking.ask_next()
        await failed(place, JobId("/ada/other"))
        await asking.ask_next()
        async with place.app.store.reading() as tx:
            records = [await tx.opinions.of(each.id) for each in await tx.incidents.all()]
            spent = await tx.opinions.spent(NOON)
        assert len(advisor.questions) == 1
        assert [each and each.combined.cause for each in records] == [Cause.DATA_ERROR] * 2
        assert (spent.opinions, spent.calls, spent.tokens) == (2, 1, 4_500)
