"""Presses in Slack while the database cannot be written: acknowledged in time, counted once, later."""

import asyncio

from babysitter.model.events import ProposalDecided
from babysitter.model.message import ButtonKind
from babysitter.model.proposal import ProposalStatus
from tests.e2e.channel import ADA, BOB, channel
from tests.support.locked import locked


async def test_press_behind_a_held_lock_is_acknowledged_in_time(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        with locked(tmp_path):  # writers wait for it, as long as they ever do
            acks = await asyncio.gather(
                *(place.slack.click(user, "approve") for user in (ADA, BOB)),
                place.slack.click(ADA, "was-right"),
            )
            assert [ack.acked for ack in acks] == [True] * 3, "Slack gives three seconds"
            assert (await place.proposal()).status is ProposalStatus.OPEN
        await place.surface.door.settled()
        assert (await place.proposal()).status is ProposalStatus.APPROVED
        await place.pass_s(120)
        assert place.sim.launched == ["/ada/dedup-r1"]
        assert len(await place.events(ProposalDecided)) == 1


async def test_press_that_cannot_be_stored_counts_when_it_can(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        with locked(tmp_path, place.app.store):
            ack, told = await place.press(ADA)
            assert ack.acked
            assert "has your answer and cannot store it now (database is locked)" in told
            _, told = await place.press(ADA)
            await place.surface.door.take_up()
            await place.surface.door.settled()
            await place.pass_s(60)
            assert place.sim.launched == []
        before = len(place.slack.ephemerals)
        await place.surface.door.take_up()
        await place.surface.door.settled()
        assert (await place.proposal()).status is ProposalStatus.APPROVED
        assert len(place.slack.ephemerals) <= before + 1, "the second press hears that the first one counted"
        await place.pass_s(120)
        assert place.sim.launched == ["/ada/dedup-r1"]
        assert place.surface.door._not_stored == {}


async def test_word_on_a_cause_that_cannot_be_stored_is_kept(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        with locked(tmp_path, place.app.store):
            ack, _ = await place.press(BOB, ButtonKind.WRONG)
            assert ack.acked
        await place.surface.door.take_up()
        await place.surface.door.settled()
        async with place.app.store.reading() as tx:
            labels = await tx.feedback.all()
        assert [label.was_right for label in labels] == [False]
