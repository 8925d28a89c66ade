"""A person's answer to a proposal: who may, until when, what it means, and what is kept of a refusal."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.model.events import DecisionRefused, ProposalDecided
from babysitter.model.finding import Evidence
from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.incident import Incident, IncidentStatus
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, Decision, Proposal, ProposalStatus, Surface
from babysitter.store.repositories.inbox import PendingClick
from babysitter.store.repositories.incidents import IncidentRepository
from babysitter.store.repositories.watches import WatchRepository
from babysitter.usecases.answering.approvals import ApprovalResult, decide, evidence_of
from babysitter.usecases.answering.approvals import offered as offer_named
from tests.support.app import ADA, AppHarness, home
from tests.support.build import at, diagnosis, submission
from tests.support.offers import INCIDENT, offered

BOB = Person("U-bob")
LONG = submission("iris", "job", "run", "--", "python", *(f"--setting-{n}=value" for n in range(400)))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


async def answer(
    place: AppHarness, offer: Proposal, yes: Answer = Answer.YES, *, person: Person = ADA, **given: object
) -> ApprovalResult:
    door = given.pop("door", Surface.TERMINAL)
    return await decide(place.app, offer.id, person, yes, door, **given)  # type: ignore[arg-type]


async def kept(place: AppHarness, offer: Proposal) -> tuple[Proposal, Incident]:
    async with place.app.store.reading() as tx:
        proposal = await tx.incidents.proposal(offer.id)
        incident = await tx.incidents.incident(INCIDENT)
    assert proposal is not None
    assert incident is not None
    return proposal, incident


@pytest.mark.parametrize(
    ("given", "status", "incident", "said"),
    [
        (Answer.YES, ProposalStatus.APPROVED, IncidentStatus.APPROVED, "Approved by U-ada."),
        (Answer.NO, ProposalStatus.DENIED, IncidentStatus.DENIED, "Denied by U-ada."),
        (Answer.SNOOZE, ProposalStatus.SNOOZED, IncidentStatus.SNOOZED, "Put off by U-ada."),
    ],
)
async def test_answer_is_kept_with_what_it_means(place: AppHarness, given, status, incident, said):
    watch, offer = await offered(place)
    async with place.app.store.reading() as tx:
        announced = await tx.watches.newest_announcement()
    ruling = await answer(place, offer, given)
    assert (ruling.took_effect, ruling.sentence) == (True, said)
    proposal, trouble = await kept(place, offer)
    assert (proposal.status, trouble.status) == (status, incident)
    (decided,) = await place.events(ProposalDecided)
    assert (decided.answer, decided.by, decided.facts) == (given, ADA, offer.digest)
    async with place.app.store.reading() as tx:
        action = await tx.journal.open_action_of(watch.id)
        followed = await tx.watches.get(watch.id)
        newest = await tx.watches.newest_announcement()
    is_yes = given is Answer.YES
    assert (action is not None) is is_yes
    assert (followed.phase is Phase.ACTING) is is_yes
    assert (newest > announced) is is_yes


async def test_answer_is_shown_on_the_card(place: AppHarness):
    _, offer = await offered(place)
    await place.pass_s(5)
    await answer(place, offer, Answer.NO)
    await place.pass_s(30)
    assert "Denied by U-ada" in place.ear.edited[-1].words.decided


async def test_later_answer_hears_who_was_first(place: AppHarness):
    _, offer = await offered(place, may_approve=(ADA, BOB))
    await answer(place, offer)
    ruling = await answer(place, offer, Answer.NO, person=BOB)
    assert not ruling.took_effect
    assert ruling.sentence == "Already approved by U-ada at 12:00 UTC."
    assert len(await place.events(ProposalDecided)) == 1


async def test_answer_that_lost_the_race_counts_nothing(place: AppHarness, monkeypatch):
    watch, offer = await offered(place)
    first = Decision(offer.id, BOB, Answer.NO, Surface.SLACK, place.clock.now())

    async def was_second(*_: object, **__: object) -> Decision:
        return first

    monkeypatch.setattr(IncidentRepository, "decide_once", was_second)
    ruling = await answer(place, offer)
    assert (ruling.took_effect, ruling.decision) == (False, first)
    assert await place.events(ProposalDecided) == []
    async with place.app.store.reading() as tx:
        assert await tx.journal.open_action_of(watch.id) is None


async def test_approval_fails_whole_if_its_watch_moved(place: AppHarness, monkeypatch):
    watch, offer = await offered(place)

    async def was_written_by_another(*_: object, **__: object) -> bool:
        return False

    monkeypatch.setattr(WatchRepository, "save", was_written_by_another)
    with pytest.raises(FactsChanged, match="changed at this very moment"):
        await answer(place, offer)
    proposal, _ = await kept(place, offer)
    assert proposal.status is ProposalStatus.OPEN
    async with place.app.store.reading() as tx:
        assert await tx.journal.open_action_of(watch.id) is None


@pytest.mark.parametrize(
    ("person", "groups", "may"),
    [
        (ADA, frozenset(), True),
        (BOB, frozenset({"S-team"}), True),
        (ADA, frozenset({"S-team"}), True),
        (BOB, frozenset(), False),
        (BOB, frozenset({"S-other"}), False),
    ],
)
async def test_only_who_is_asked_may_answer(place: AppHarness, person, groups, may):
    _, offer = await offered(place, may_approve=(ADA, Person("S-team")))
    if may:
        assert (await answer(place, offer, person=person, groups=groups)).took_effect
        return
    with pytest.raises(NotAllowed, match="asked is U-ada, S-team"):
        await answer(place, offer, person=person, groups=groups)
    (refused,) = await place.events(DecisionRefused)
    assert (refused.by, refused.watch, refused.proposal) == (BOB, offer.watch, offer.id)
    assert "may not answer" in refused.because


async def test_nobody_may_answer_where_nobody_is_asked(place: AppHarness):
    _, offer = await offered(place, may_approve=())
    with pytest.raises(NotAllowed, match="nobody: no approvers are configured"):
        await answer(place, offer)


@pytest.mark.parametrize("first", [None, Answer.SNOOZE])
async def test_approval_ends_with_the_expiry_itself(place: AppHarness, first):
    _, offer = await offered(place)
    if first is not None:
        await answer(place, offer, first)
    place.clock.advance((offer.expires_at - place.clock.now()).total_seconds())
    with pytest.raises(FactsChanged, match=f"expired at {offer.expires_at:%H:%M} UTC"):
        await answer(place, offer)
    (refused,) = await place.events(DecisionRefused)
    assert "expired at" in refused.because


async def test_approval_counts_until_the_expiry(place: AppHarness):
    _, offer = await offered(place)
    place.clock.advance((offer.expires_at - place.clock.now()).total_seconds() - 1)
    assert (await answer(place, offer)).took_effect


async def test_snoozed_offer_can_still_be_approved(place: AppHarness):
    _, offer = await offered(place)
    await answer(place, offer, Answer.SNOOZE, snooze_until=place.clock.now() + timedelta(hours=1))
    assert (await answer(place, offer)).took_effect


async def test_snooze_lets_the_offer_expire_after_it(place: AppHarness):
    watch, offer = await offered(place)
    until = offer.expires_at - timedelta(hours=1)
    await answer(place, offer, Answer.SNOOZE, snooze_until=until)
    proposal, incident = await kept(place, offer)
    assert proposal.expires_at == until + timedelta(seconds=watch.limits.proposal_expires_s)
    assert incident.snoozed_until == until


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (ProposalStatus.WITHDRAWN, "was withdrawn: the job recovered"),
        (ProposalStatus.UNANSWERED, "expired unanswered"),
    ],
)
async def test_offer_that_is_gone_cannot_be_answered(place: AppHarness, status, said):
    _, offer = await offered(place)
    async with place.app.store.transaction() as tx:
        await tx.incidents.set_proposal(offer.id, status, because="the job recovered")
    with pytest.raises(FactsChanged, match=said):
        await answer(place, offer)
    assert len(await place.events(DecisionRefused)) == 1


async def test_unknown_offer_is_named(place: AppHarness):
    with pytest.raises(UserError, match="There is no proposal 'p-9'"):
        await decide(place.app, ProposalId("p-9"), ADA, Answer.YES, Surface.TERMINAL)
    with pytest.raises(UserError, match="There is no proposal 'p-9'"):
        await offer_named(place.app, ProposalId("p-9"))
    _, offer = await offered(place)
    assert (await offer_named(place.app, offer.id)).id == offer.id


@pytest.mark.parametrize(
    ("door", "given", "changes", "may"),
    [
        (Surface.SLACK, Answer.YES, {"submission": LONG}, False),
        (Surface.SLACK, Answer.YES, {}, True),
        (Surface.SLACK, Answer.NO, {"submission": LONG}, True),
        (Surface.TERMINAL, Answer.YES, {"submission": LONG}, True),
    ],
)
async def test_cut_command_is_approved_only_after_it_was_shown(place: AppHarness, door, given, changes, may):
    _, offer = await offered(place, **changes)
    if not may:
        with pytest.raises(NotAllowed, match="was not shown whole yet"):
            await answer(place, offer, given, door=door)
        async with place.app.store.transaction() as tx:
            await tx.incidents.set_shown_whole(offer.id, now=place.clock.now())
    assert (await answer(place, offer, given, door=door)).took_effect


async def test_answer_leaves_the_inbox_when_it_counts(place: AppHarness):
    _, offer = await offered(place)
    async with place.app.store.transaction() as tx:
        await tx.inbox.put(PendingClick("in-1", Surface.SLACK, at(0), "{}"))
    await answer(place, offer, incoming="in-1")
    async with place.app.store.reading() as tx:
        assert await tx.inbox.of(Surface.SLACK) == ()


async def test_evidence_of_an_incident_is_redacted(place: AppHarness):
    await offered(place)
    token = "hf_" + "madeup" * 6
    found = diagnosis(evidence=(Evidence(f"token {token}", ""),), cascade=(Evidence("what followed", ""),))
    async with place.app.store.transaction() as tx:
        await tx.incidents.repeat_incident(INCIDENT, found, now=place.clock.now())
    lines = await evidence_of(place.app, INCIDENT)
    assert len(lines) == 2
    assert token not in lines[0]
    assert lines[1] == "what followed"
    assert await evidence_of(place.app, IncidentId("i-9")) == ()
