"""The outbox: once, in order per conversation, per notifier; edits merged; doubts kept as doubts."""

from dataclasses import replace
from datetime import datetime

import pytest

from babysitter.model.ids import IncidentId, MessageId, ProposalId
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.store.repositories.outbox import MessageLocation, PendingPost
from babysitter.store.store import Store
from tests.support.build import NOON, at


def message(number: int, conversation: str = "w-1", *, when: datetime = NOON, **changes: object) -> Message:
    words = MessageContent(f"Title {number}", f"Sentence {number}.")
    made = Message(MessageId(f"m-{number}"), conversation, MessageKind.INCIDENT, words, when)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
async def outbox(store: Store) -> Store:
    async with store.transaction() as tx:
        await tx.outbox.register(("slack", "webhook"), now=NOON)
    return store


async def put(store: Store, *messages: Message, hold_until: datetime | None = None) -> list[bool]:
    async with store.transaction() as tx:
        return [await tx.outbox.put(other, hold_until=hold_until) for other in messages]


async def claim(
    store: Store, *busy: str, when: datetime = NOON, notifier: str = "slack"
) -> list[PendingPost]:
    async with store.transaction() as tx:
        claimed = await tx.outbox.claim(
            notifier, now=when, busy=[MessageId(text) for text in busy], edits_too=True, at_most=10
        )
        return list(claimed)


async def posted(store: Store, number: int, handle: str, thread: str = "", *, revision: int = 0) -> None:
    async with store.transaction() as tx:
        await tx.outbox.posted(
            "slack",
            MessageId(f"m-{number}"),
            MessageLocation("C1", handle, thread),
            revision=revision,
            now=NOON,
        )


async def test_the_same_message_is_said_once(outbox: Store):
    assert await put(outbox, message(1), message(1)) == [True, False]


async def test_each_notifier_gets_each_message(outbox: Store):
    await put(outbox, message(1))
    assert [post.message.id for post in await claim(outbox)] == ["m-1"]
    assert [post.message.id for post in await claim(outbox, notifier="webhook")] == ["m-1"]


async def test_messages_of_a_conversation_wait_for_each_other(outbox: Store):
    await put(outbox, message(1), message(2), message(3, "w-2"))
    assert [post.message.id for post in await claim(outbox)] == ["m-1", "m-3"]
    assert await claim(outbox, "m-1", "m-3") == []
    await posted(outbox, 1, "100.1")
    (second,) = await claim(outbox, "m-3")
    assert (second.message.id, second.thread, second.is_repeat) == (
        "m-2",
        MessageLocation("C1", "100.1"),
        False,
    )


async def test_a_claim_that_nobody_works_on_is_a_doubt(outbox: Store):
    await put(outbox, message(1))
    await claim(outbox)
    (again,) = await claim(outbox)
    assert (again.is_repeat, again.tries) == (True, 1)


async def test_a_sure_failure_is_no_doubt_and_waits(outbox: Store):
    await put(outbox, message(1), message(2))
    await claim(outbox)
    async with outbox.transaction() as tx:
        await tx.outbox.failed("slack", MessageId("m-1"), "rate", again_at=at(30), is_doubtful=False)
    assert await claim(outbox, when=at(29)) == []
    (again,) = await claim(outbox, when=at(30))
    assert (again.message.id, again.is_repeat) == ("m-1", False)


async def test_what_can_never_arrive_lets_the_next_one_pass(outbox: Store):
    await put(outbox, message(1), message(2))
    await claim(outbox)
    async with outbox.transaction() as tx:
        await tx.outbox.dropped("slack", MessageId("m-1"), "refused")
    (following,) = await claim(outbox)
    assert (following.message.id, following.thread) == ("m-2", None)


async def test_edits_are_merged_into_the_newest(outbox: Store):
    await put(outbox, message(1))
    await claim(outbox)
    await posted(outbox, 1, "100.1")
    async with outbox.transaction() as tx:
        for second in (1, 2, 3):
            changed = message(1, when=at(second), words=MessageContent("Title 1", f"{second} of 3"))
            assert await tx.outbox.edit(MessageId("m-1"), changed)
        assert not await tx.outbox.edit(MessageId("m-1"), changed)
        (due,) = await tx.outbox.edits_due("slack", shown_before=NOON, at_most=9)
        assert (due.message.words.sentence, due.at.handle) == ("3 of 3", "100.1")
        await tx.outbox.shown("slack", MessageId("m-1"), due.revision, now=at(4))
        assert await tx.outbox.edits_due("slack", shown_before=at(9), at_most=9) == ()


async def test_a_footer_alone_is_shown_now_and_then(outbox: Store):
    await put(outbox, message(1))
    async with outbox.transaction() as tx:
        soon = message(1, when=at(60), words=replace(message(1).words, footer="Last check 12:01"))
        assert not await tx.outbox.edit(MessageId("m-1"), soon)
        assert await tx.outbox.edit(MessageId("m-1"), replace(soon, created_at=at(300)))


async def test_an_edit_before_the_posting_is_posted(outbox: Store):
    await put(outbox, message(1))
    async with outbox.transaction() as tx:
        await tx.outbox.edit(MessageId("m-1"), message(1, words=MessageContent("Title 1", "Decided.")))
    (only,) = await claim(outbox)
    assert (only.message.words.sentence, only.revision) == ("Decided.", 1)


async def test_held_messages_wait_and_let_others_pass(outbox: Store):
    await put(outbox, message(1), hold_until=at(3600))
    await put(outbox, message(2))
    assert [post.message.id for post in await claim(outbox)] == ["m-2"]
    async with outbox.transaction() as tx:
        assert await tx.outbox.held_until(at(3599)) == ()
        held = [other.id for other in await tx.outbox.held_until(at(3600))]
        assert held == ["m-1"]
        await tx.outbox.release(held, digested=())
        assert await tx.outbox.held_until(at(3600)) == ()
    assert [post.message.id for post in await claim(outbox, "m-2")] == []
    await posted(outbox, 2, "100.1")
    assert [post.message.id for post in await claim(outbox)] == ["m-1"]


async def test_a_late_notifier_gets_the_last_hour_only(outbox: Store):
    await put(outbox, message(1, when=at(-7200)), message(2, when=at(-60)))
    async with outbox.transaction() as tx:
        await tx.outbox.register(("slack", "console"), now=NOON)
        assert await tx.outbox.waiting_count("webhook") == 0
    assert [post.message.id for post in await claim(outbox, notifier="console")] == ["m-2"]


async def test_messages_are_found_by_what_they_are_about(outbox: Store):
    await put(outbox, message(1, incident=IncidentId("i-1")), message(2))
    async with outbox.reading() as tx:
        assert [other.id for other in await tx.outbox.about(incident=IncidentId("i-1"))] == ["m-1"]


@pytest.mark.parametrize(("ago_s", "is_told"), [(3599, True), (3600, False)])
async def test_late_notifier_looks_back_an_hour(outbox: Store, ago_s, is_told):
    await put(outbox, message(1, when=at(-ago_s)))
    async with outbox.transaction() as tx:
        await tx.outbox.register(("slack", "console"), now=NOON)
        assert await tx.outbox.waiting_count("console") == is_told


async def test_notifier_that_stays_gets_nothing_twice(outbox: Store):
    await put(outbox, message(1))
    async with outbox.transaction() as tx:
        await tx.outbox.register(("slack", "webhook"), now=NOON)
        assert await tx.outbox.waiting_count("slack") == 1
        await tx.outbox.register(("slack",), now=NOON)
        await tx.outbox.register(("slack", "webhook"), now=NOON)
        assert await tx.outbox.waiting_count("webhook") == 0
        assert await tx.outbox.waiting_count("slack") == 1


async def test_waiting_is_counted_for_each_notifier(outbox: Store):
    await put(outbox, message(1), message(2))
    await posted(outbox, 1, "100.1")
    async with outbox.reading() as tx:
        assert await tx.outbox.waiting_count("slack") == 1
        assert await tx.outbox.waiting_count("webhook") == 2
        assert await tx.outbox.waiting_count("other") == 0


@pytest.mark.parametrize(("ahead_s", "is_tried"), [(1, False), (360, False), (361, True)])
async def test_pause_longer_than_any_is_a_clock_set_back(outbox: Store, ahead_s, is_tried):
    await put(outbox, message(1))
    await claim(outbox)
    async with outbox.transaction() as tx:
        again_at = at(ahead_s)
        await tx.outbox.failed("slack", MessageId("m-1"), "no", again_at=again_at, is_doubtful=False)
        await tx.outbox.posted("webhook", MessageId("m-1"), MessageLocation("W", "1"), revision=0, now=NOON)
        work = await tx.outbox.with_work(now=NOON, shown_before=NOON)
    assert work == ({"slack"} if is_tried else set())
    assert bool(await claim(outbox)) is is_tried


@pytest.mark.parametrize(("ahead_s", "is_due"), [(0, True), (1, False), (360, False), (361, True)])
async def test_edit_is_due_some_time_after_the_last(outbox: Store, ahead_s, is_due):
    await put(outbox, message(1), message(2))
    for number in (1, 2):
        await claim(outbox)
        await posted(outbox, number, f"100.{number}")
    async with outbox.transaction() as tx:
        await tx.outbox.dropped("webhook", MessageId("m-1"), "no")
        await tx.outbox.dropped("webhook", MessageId("m-2"), "no")
        assert await tx.outbox.with_work(now=NOON, shown_before=NOON) == set()
        await tx.outbox.edit(MessageId("m-1"), message(1, words=MessageContent("Title 1", "new")))
        await tx.outbox.shown("slack", MessageId("m-1"), 0, now=at(ahead_s))
        due = await tx.outbox.edits_due("slack", shown_before=NOON, at_most=9)
        assert [pending_edit.message.id for pending_edit in due] == ["m-1"] * is_due
        work = await tx.outbox.with_work(now=NOON, shown_before=NOON)
        assert work == ({"slack"} if is_due else set())
        await tx.outbox.shown("slack", MessageId("m-1"), 1, now=NOON)
        assert await tx.outbox.with_work(now=NOON, shown_before=NOON) == set()


async def test_footer_waits_from_the_last_edit(outbox: Store):
    await put(outbox, message(1))
    changed = message(1, when=at(60), words=MessageContent("Title 1", "new"))
    async with outbox.transaction() as tx:
        assert await tx.outbox.edit(MessageId("m-1"), changed)
        footer = replace(changed, words=replace(changed.words, footer="Last check"))
        assert not await tx.outbox.edit(MessageId("m-1"), replace(footer, created_at=at(359)))
        assert await tx.outbox.edit(MessageId("m-1"), replace(footer, created_at=at(360)))
        assert not await tx.outbox.edit(MessageId("m-1"), replace(footer, created_at=at(900)))


async def test_edits_of_two_messages_do_not_mix(outbox: Store):
    await put(outbox, message(1), message(2, "w-2"))
    async with outbox.transaction() as tx:
        for number in (1, 2, 2):
            text = f"{number} at {number}"
            changed = message(number, when=at(number), words=MessageContent(f"Title {number}", text))
            await tx.outbox.edit(MessageId(f"m-{number}"), changed)
        newest = message(2, "w-2", when=at(9), words=MessageContent("Title 2", "newest"))
        assert await tx.outbox.edit(MessageId("m-2"), newest)
    claimed = {post.message.id: post for post in await claim(outbox)}
    assert {name: (post.message.words.sentence, post.revision) for name, post in claimed.items()} == {
        "m-1": ("1 at 1", 1),
        "m-2": ("newest", 2),
    }


async def test_message_that_is_not_known_is_not_edited(outbox: Store):
    async with outbox.transaction() as tx:
        assert not await tx.outbox.edit(MessageId("m-9"), message(9))
        assert await tx.outbox.message(MessageId("m-9")) is None
        await tx.outbox.put(message(1))
        assert await tx.outbox.message(MessageId("m-1")) == message(1)


async def test_messages_of_a_proposal_are_found(outbox: Store):
    about, other = ProposalId("p-1"), ProposalId("p-2")
    await put(outbox, message(1, proposal=about), message(2, proposal=other), message(3))
    async with outbox.reading() as tx:
        assert [item.id for item in await tx.outbox.about(proposal=about)] == ["m-1"]
        assert len(await tx.outbox.about()) == 3


async def test_digested_message_is_not_told_again(outbox: Store):
    await put(outbox, message(1), message(2, "w-2"), message(3, "w-3"), hold_until=at(60))
    async with outbox.transaction() as tx:
        both = [MessageId("m-1"), MessageId("m-2")]
        await tx.outbox.release(both, digested=both[:1])
        assert [other.id for other in await tx.outbox.held_until(at(60))] == ["m-3"]
    assert [post.message.id for post in await claim(outbox)] == ["m-2"]


async def test_claims_count_their_tries(outbox: Store):
    await put(outbox, message(1))
    assert [(await claim(outbox))[0].tries for _ in range(3)] == [0, 1, 2]
    await put(outbox, message(2, "w-2"))
    assert [post.tries for post in await claim(outbox, notifier="webhook")] == [0, 0]


async def test_thread_is_of_this_conversation_and_notifier(outbox: Store):
    await put(outbox, message(1), message(2), message(3, "w-2"))
    await claim(outbox)
    await posted(outbox, 1, "100.1")
    threads = {post.message.id: post.thread for post in await claim(outbox)}
    assert threads == {"m-2": MessageLocation("C1", "100.1"), "m-3": None}
    assert [post.thread for post in await claim(outbox, notifier="webhook")] == [None, None]
