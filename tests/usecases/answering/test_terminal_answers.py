"""An answer at a terminal that the running service decides: once, or not at all, and never unsaid."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.errors import ExternalError, FactsChanged
from babysitter.model.events import DecisionRefused, ProposalDecided
from babysitter.model.ids import Person, ProposalId
from babysitter.model.proposal import Answer, Proposal, Surface
from babysitter.store.quick.sqlite_snapshot import NotReadable
from babysitter.store.repositories.inbox import PendingClick
from babysitter.usecases.answering import quick_answer
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.answering.follow_approval import follow_approval
from babysitter.usecases.answering.quick_answer import QuickAnswer, answer_by_service, follow_by_reading
from babysitter.usecases.answering.terminal_answers import decide_terminal_answers
from tests.support.app import ADA, AppHarness, home
from tests.support.build import NOON
from tests.support.offers import offered
from tests.support.waiting import HANG_S, until

BOB = Person("U-bob")
LASTS = timedelta(hours=2)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


class Command:
    """`approve` beside the service, in a thread; between two looks of it `meanwhile` happens."""

    def __init__(self, place: AppHarness, *meanwhile: Callable[[], object]) -> None:
        self.place, self.meanwhile = place, list(meanwhile)
        self.loop = asyncio.get_running_loop()

    def sleep(self, _: float) -> None:
        if self.meanwhile:
            happened = self.meanwhile.pop(0)()
            if asyncio.iscoroutine(happened):
                asyncio.run_coroutine_threadsafe(happened, self.loop).result(60)

    async def answer(
        self, offer: Proposal, answer: Answer = Answer.YES, *, person: Person = ADA
    ) -> QuickAnswer | None:
        lasts = LASTS if answer is Answer.SNOOZE else None
        folder = self.place.app.state_folder
        return await asyncio.to_thread(
            lambda: answer_by_service(folder, offer.id, person, answer, lasts, now=NOON, sleep=self.sleep)
        )

    def decide(self) -> object:
        return decide_terminal_answers(self.place.app)


async def waiting(place: AppHarness) -> int:
    async with place.app.store.reading() as tx:
        return len(await tx.inbox.of(Surface.TERMINAL))


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("given", "said"),
    [(Answer.YES, "Approved"), (Answer.NO, "Denied"), (Answer.SNOOZE, "Put off")],
)
async def test_service_decides_what_was_left(place: AppHarness, given: Answer, said: str):
    watch, offer = await offered(place)
    command = Command(place, lambda: decide_terminal_answers(place.app))
    assert await command.answer(offer, given) == QuickAnswer(offer.id, True, f"{said} by {ADA}.")
    assert await waiting(place) == 0
    (decided,) = await place.events(ProposalDecided)
    assert (decided.by, decided.through, decided.answer_id[:9]) == (ADA, "terminal", "terminal:")
    async with place.app.store.reading() as tx:
        action = await tx.journal.open_action_of(watch.id)
        decision = await tx.incidents.decision_on(offer.id)
    assert (action is not None) is (given is Answer.YES)
    until = place.clock.now() + LASTS if given is Answer.SNOOZE else None
    assert decision is not None
    assert decision.snooze_until == until


async def test_of_two_answers_one_counts(place: AppHarness):
    _, offer = await offered(place)
    decided = threading.Event()
    both = [Command(place, lambda: decided.wait(HANG_S)) for _ in range(2)]
    answers = asyncio.gather(*(command.answer(offer) for command in both))
    await until(
        lambda: not any(command.meanwhile for command in both)
    )  # both are left, and both commands wait
    await decide_terminal_answers(place.app)
    decided.set()
    found = await answers
    assert sorted(answer.took_effect for answer in found if answer) == [False, True]
    (late,) = [answer.sentence for answer in found if answer and not answer.took_effect]
    assert late.startswith(f"Already approved by {ADA}")
    assert len(await place.events(ProposalDecided)) == 1


async def test_answer_that_comes_too_late_is_refused_once(place: AppHarness):
    _, offer = await offered(place)
    command = Command(place, lambda: place.clock.advance(1e6), lambda: decide_terminal_answers(place.app))
    with pytest.raises(FactsChanged, match="expired at"):
        await command.answer(offer)
    (refused,) = await place.events(DecisionRefused)
    assert refused.answer_id.startswith("terminal:")
    assert await waiting(place) == 0


async def test_whoever_may_not_answer_leaves_nothing(place: AppHarness):
    _, offer = await offered(place)
    for command in (
        Command(place).answer(offer, person=BOB),
        asyncio.to_thread(
            answer_by_service, place.app.state_folder, "p-none", ADA, Answer.YES, now=NOON, sleep=interrupt
        ),
    ):
        assert await command is None
    assert await waiting(place) == 0


async def test_answer_is_taken_back_where_nobody_decides(place: AppHarness):
    _, offer = await offered(place)
    assert await Command(place).answer(offer) is None
    await decide_terminal_answers(place.app)
    assert await place.events(ProposalDecided, DecisionRefused) == []
    assert (await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)).took_effect


async def test_answer_is_taken_back_where_the_service_ends(
    place: AppHarness, monkeypatch: pytest.MonkeyPatch
):
    _, offer = await offered(place)
    looks: list[bool] = [True, True, False]
    monkeypatch.setattr(quick_answer, "is_served", lambda _: looks.pop(0))
    assert await Command(place).answer(offer) is None
    assert (looks, await waiting(place)) == ([], 0)


async def test_what_was_taken_back_meanwhile_has_no_effect(place: AppHarness):
    _, offer = await offered(place)
    late = await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL, incoming="terminal:gone")
    assert (late.took_effect, late.sentence) == (False, "The answer was taken back.")
    place.clock.advance(1e6)
    assert await place.events(ProposalDecided, DecisionRefused) == []


async def test_ctrl_c_takes_an_answer_back(place: AppHarness):
    _, offer = await offered(place)
    with pytest.raises(KeyboardInterrupt):
        await Command(place, interrupt).answer(offer)
    assert await waiting(place) == 0


async def test_ctrl_c_after_the_decision_says_so(place: AppHarness):
    _, offer = await offered(place)
    command = Command(place)

    def decided_then_interrupted() -> None:
        asyncio.run_coroutine_threadsafe(decide_terminal_answers(place.app), command.loop).result(60)
        raise KeyboardInterrupt

    command.meanwhile = [decided_then_interrupted]
    found = await command.answer(offer)
    assert found == QuickAnswer(offer.id, True, f"Approved by {ADA}.", is_interrupted=True)


async def test_unreadable_and_unknown_answers_are_removed(place: AppHarness):
    body = '{"id":"b","proposal":"p-none","person":"U-ada","answer":"yes"}'
    async with place.app.store.transaction() as tx:
        await tx.inbox.put(PendingClick("a", Surface.TERMINAL, NOON, "{}"))
        await tx.inbox.put(PendingClick("b", Surface.TERMINAL, NOON, body))
    await decide_terminal_answers(place.app)
    assert await waiting(place) == 0
    (refused,) = await place.events(DecisionRefused)
    assert (refused.proposal, refused.answer_id) == ("p-none", "b")


@pytest.mark.parametrize("meanwhile", [(interrupt,), ()])
async def test_answer_that_may_still_count_is_said(
    place: AppHarness, monkeypatch: pytest.MonkeyPatch, meanwhile: tuple[Callable[[], object], ...]
):
    def locked(*_: object) -> bool:
        raise NotReadable

    _, offer = await offered(place)
    monkeypatch.setattr(quick_answer, "take_back_answer", locked)
    with pytest.raises(ExternalError, match="may still decide it"):
        await Command(place, *meanwhile).answer(offer)
    assert await waiting(place) == 1


async def test_answer_that_the_service_cannot_read_is_said(place: AppHarness):
    async def removed_unread() -> None:
        async with place.app.store.transaction() as tx:
            (row,) = await tx.inbox.of(Surface.TERMINAL)
            await tx.inbox.take_out(row.id)
            await tx.inbox.put(PendingClick(row.id, Surface.TERMINAL, NOON, "{}"))
        await decide_terminal_answers(place.app)

    _, offer = await offered(place)
    with pytest.raises(FactsChanged, match="could not read the answer"):
        await Command(place, removed_unread).answer(offer)


async def test_both_ways_to_follow_say_the_same(place: AppHarness):
    _, offer = await offered(place)
    await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)
    command = Command(place, lambda: place.pass_s(600))
    with pytest.raises(FactsChanged, match="Called off, nothing was done") as by_reading:
        await asyncio.to_thread(follow_by_reading, place.app.state_folder, offer.id, sleep=command.sleep)
    with pytest.raises(FactsChanged) as by_store:
        await follow_approval(place.app, offer.id)
    assert str(by_reading.value) == str(by_store.value)


async def test_following_leaves_an_ended_service_to_the_store(
    place: AppHarness, monkeypatch: pytest.MonkeyPatch
):
    _, offer = await offered(place)
    folder = place.app.state_folder
    assert follow_by_reading(folder, ProposalId("p-none")) is None
    async with place.app.store.transaction() as tx:
        await tx.journal.begin(offer.id, offer.watch, now=NOON)
        await tx.journal.end(offer.id, "broke off", now=NOON)
    with pytest.raises(ExternalError, match="The restart broke off"):
        follow_by_reading(folder, offer.id)
    monkeypatch.setattr(quick_answer, "is_served", lambda _: False)
    assert follow_by_reading(folder, offer.id) is None
