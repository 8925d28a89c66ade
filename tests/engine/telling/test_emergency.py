"""Messages past the outbox: sent while nothing can be stored, by every notifier, at most once in 10 min."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from babysitter.engine.status_file import StatusFile
from babysitter.engine.storage_health import CALM_FOR, StorageHealth
from babysitter.engine.telling.emergency import EMERGENCIES, EmergencyChannel
from babysitter.model.ids import WatchId
from babysitter.model.watch import UnfinishedWatch
from babysitter.notify.notifier import NotifyError
from babysitter.store.store import Store, open_store
from tests.support.app import RecordingNotifier
from tests.support.build import NOON, ROOT
from tests.support.clock import FakeClock
from tests.support.locked import locked

FULL = "database or disk is full"


@dataclass
class Channel:
    """An emergency channel with two notifiers."""

    emergency: EmergencyChannel
    store: Store
    health: StorageHealth
    clock: FakeClock
    slack: RecordingNotifier
    mail: RecordingNotifier
    counts: dict[str, int]

    async def fail_for(self, seconds: int) -> None:
        """Writes fail, and the channel is attended to every second."""
        for _ in range(seconds):
            self.health.note(FULL, 0.0)
            await self.emergency.attend()
            self.clock.advance(1)

    async def work_for(self, seconds: int) -> None:
        for _ in range(seconds):
            self.health.note("", 0.0)
            await self.emergency.attend()
            self.clock.advance(1)

    async def outbox(self) -> list[str]:
        async with self.store.transaction() as tx:
            await tx.outbox.register(("slack",), now=self.clock.now())
            found = await tx.outbox.claim("slack", now=self.clock.now(), busy=(), edits_too=False, at_most=10)
        return [post.message.words.title for post in found]


@pytest.fixture
async def channel(tmp_path: Path) -> AsyncIterator[Channel]:
    clock, slack, mail = FakeClock(), RecordingNotifier("slack"), RecordingNotifier("mail")
    health, counts = StorageHealth(clock), {}
    store = await open_store(tmp_path)
    emergency = EmergencyChannel(
        store, (slack, mail), health, StatusFile(tmp_path), clock, counts=counts, host="host-1"
    )
    emergency.remember([UnfinishedWatch(WatchId("w-1"), ROOT, "marin", NOON)])
    yield Channel(emergency, store, health, clock, slack, mail, counts)
    await store.close()


async def test_emergency_is_sent_while_the_database_is_locked(channel: Channel, tmp_path: Path):
    with locked(tmp_path, channel.store):
        await channel.fail_for(20)
        assert channel.slack.heard == []
        await channel.fail_for(25)
    assert channel.slack.occasions == channel.mail.occasions == ["emergency"]
    assert channel.counts == {EMERGENCIES: 1}
    assert not channel.slack.heard[0].mentions_on_call


async def test_emergency_is_repeated_every_ten_minutes_and_calls(channel: Channel):
    await channel.fail_for(25 * 60)
    assert [message.mentions_on_call for message in channel.slack.heard] == [False, True, True]
    assert len({message.id for message in channel.slack.heard}) == 3


async def test_short_outage_is_silent(channel: Channel):
    await channel.fail_for(10)
    await channel.work_for(60)
    assert (channel.slack.heard, await channel.outbox()) == ([], [])


async def test_end_of_an_outage_goes_through_the_outbox(channel: Channel):
    await channel.fail_for(30)
    await channel.work_for(10)
    assert await channel.outbox() == []
    await channel.work_for(int(CALM_FOR.total_seconds()))
    assert await channel.outbox() == ["babysit stores what it sees again"]
    await channel.work_for(60)
    assert len(channel.slack.heard) == 1


async def test_notifier_that_fails_is_asked_again_and_holds_up_no_other(channel: Channel):
    channel.slack.is_down = NotifyError("Slack did not answer in time.", is_doubtful=True)
    await channel.fail_for(40)
    assert (channel.slack.heard, channel.mail.occasions) == ([], ["emergency"])
    channel.slack.is_down = None
    await channel.fail_for(60)
    assert channel.slack.occasions == ["emergency"]
    assert channel.slack.repeats == [channel.slack.heard[0].id]  # it may have arrived: look first


async def test_message_that_was_not_taken_is_dropped_with_the_outage(channel: Channel):
    channel.slack.is_down = NotifyError("Slack cannot be reached.")
    await channel.fail_for(30)
    await channel.work_for(60)
    channel.slack.is_down = None
    await channel.work_for(60)
    assert channel.slack.heard == []


async def test_fault_of_a_notifier_is_survived(channel: Channel):
    channel.slack.troubles = [RuntimeError("a fault of ours")]
    await channel.fail_for(60)
    assert channel.mail.occasions == ["emergency"]


async def test_last_message_is_sent_once_in_ten_minutes(channel: Channel, tmp_path: Path):
    await channel.emergency.say_last("It was asked to end", is_failure=False)
    assert channel.slack.occasions == channel.mail.occasions == ["emergency"]
    channel.clock.advance(300)
    again = EmergencyChannel(
        channel.store, (channel.slack,), channel.health, StatusFile(tmp_path), channel.clock, counts={}
    )
    again.remember([UnfinishedWatch(WatchId("w-1"), ROOT, "marin", NOON)])
    await again.say_last("It ended by an error: x", is_failure=True)
    assert len(channel.slack.heard) == 1
    channel.clock.advance(301)
    await again.say_last("It ended by an error: x", is_failure=True)
    assert channel.slack.heard[-1].mentions_on_call


async def test_last_message_needs_a_watched_job(channel: Channel):
    channel.emergency.remember([])
    await channel.emergency.say_last("It was asked to end", is_failure=False)
    assert channel.slack.heard == []
