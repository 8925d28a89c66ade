"""Second opinions beside the checks: the card goes out first, is edited then, and nothing else changes."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.advisor.consultation import Consultation, Usage
from babysitter.advisor.material import Material
from babysitter.advisor.question import Question
from babysitter.config.advisor_settings import AdvisorSettings
from babysitter.engine.advising.second_opinions import SecondOpinions, has_unexplained_report
from babysitter.engine.app import App
from babysitter.errors import UserError
from babysitter.model.events import Event
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import JobId
from babysitter.model.incident import Incident
from babysitter.model.job import JobState
from babysitter.model.message import ButtonKind, Message
from babysitter.model.opinion import NoOpinion, Opinion, OpinionRecord, OpinionRequest, Quote
from babysitter.model.watch import Watch
from babysitter.slack.approval_adapter import ApprovalAdapter
from babysitter.usecases.incidents.explain import advice_lines
from babysitter.usecases.incidents.request_opinion import advise_now
from tests.engine.test_check import zombie
from tests.support.app import ADA, AppHarness, home
from tests.support.build import NOON, ROOT
from tests.support.clock import FakeClock
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
    place.cluster.log.append(raw(0, "E the walrus hums in amber while kettles whisper", f"{root}/0"))
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
    """Deliver what was said. No check: when one is due depends on the watch's id."""
    place.clock.advance(5)  # edits of one message are apart
    await place.service.deliverer.tick()
    await place.service.deliverer.settled()


async def told(place: AppHarness) -> list[Event]:
    return await place.events()


async def test_lying_opinion_changes_no_proof_and_no_proposal(tmp_path: Path):
    async with home(tmp_path) as place:
        place.cluster.show(tree(*pipeline()))
        await zombie(place)
        before, events = await incident_of(place), await told(place)
        card = next(message for message in place.ear.heard if message.occasion.value == "incident")
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
        edited = [message for message in place.ear.edited if message.id == card.id][-1]
        (note,) = [text for name, text in edited.words.notes if name == "Second opinion"]
        assert "user-cancel" in note
        assert "zombie-coordinator stands, because of what is recorded" in note
        assert "[4,500 tokens, 0.020 USD; in 24 h 1 call, 4,500 tokens, 0.02 USD]" in note
        assert [button.target for button in edited.buttons] == [button.target for button in card.buttons]


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
        assert "the walrus hums in amber" in advisor.questions[0].text
        _, record = await incident_of(place)
        assert record is not None
        assert (record.combined.cause, record.tokens) == (Cause.DATA_ERROR, 4_500)


async def test_no_opinion_is_said_on_the_card(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        await opinions(place, ScriptedAdvisor(NoOpinion("The service was down."))).ask_next()
        await settled(place)
        notes = [note for message in place.ear.edited for note in message.words.notes]
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


PRICES = {"made-up": {"input_usd": 1.0, "output_usd": 1.0}}
OVER_THE_DAY = (
    ({"calls_per_day": 3}, "more than is left of the 3 calls of 24 h."),
    ({"tokens_per_day": 1_000}, "more than is left of the 1,000 tokens of 24 h."),
    (
        {"model": "made-up", "prices": PRICES, "cost_usd_per_day": 0.01},
        "more than is left of the 0.01 USD of 24 h.",
    ),
)


def limited(place: AppHarness, **wishes: object) -> App:
    """The same app with other settings of the advisor."""
    return replace(
        place.app, settings=place.app.settings.model_copy(update={"advisor": AdvisorSettings(**wishes)})
    )


async def test_nobody_is_asked_beyond_the_settings(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        (watch,) = await every_watch(place)
        advisor = ScriptedAdvisor(LIE)
        app = limited(place, ask="on-request")
        await SecondOpinions(app, advisor, waits_for_answers=False).ask_next()
        assert "Nobody was asked" in (await advice_lines(place.app, watch))[0]
        for wishes, sentence in OVER_THE_DAY:
            app = limited(place, **wishes)
            async with app.store.transaction() as tx:
                for incident in await tx.incidents.all():
                    await tx.opinions.request(OpinionRequest(incident.id, ADA, app.clock.now()))
            await SecondOpinions(app, advisor, waits_for_answers=False).ask_next()
            assert sentence in (await advice_lines(place.app, watch))[1]
        assert advisor.questions == []


class DyingAdvisor(ScriptedAdvisor):
    """Its process dies while the question is under way."""

    async def consult(self, question: Question, material: Material) -> Consultation:
        await super().consult(question, material)
        raise asyncio.CancelledError


async def test_question_of_a_dead_process_counts_in_full(tmp_path: Path):
    async with home(tmp_path) as place:
        await failed(place)
        with pytest.raises(asyncio.CancelledError):
            await opinions(place, DyingAdvisor(LIE)).ask_next()
        async with place.app.store.reading() as tx:
            assert (await tx.advisor.spent(NOON)).tokens == 60_000
        await opinions(place, ScriptedAdvisor(replace(LIE, cause=Cause.DATA_ERROR))).ask_next()
        async with place.app.store.reading() as tx:
            day = await tx.advisor.day(place.clock.now())
        assert (day.spent.calls, day.spent.tokens, day.limits) == (5, 64_500, None)
        place.clock.advance(86_401)
        async with place.app.store.reading() as tx:
            assert (await tx.advisor.day(place.clock.now())).spent.calls == 0


ASKED = {"api_key": "made-up-key", "ask": "on-request"}


def cards(place: AppHarness) -> list[Message]:
    return [
        message for message in (*place.ear.heard, *place.ear.edited) if message.occasion.value == "incident"
    ]


def kinds(message: Message) -> list[ButtonKind]:
    return [button.kind for button in message.buttons]


def note(message: Message) -> str:
    return next((text for name, text in message.words.notes if name == "Second opinion"), "")


async def test_press_asks_once_and_the_card_shows_the_answer(tmp_path: Path):
    async with home(tmp_path, advisor=ASKED) as place:
        await failed(place)
        assert ButtonKind.ADVISE in kinds(cards(place)[-1])
        incident, _ = await incident_of(place)
        desk, advisor = ApprovalAdapter(place.app), ScriptedAdvisor(NoOpinion("The service was down."))
        asking = opinions(place, advisor)
        await asking.ask_next()
        assert advisor.questions == []
        assert (await desk.ask_advice(incident.id, ADA)).took_effect
        again = await desk.ask_advice(incident.id, ADA)
        assert "asked for already" in again.sentence
        await settled(place)
        assert note(cards(place)[-1]).startswith("asked for by U-ada at ")
        assert ButtonKind.ADVISE not in kinds(cards(place)[-1])
        await asking.ask_next()
        await settled(place)
        assert "The service was down" in note(cards(place)[-1])
        assert ButtonKind.ADVISE in kinds(cards(place)[-1])
        place.clock.advance(31)
        advisor.opinion = replace(LIE, cause=Cause.DATA_ERROR)
        await desk.ask_advice(incident.id, ADA)
        await asking.ask_next()
        await settled(place)
        assert note(cards(place)[-1]).startswith("suspected data-error")
        assert "2 of 200 calls, 9,000 of 2,000,000 tokens" in note(cards(place)[-1])
        assert ButtonKind.ADVISE not in kinds(cards(place)[-1])
        assert "already" in (await desk.ask_advice(incident.id, ADA)).sentence
        await asking.ask_next()
        assert len(advisor.questions) == 2


async def test_wish_outlives_the_process(tmp_path: Path):
    clock = FakeClock()
    async with home(tmp_path, clock=clock, advisor=ASKED) as place:
        await failed(place)
        incident, _ = await incident_of(place)
        await ApprovalAdapter(place.app).ask_advice(incident.id, ADA)
        cluster = place.cluster
    async with home(tmp_path, clock=clock, cluster=cluster, advisor=ASKED) as place:
        advisor = ScriptedAdvisor(replace(LIE, cause=Cause.DATA_ERROR))
        await opinions(place, advisor).ask_next()
        assert (len(advisor.questions), (await incident_of(place))[1] is not None) == (1, True)


async def test_no_button_where_nobody_gives_opinions(tmp_path: Path):
    async with home(tmp_path / "state", advisor=ASKED) as place:
        await failed(place)
    async with home(tmp_path / "state", clock=place.clock, cluster=place.cluster) as later:
        incident, _ = await incident_of(later)
        heard = await ApprovalAdapter(later.app).ask_advice(incident.id, ADA)
        assert "no advisor" in heard.sentence
        await later.pass_s(60)
        await failed(later, JobId("/ada/other"))
        assert ButtonKind.ADVISE not in [kind for card in cards(later) for kind in kinds(card)]


async def test_terminal_asks_once_and_keeps_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with home(tmp_path, advisor=ASKED) as place:
        place.cluster.jobs[ROOT] = job(ROOT)
        watch = await place.watch()
        with pytest.raises(UserError, match="no incident to ask about"):
            await advise_now(place.app, watch)
        await failed(place, JobId("/ada/other"))
        watch = next(candidate for candidate in await every_watch(place) if candidate.root == "/ada/other")
        advisor = ScriptedAdvisor(replace(LIE, cause=Cause.DATA_ERROR))
        monkeypatch.setattr(
            "babysitter.usecases.incidents.request_opinion.open_advisor", lambda *_, **__: advisor
        )
        for _ in range(2):
            assert (await advise_now(place.app, watch))[1].startswith("Second opinion: suspected data-error")
        await settled(place)
        assert note(cards(place)[-1]).startswith("suspected data-error")
        assert len(advisor.questions) == 1


async def reporting(place: AppHarness) -> Watch:
    """A job goes on printing, and one line reports what no rule knows."""
    place.cluster.jobs[ROOT] = job(ROOT)
    await place.watch()
    place.cluster.log += [raw(at, f"I step {at} done", f"{ROOT}/0") for at in range(0, 100, 10)]
    place.cluster.log.append(raw(101, "E the walrus hums in amber while kettles whisper", f"{ROOT}/0"))
    await place.pass_s(60)
    (watch,) = await every_watch(place)
    assert has_unexplained_report(watch)
    return watch


async def test_watch_with_an_unexplained_report_hourly(tmp_path: Path):
    clock, advisor = FakeClock(), ScriptedAdvisor(replace(LIE, cause=Cause.DATA_ERROR))
    async with home(tmp_path, clock=clock, advisor={"api_key": "made-up-key"}) as place:
        watch = await reporting(place)
        asking = opinions(place, advisor)
        for _ in range(3):
            await asking.ask_next()
            place.clock.advance(61)
        await settled(place)
        assert len(advisor.questions) == 1
        assert "the walrus hums in amber" in advisor.questions[0].text
        header = [message for message in place.ear.edited if message.occasion.value == "live-state"][-1]
        assert note(header).startswith("suspected data-error")
        lines = await advice_lines(place.app, watch)
        assert lines[1].startswith("Second opinion: suspected data-error")
        cluster = place.cluster
    async with home(tmp_path, clock=clock, cluster=cluster, advisor={"api_key": "made-up-key"}) as place:
        await opinions(place, advisor).ask_next()
        assert len(advisor.questions) == 1, "a restart of the service does not ask again"
        place.clock.advance(3_600)
        await opinions(place, advisor).ask_next()
        assert len(advisor.questions) == 2
        async with place.app.store.reading() as tx:
            assert await tx.incidents.all() == ()


async def test_watch_is_left_alone_where_nothing_is_odd(tmp_path: Path):
    advisor = ScriptedAdvisor(LIE)
    async with home(tmp_path, advisor={"api_key": "made-up-key"}) as place:
        place.cluster.jobs[ROOT] = job(ROOT)
        await place.watch()
        place.cluster.log += [raw(at, f"I step {at} done", f"{ROOT}/0") for at in range(0, 100, 10)]
        await place.pass_s(60)
        await opinions(place, advisor).ask_next()
    async with home(tmp_path / "two", advisor=ASKED) as place:
        await reporting(place)
        await opinions(place, advisor).ask_next()
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
    quoted = replace(LIE, cause=Cause.DATA_ERROR, quotes=(Quote("L1", "the walrus hums in amber"),))
    async with home(tmp_path) as place:
        advisor = ScriptedAdvisor(quoted)
        asking = opinions(place, advisor)
        await failed(place)
        await asking.ask_next()
        await failed(place, JobId("/ada/other"))
        await asking.ask_next()
        async with place.app.store.reading() as tx:
            records = [await tx.opinions.of(incident.id) for incident in await tx.incidents.all()]
            spent = await tx.advisor.spent(NOON)
        assert len(advisor.questions) == 1
        assert [record and record.combined.cause for record in records] == [Cause.DATA_ERROR] * 2
        assert (spent.opinions, spent.calls, spent.tokens) == (2, 1, 4_500)
