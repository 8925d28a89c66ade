"""A snoozed proposal: it is made anew once, and it expires."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.errors import FactsChanged
from babysitter.model.incident import IncidentStatus
from babysitter.model.proposal import Answer, Proposal, ProposalStatus, Surface
from babysitter.model.watch import Watch
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.watching.manage_watches import watch_status
from tests.engine.test_check import zombie
from tests.support.app import ADA, AppHarness, home
from tests.support.jobs import pipeline, tree

LASTS = timedelta(hours=12)  # proposal_expires_s


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


async def proposals(place: AppHarness, watch: Watch) -> tuple[Proposal, ...]:
    return (await watch_status(place.app, watch.id)).proposals


async def snooze(place: AppHarness, hours: float | None) -> tuple[Watch, Proposal]:
    """A watch with a proposal that was snoozed for so long; None = until something changes."""
    watch = await zombie(place)
    (offer,) = await proposals(place, watch)
    until = place.clock.now() + timedelta(hours=hours) if hours is not None else None
    await decide(place.app, offer.id, ADA, Answer.SNOOZE, Surface.TERMINAL, snooze_until=until)
    return watch, offer


async def test_snooze_until_it_changes_expires(place: AppHarness):
    watch, offer = await snooze(place, None)
    await place.pass_s(LASTS.total_seconds() - 3600, step_s=3600)
    assert [proposal.status for proposal in await proposals(place, watch)] == [ProposalStatus.SNOOZED]
    await place.pass_s(7200, step_s=3600)
    assert [proposal.status for proposal in await proposals(place, watch)] == [ProposalStatus.UNANSWERED]
    (incident,) = (await watch_status(place.app, watch.id)).incidents
    assert incident.status is IncidentStatus.EXPIRED
    with pytest.raises(FactsChanged, match="expired unanswered"):
        await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)


async def test_snoozed_proposal_is_not_approved_after_its_expiry(place: AppHarness):
    _, offer = await snooze(place, None)
    place.clock.advance(LASTS.total_seconds() + 60)  # and no check came by
    with pytest.raises(FactsChanged, match="expired at"):
        await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)
    await place.pass_s(60)
    assert place.writer.stopped == []


async def test_snoozed_proposal_can_be_approved_before_it_expires(place: AppHarness):
    _, offer = await snooze(place, 4)
    await place.pass_s(600, step_s=300)
    ruling = await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)
    assert ruling.took_effect


async def test_snooze_beyond_the_expiry_is_kept(place: AppHarness):
    watch, offer = await snooze(place, 20)
    (postponed,) = await proposals(place, watch)
    assert postponed.expires_at > offer.expires_at
    await place.pass_s(21 * 3600, step_s=3600)
    old, new = await proposals(place, watch)
    assert (old.status, new.status) == (ProposalStatus.WITHDRAWN, ProposalStatus.OPEN)
    assert "the snooze is over" in old.withdrawn_because


async def test_snooze_that_is_over_leaves_one_proposal_to_answer(place: AppHarness):
    watch, offer = await snooze(place, 1)
    await place.pass_s(4200, step_s=600)
    old, new = await proposals(place, watch)
    assert (old.id, old.status, new.status) == (offer.id, ProposalStatus.WITHDRAWN, ProposalStatus.OPEN)
    with pytest.raises(FactsChanged, match="withdrawn"):
        await decide(place.app, old.id, ADA, Answer.YES, Surface.TERMINAL)
