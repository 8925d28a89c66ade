"""Telling: in order, once, through slowness, refusals, pauses, crashes and quiet hours."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from babysitter.engine.telling import deliver
from babysitter.engine.telling.deliver import EDIT_EVERY, Deliverer
from babysitter.errors import StorageUnavailable
from babysitter.model.events import MessageDropped
from babysitter.model.ids import MessageId, ProposalId
from babysitter.model.message import (
    Audience,
    Button,
    ButtonKind,
    Message,
    MessageContent,
    MessageKind,
)
from babysitter.notify.notifier import NotifyError
from babysitter.store.repositories.outbox import Outbox
from babysitter.store.store import Store, open_store
from tests.support.app import RecordingNotifier
from tests.support.build import at
from tests.support.clock import FakeClock
from tests.support.locked import locked
from tests.support.waiting import HANG_S, until

DAILY = Message(
    MessageId("m-daily"),
    "w-1",
    MessageKind.INCIDENT,
    MessageContent("Yesterday", "All went well."),
    at(0),
    audience=Audience.DAILY,
)


class Post:
    """An outbox with one notifier, and a clock that moves when told."""

    def __init__(self, store: Store, *ears: RecordingNotifier) -> None:
        self.store = store
        self.ears = ears or (RecordingNotifier(),)
        self.ear = self.ears[0]
        self.clock = FakeClock()
        self.deliverer = Deliverer(store, self.ears, self.clock, self.clock)

    async def put(
        self, number: int, conversation: str = "w-1", *, hold_s: float | None = None, button: bool = False
    ) -> None:
        buttons = (Button(ButtonKind.APPROVE, "p-1"),) if button else ()
        message = Message(
            MessageId(f"m-{number}"),
            conversation,
            MessageKind.INCIDENT,
            MessageContent(f"Title {number}", f"Sentence {number}."),
            self.clock.now(),
            proposal=ProposalId("p-1") if button else None,
            buttons=buttons,
        )
        hold_until: datetime | None = at(hold_s) if hold_s is not None else None
        async with self.store.transaction() as tx:
            await tx.outbox.put(message, hold_until=hold_until)

    async def edit(self, number: int, sentence: str) -> None:
        words = MessageContent(f"Title {number}", sentence)
        changed = Message(MessageId(f"m-{number}"), "w-1", MessageKind.LIVE_STATE, words, self.clock.now())
        async with self.store.transaction() as tx:
            await tx.outbox.edit(changed.id, changed)

    async def tick(self, seconds: float = 0.0) -> None:
        self.clock.advance(seconds)
        await self.deliverer.tick()
        await self.deliverer.settled()

    @property
    def heard(self) -> list[str]:
        return [message.id for message in self.ear.heard]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def post(store: Store) -> Post:
    made = Post(store)
    await made.deliverer.begin()
    return made


async def test_messages_of_a_conversation_come_in_order_in_one_thread(post: Post):
    for number in range(1, 6):
        await post.put(number)
    await post.put(6, "w-2")
    await post.tick()
    assert [text for text in post.heard if text != "m-6"] == [f"m-{number}" for number in range(1, 6)]
    assert post.ear.threads == {"m-1": "", "m-6": ""} | {
        f"m-{n}": post.ear.threads["m-2"] for n in range(2, 6)
    }
    assert post.ear.threads["m-2"] != ""
    await post.tick(60)
    assert len(post.heard) == 6


async def test_a_failure_is_tried_again_and_the_next_one_waits(post: Post):
    await post.put(1)
    await post.put(2)
    post.ear.is_down = NotifyError("no network")
    await post.tick()
    post.ear.is_down = None
    await post.tick()
    assert post.heard == []
    await post.tick(2)
    assert post.heard == ["m-1", "m-2"]
    assert post.ear.repeats == []  # it surely had not arrived


async def test_a_pause_asked_for_is_kept_by_every_conversation(post: Post):
    await post.put(1)
    post.ear.is_down = NotifyError("slow down", retry_after_s=30)
    await post.tick()
    post.ear.is_down = None
    await post.put(2, "w-2")
    await post.tick(29)
    assert post.heard == []
    await post.tick(2)
    assert sorted(post.heard) == ["m-1", "m-2"]


async def test_a_doubt_is_looked_into_before_it_is_said_again(post: Post):
    await post.put(1)
    post.ear.troubles = [NotifyError("the answer was lost", is_doubtful=True)]
    await post.tick()
    await post.tick(5)
    assert post.heard == ["m-1"]
    assert post.ear.repeats == ["m-1"]


async def test_a_doubt_stays_one_through_a_sure_failure(post: Post):
    await post.put(1)
    post.ear.troubles = [NotifyError("the answer was lost", is_doubtful=True)]
    await post.tick()
    post.ear.is_down = NotifyError("refused the connection")
    await post.tick(5)
    post.ear.is_down = None
    await post.tick(60)
    assert post.heard == ["m-1"]


async def test_promise_4_a_crash_while_posting_says_it_once(post: Post):
    """The message arrived, the receipt was never written, the process ended."""
    await post.put(1)

    class EndOfProcess(BaseException):
        pass

    post.ear.troubles = [EndOfProcess()]  # type: ignore[list-item]
    await post.tick()
    successor = Post(post.store, post.ear)
    await successor.deliverer.begin()
    await successor.tick(1)
    assert post.heard == ["m-1"]
    assert post.ear.repeats == ["m-1"]


async def test_what_can_never_be_told_is_an_event_and_lets_the_next_one_pass(post: Post):
    await post.put(1)
    await post.put(2)
    post.ear.is_down = NotifyError("the channel is gone", is_final=True)
    await post.tick()
    post.ear.is_down = None
    await post.put(3)
    await post.tick(60)
    assert post.heard == ["m-3"]
    async with post.store.reading() as tx:
        dropped = [stored.event for stored in await tx.events.after(0)]
    assert [
        (message_dropped.message, message_dropped.because)
        for message_dropped in dropped
        if isinstance(message_dropped, MessageDropped)
    ] == [
        ("m-1", "the channel is gone"),
        ("m-2", "the channel is gone"),
    ]


async def test_an_hour_without_network_loses_nothing(post: Post):
    post.ear.is_down = NotifyError("no network")
    for number in range(1, 31):
        await post.put(number, f"w-{number % 3}")
        await post.tick(120)
    post.ear.is_down = None
    for _ in range(10):
        await post.tick(60)
    assert sorted(post.heard, key=lambda candidate: int(candidate[2:])) == [
        f"m-{number}" for number in range(1, 31)
    ]
    for conversation in range(3):
        ours = [text for text in post.heard if int(text[2:]) % 3 == conversation]
        assert ours == sorted(ours, key=lambda candidate: int(candidate[2:]))


async def test_a_fault_of_a_notifier_is_survived(post: Post):
    await post.put(1)
    post.ear.troubles = [RuntimeError("a fault of ours")]
    await post.tick()
    await post.tick(10)
    assert post.heard == ["m-1"]
    assert post.ear.repeats == ["m-1"]  # whether it arrived before the fault is not known


async def test_message_for_other_channels_is_left_out(post: Post):
    async with post.store.transaction() as tx:
        await tx.outbox.put(DAILY)
    await post.tick()
    assert post.heard == []
    async with post.store.reading() as tx:
        assert await tx.outbox.with_work(now=at(60), shown_before=at(0)) == frozenset()


async def test_post_that_takes_too_long_is_a_doubt(store: Store, monkeypatch):
    class Stuck(RecordingNotifier):
        async def post(self, message, *, thread, is_repeat):
            if not is_repeat:
                await asyncio.Event().wait()
            return await super().post(message, thread=thread, is_repeat=is_repeat)

    monkeypatch.setattr(deliver, "POST_TIMEOUT_S", 0.0)
    post = Post(store, Stuck())
    await post.deliverer.begin()
    await post.put(1)
    await post.tick()
    await post.tick(10)
    assert (post.heard, post.ear.repeats) == (["m-1"], ["m-1"])


async def test_a_slow_notifier_holds_up_no_other(store: Store):
    class Slow(RecordingNotifier):
        gate = asyncio.Event()

        async def post(self, message, *, thread, is_repeat):
            await self.gate.wait()
            return await super().post(message, thread=thread, is_repeat=is_repeat)

    slow, quick = Slow("slow"), RecordingNotifier("quick")
    post = Post(store, slow, quick)
    await post.deliverer.begin()
    await post.put(1)
    await post.deliverer.tick()
    await until(lambda: quick.heard, step=post.deliverer.tick)
    assert [other.id for other in quick.heard] == ["m-1"]
    assert slow.heard == []
    slow.gate.set()
    await post.deliverer.settled()
    assert [other.id for other in slow.heard] == ["m-1"]


async def test_edits_are_merged_and_not_more_often_than_every_few_seconds(post: Post):
    await post.put(1)
    await post.tick()
    for second in range(20):
        await post.edit(1, f"{second} of 19")
        await post.tick(1)
    await post.tick(EDIT_EVERY.total_seconds())
    assert 3 <= len(post.ear.edited) <= 5
    assert post.ear.edited[-1].words.sentence == "19 of 19"


async def test_last_delivery_edits_without_distance(post: Post):
    await post.put(1)
    await post.tick()
    await post.edit(1, "Still running.")
    await post.tick(EDIT_EVERY.total_seconds())
    await post.edit(1, "It is over.")
    await post.tick()
    assert [message.words.sentence for message in post.ear.edited] == [
        "Still running."
    ]  # too early for the next
    await post.deliverer.finish()
    assert [message.words.sentence for message in post.ear.edited] == ["Still running.", "It is over."]


async def test_a_notifier_without_edits_gets_none_and_the_first_words(store: Store):
    post = Post(store, RecordingNotifier(edits=False))
    await post.deliverer.begin()
    await post.put(1)
    await post.edit(1, "changed before it was told")
    await post.tick(10)
    assert post.ear.edited == []
    assert post.ear.heard[0].words.sentence == "Sentence 1."


async def test_an_edit_that_is_refused_for_good_is_given_up(post: Post):
    await post.put(1)
    await post.tick()
    await post.edit(1, "new")
    post.ear.is_down = NotifyError("message not found", is_final=True)
    await post.tick(10)
    post.ear.is_down = None
    await post.tick(10)
    assert post.ear.edited == []
    await post.edit(1, "newer")
    await post.tick(10)
    assert [message.words.sentence for message in post.ear.edited] == ["newer"]


async def test_the_night_comes_as_one_digest_but_what_can_be_answered_as_it_is(post: Post):
    for number in (1, 2, 3):
        await post.put(number, f"w-{number}", hold_s=3600)
    await post.put(4, "w-4", hold_s=3600, button=True)
    await post.tick(3599)
    assert post.heard == []
    await post.tick(1)
    await post.tick(1)
    assert [message.occasion for message in post.ear.heard if message.id != "m-4"] == [MessageKind.DIGEST]
    assert "m-4" in post.heard
    digest = next(message for message in post.ear.heard if message.occasion is MessageKind.DIGEST)
    assert len(digest.words.progress) == 3
    await post.tick(timedelta(days=1).total_seconds())
    assert len(post.heard) == 2


async def test_one_held_message_comes_as_it_is(post: Post):
    await post.put(1, hold_s=60)
    await post.tick(60)
    assert post.heard == ["m-1"]


class Duplicating(RecordingNotifier):
    """A notifier that cannot look whether a message arrived: it posts whatever it is given."""

    async def post(self, message, *, thread, is_repeat):  # noqa: ARG002
        return await super().post(message, thread=thread, is_repeat=False)


@contextmanager
def locked_after_a_post(ear: RecordingNotifier, folder: Path, store: Store) -> Iterator[None]:
    """Nothing can be written from the moment on at which the next message has arrived."""
    original = ear.post
    with ExitStack() as held:

        async def post_and_lock(*given, **more):
            receipt = await original(*given, **more)
            held.enter_context(locked(folder, store))
            return receipt

        ear.post = post_and_lock
        yield
    ear.post = original


async def test_receipt_that_was_not_stored_is_not_posted_again(store: Store, tmp_path: Path):
    ear = Duplicating("mail")
    post = Post(store, ear)
    await post.deliverer.begin()
    await post.put(1)
    with locked_after_a_post(ear, tmp_path, store):
        await post.tick()
        await post.tick(5)
        assert post.heard == ["m-1"]
    await post.tick(20)
    await post.put(2)
    await post.tick(1)
    assert post.heard == ["m-1", "m-2"]


async def test_last_delivery_does_not_wait_for_a_database_that_works_again(store: Store, tmp_path: Path):
    ear = Duplicating("mail")
    post = Post(store, ear)
    await post.deliverer.begin()
    await post.put(1)
    with locked_after_a_post(ear, tmp_path, store):
        await post.tick()
    await post.edit(1, "It is over.")
    await post.deliverer.finish()
    assert [message.words.sentence for message in ear.edited] == ["It is over."]
    following = Post(store, ear)  # the next process, which knows what is stored and nothing else
    await following.deliverer.begin()
    await following.tick(60)
    assert following.heard == ["m-1"]


async def test_last_delivery_keeps_a_pause_that_was_asked_for(post: Post):
    await post.put(1)
    post.ear.is_down = NotifyError("slow down", retry_after_s=30)
    await post.tick()
    post.ear.is_down = None
    await post.deliverer.finish()
    assert post.heard == []


async def test_message_in_flight_is_not_claimed_again_when_another_fails(store: Store, tmp_path: Path):
    gates, posted = {"m-1": asyncio.Event(), "m-2": asyncio.Event()}, asyncio.Event()

    class Mixed(RecordingNotifier):
        async def post(self, message, *, thread, is_repeat):
            posted.set()
            await gates[message.id].wait()
            return await super().post(message, thread=thread, is_repeat=is_repeat)

    post = Post(store, Mixed())
    await post.deliverer.begin()
    await post.put(1, "w-1")
    await post.put(2, "w-2")
    await post.deliverer.tick()
    await posted.wait()
    with locked(tmp_path, store):
        gates["m-1"].set()
        for _ in range(10):
            post.clock.advance(60)
            await post.deliverer.tick()
        assert post.heard == ["m-1"]
    gates["m-2"].set()
    await post.deliverer.settled()
    await post.tick(60)
    assert sorted(post.heard) == ["m-1", "m-2"]


def deliveries_under_way() -> list[asyncio.Task[None]]:
    return [task for task in asyncio.all_tasks() if task.get_name() == "deliver ear"]


class Waiting(RecordingNotifier):
    """Posts a message once its gate is open; those without a gate at once."""

    def __init__(self, *gated: str) -> None:
        super().__init__()
        self.gates = {text: asyncio.Event() for text in gated}
        self.begun = asyncio.Event()

    async def post(self, message, *, thread, is_repeat):
        self.begun.set()
        if message.id in self.gates:
            await self.gates[message.id].wait()
        return await super().post(message, thread=thread, is_repeat=is_repeat)


async def test_one_delivery_at_a_time_for_a_notifier(store: Store):
    ear = Waiting("m-1")
    post = Post(store, ear)
    await post.deliverer.begin()
    await post.put(1, "w-1")
    await post.deliverer.tick()
    await ear.begun.wait()
    first = deliveries_under_way()
    await post.put(2, "w-2")
    await post.deliverer.tick()
    assert deliveries_under_way() == first
    ear.gates["m-1"].set()
    await post.deliverer.settled()
    assert post.heard == ["m-1", "m-2"]


async def test_delivery_ends_after_all_its_messages(store: Store, monkeypatch: pytest.MonkeyPatch):
    ear, failed = Waiting("m-2"), asyncio.Event()

    async def refused(*_: object, **__: object) -> None:
        failed.set()
        raise StorageUnavailable("The disk is full.")

    monkeypatch.setattr(Outbox, "posted", refused)
    post = Post(store, ear)
    await post.deliverer.begin()
    await post.put(1, "w-1")
    await post.put(2, "w-2")
    await post.deliverer.tick()
    (delivery,) = deliveries_under_way()
    await failed.wait()
    async with store.transaction():  # after the one that failed
        pass
    for _ in range(20):
        await asyncio.sleep(0)
    assert not delivery.done(), "m-2 is still being posted"
    ear.gates["m-2"].set()
    await post.deliverer.settled()
    assert post.heard == ["m-1", "m-2"]


async def test_message_is_delivered_with_its_page(post: Post):
    class Pages:
        async def with_page(self, message: Message) -> Message:
            return replace(message, words=replace(message.words, page="http://c/#/job/a"))

    post.deliverer = Deliverer(post.store, post.ears, post.clock, post.clock, Pages())
    await post.put(1)
    await post.tick()
    assert post.ear.heard[0].words.page == "http://c/#/job/a"


async def test_clock_set_back_holds_up_no_message(post: Post):
    await post.put(1)
    post.ear.is_down = NotifyError("Slack asks for a pause.", retry_after_s=30.0)
    await post.tick()
    post.ear.is_down = None
    post.clock.advance(-7200)
    await post.tick(1)
    assert post.heard == ["m-1"]
    await post.edit(1, "Something new.")
    await post.tick(1)
    assert [message.words.sentence for message in post.ear.edited] == []
    await post.tick(EDIT_EVERY.total_seconds())
    post.clock.advance(-7200)
    await post.edit(1, "Something else.")
    await post.tick(1)
    assert post.ear.edited[-1].words.sentence == "Something else."


class Counting(RecordingNotifier):
    """Notes the second of each try, by message; `refuses`: messages that do not get through."""

    def __init__(self, clock: FakeClock, *refuses: str, edits: bool = True) -> None:
        super().__init__(edits=edits)
        self.clock = clock
        self.refuses = set(refuses)
        self.tried: list[tuple[str, float]] = []
        self.edit_tried: list[tuple[str, float]] = []

    def _second(self) -> float:
        return (self.clock.now() - at(0)).total_seconds()

    async def post(self, message, *, thread, is_repeat):
        self.tried.append((message.id, self._second()))
        if message.id in self.refuses:
            raise NotifyError("no network")
        return await super().post(message, thread=thread, is_repeat=is_repeat)

    async def edit(self, receipt, message):
        self.edit_tried.append((message.id, self._second()))
        if message.id in self.refuses:
            raise NotifyError("no network")
        await super().edit(receipt, message)


@pytest.fixture
async def counted(store: Store) -> tuple[Post, Counting]:
    post = Post(store)
    ear = Counting(post.clock)
    post.ear, post.ears = ear, (ear,)
    post.deliverer = Deliverer(store, (ear,), post.clock, post.clock)
    await post.deliverer.begin()
    return post, ear


async def test_pauses_double_up_to_a_minute(counted: tuple[Post, Counting]):
    post, ear = counted
    ear.refuses = {"m-1"}
    await post.put(1)
    await post.tick()
    for _ in range(190):
        await post.tick(1)
    assert [second for _, second in ear.tried] == [0, 1, 3, 7, 15, 31, 63, 123, 183]


@pytest.mark.parametrize(("put_at_s", "tried_at_s"), [(2, 2), (4, 7)])
async def test_third_failure_in_a_row_pauses_the_notifier(counted, put_at_s, tried_at_s):
    post, ear = counted
    ear.refuses = {"m-1"}
    await post.put(1)
    await post.tick()
    for second in range(1, 9):
        if second == put_at_s:
            await post.put(2, "w-2")
        await post.tick(1)
    assert ("m-2", tried_at_s) in ear.tried
    assert len([item for item, _ in ear.tried if item == "m-2"]) == 1


async def test_success_ends_the_row_of_failures(counted: tuple[Post, Counting]):
    post, ear = counted
    ear.refuses = {"m-1"}
    await post.put(1)
    await post.tick()
    await post.tick(1)
    await post.put(2, "w-2")
    await post.tick(1)  # between the second failure and the third
    await post.tick(1)  # the first one since
    await post.put(3, "w-3")
    await post.tick(1)
    assert ("m-3", 4) in ear.tried
    await post.tick(3)  # the second one since the last success
    await post.put(4, "w-4")
    await post.tick(1)
    assert ("m-4", 8) in ear.tried


async def test_edit_that_fails_holds_up_the_others_and_is_made_later(counted: tuple[Post, Counting]):
    post, ear = counted
    await post.put(1)
    await post.put(2, "w-2")
    await post.tick()
    await post.tick(10)
    ear.refuses = {"m-1"}
    await post.edit(1, "new")
    await post.edit(2, "new")
    await post.tick()
    assert len(ear.edit_tried) == 1 + (ear.edit_tried[0][0] == "m-2")
    ear.refuses = set()
    for _ in range(10):
        await post.tick(1)
    assert {message.id for message in ear.edited} == {"m-1", "m-2"}


async def test_edits_of_one_tick_are_made_at_once(counted: tuple[Post, Counting]):
    post, ear = counted
    for number in (1, 2):
        await post.put(number, f"w-{number}")
    await post.tick()
    await post.tick(10)
    for number in (1, 2):
        await post.edit(number, "new")
    await post.tick()
    assert sorted(text for text, _ in ear.edit_tried) == ["m-1", "m-2"]


async def test_edit_that_keeps_failing_pauses_the_notifier(counted: tuple[Post, Counting]):
    post, ear = counted
    await post.put(1)
    await post.tick()
    ear.refuses = {"m-1"}
    await post.edit(1, "new")
    for _ in range(12):
        await post.tick(1)
    assert [second for _, second in ear.edit_tried] == [5, 6, 7, 11]


async def test_edit_that_succeeds_ends_the_row_of_failures(counted: tuple[Post, Counting]):
    post, ear = counted
    await post.put(1)
    await post.tick()
    for words in ("one", "two"):
        ear.refuses = {"m-1"}
        await post.edit(1, words)
        await post.tick(10)
        await post.tick(1)
        ear.refuses = set()
        await post.tick(1)
    assert [second for _, second in ear.edit_tried] == [10, 11, 12, 22, 23, 24]


async def test_fresh_edit_is_not_made_beside_a_post(post: Post):
    await post.put(1)
    await post.tick()
    await post.edit(1, "new")
    await post.put(2, "w-2")
    await post.tick(1)
    assert (post.heard, post.ear.edited) == (["m-1", "m-2"], [])


async def test_receipt_that_cannot_be_stored_pauses_the_notifier(post: Post, monkeypatch):
    tried = []

    async def refused(*_: object, **__: object) -> None:
        tried.append((post.clock.now() - at(0)).total_seconds())
        raise StorageUnavailable("The disk is full.")

    monkeypatch.setattr(Outbox, "posted", refused)
    await post.put(1)
    await post.tick()
    for _ in range(14):
        await post.tick(1)
    assert tried == [0, 2, 6, 14]
    assert post.heard == ["m-1"]


@pytest.mark.parametrize("held", [1, 2])
async def test_held_messages_are_one_digest_from_the_second_on(post: Post, held):
    for number in range(held):
        await post.put(number, f"w-{number}", hold_s=60)
    await post.tick(60)
    await post.tick(1)
    occasions = [message.occasion for message in post.ear.heard]
    assert occasions == [MessageKind.DIGEST if held > 1 else MessageKind.INCIDENT]


async def test_delivery_that_is_given_up_is_a_doubt_for_the_next(store: Store, monkeypatch):
    monkeypatch.setattr(deliver, "POST_TIMEOUT_S", 10 * HANG_S)
    started = asyncio.Event()

    class Hanging(RecordingNotifier):
        async def post(self, message, *, thread, is_repeat):
            started.set()
            if not is_repeat:
                await asyncio.Event().wait()
            return await super().post(message, thread=thread, is_repeat=is_repeat)

    ear = Hanging()
    post = Post(store, ear)
    await post.deliverer.begin()
    await post.put(1)
    await post.deliverer.tick()
    await started.wait()
    await post.deliverer.tick()  # it is at work: nothing is started beside it
    async with asyncio.timeout(HANG_S):
        await post.deliverer.give_up()
    successor = Post(store, ear)
    await successor.deliverer.begin()
    await successor.tick(1)
    assert (post.heard, ear.repeats) == (["m-1"], ["m-1"])


@pytest.mark.parametrize(
    ("fault", "tried_at_s"),
    [
        (StorageUnavailable("The disk is full."), [0, 2, 6, 14, 29, 44]),
        (RuntimeError("a fault of ours"), [0, 60]),
    ],
)
async def test_delivery_that_breaks_is_taken_up_after_a_pause(post: Post, monkeypatch, fault, tried_at_s):
    tried, transaction = [], post.store.transaction

    def broken():
        tried.append((post.clock.now() - at(0)).total_seconds())
        raise fault

    await post.put(1)
    monkeypatch.setattr(post.store, "transaction", broken)
    await post.tick()
    for _ in range(tried_at_s[-1]):
        await post.tick(1)
    assert tried == tried_at_s
    monkeypatch.setattr(post.store, "transaction", transaction)
    await post.tick(60)
    assert post.heard == ["m-1"]


async def test_storage_that_works_again_ends_the_row_of_pauses(post: Post, monkeypatch):
    tried, transaction = [], post.store.transaction

    def broken():
        tried.append((post.clock.now() - at(0)).total_seconds())
        raise StorageUnavailable("The disk is full.")

    for number in (1, 2):
        await post.put(number)
        monkeypatch.setattr(post.store, "transaction", broken)
        await post.tick()
        await post.tick(1)
        monkeypatch.setattr(post.store, "transaction", transaction)
        await post.tick(1)
        assert post.heard[-1] == f"m-{number}"
    assert len(tried) == 2


async def test_channels_are_told_by_their_descriptions(store: Store):
    post = Post(
        store, RecordingNotifier("one", description="Slack #jobs"), RecordingNotifier("two", description="")
    )
    await post.deliverer.begin()
    async with store.reading() as tx:
        assert list(await tx.channels.all()) == ["Slack #jobs"]
