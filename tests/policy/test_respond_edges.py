"""What follows from a verdict at the edges: several incidents, several proposals, the exact moment."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import IncidentId, JobId, Person, ProposalId
from babysitter.model.incident import IncidentStatus, Ledger
from babysitter.model.intent import (
    EndIncident,
    Expire,
    OpenIncident,
    Propose,
    Reassign,
    Remind,
    RepeatIncident,
    SendMessage,
    Withdraw,
)
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.message import MessageKind, Told
from babysitter.model.phase import Phase
from babysitter.model.policy import Policy, Silence
from babysitter.model.progress import StagePace
from babysitter.model.proposal import Answer, Decision, ProposalStatus, Surface
from babysitter.model.seen import Gone
from babysitter.model.submission import SubmitContext
from babysitter.policy.respond import as_asked, eligibility_of, offer_of, respond
from tests.policy.test_respond import PROPOSED, ZOMBIE, applied, of, told
from tests.support.build import NOON, ROOT, at, case, diagnosis, verdict, watch

DIVERGED = verdict(diagnosis(Cause.NUMERICAL_DIVERGENCE, ActionKind.RESTART_WITH_CHANGE))
PROPOSAL, INCIDENT = PROPOSED.proposals[0], PROPOSED.incidents[0]
WELL_ENDED = verdict(phase=Phase.FINISHED, state=JobState.SUCCEEDED)
ADA, BOB, EVE = Person("U-ada"), Person("U-bob"), Person("U-eve")


def ended(intents):
    return [intent.incident for intent in of(EndIncident, intents)]


def both_open() -> Ledger:
    """A divergence, and after it a zombie."""
    first = applied(respond(case(DIVERGED)))
    zombie = replace(INCIDENT, key=replace(INCIDENT.key, attempt=JobId(f"{ROOT}/other")))
    return replace(first, incidents=(*first.incidents, zombie), proposals=PROPOSED.proposals)


def test_success_leaves_open_what_outlasts_it():
    intents = respond(case(WELL_ENDED, both_open(), now=at(900)))
    statuses = {intent.incident == INCIDENT.id: intent.status for intent in of(EndIncident, intents)}
    assert statuses == {True: IncidentStatus.SELF_RESOLVED, False: IncidentStatus.FAILED}
    (end,) = of(SendMessage, intents)
    assert "numerical divergence" in end.because


def test_recovery_while_it_runs_ends_both():
    assert len(ended(respond(case(verdict(), both_open(), now=at(900))))) == 2


def second(status: ProposalStatus, **changes):
    return replace(PROPOSAL, id=ProposalId("p-2"), status=status, **changes)


@pytest.mark.parametrize("status", [ProposalStatus.DENIED, ProposalStatus.WITHDRAWN, ProposalStatus.SNOOZED])
def test_open_proposal_behind_another_is_reminded_of(status):
    ledger = replace(PROPOSED, proposals=(replace(PROPOSAL, status=status), second(ProposalStatus.OPEN)))
    intents = respond(case(verdict(phase=Phase.SUSPECT), ledger, now=NOON + timedelta(hours=6)))
    assert [intent.proposal for intent in of(Remind, intents)] == ["p-2"]


def test_proposal_is_reminded_of_from_half_of_its_time_on():
    suspect = verdict(phase=Phase.SUSPECT)
    for seconds, count in ((6 * 3600 - 1, 0), (6 * 3600, 1)):
        assert len(of(Remind, respond(case(suspect, PROPOSED, now=at(seconds))))) == count


@pytest.mark.parametrize("status", [ProposalStatus.DENIED, ProposalStatus.APPROVED, ProposalStatus.WITHDRAWN])
def test_answered_proposal_does_not_expire(status):
    ledger = replace(PROPOSED, proposals=(replace(PROPOSAL, status=status),))
    intents = respond(case(verdict(phase=Phase.SUSPECT), ledger, now=NOON + timedelta(hours=13)))
    assert not of(Expire, intents)


@pytest.mark.parametrize(
    ("tiers", "asked", "following"),
    [
        ((), (ADA,), ()),
        (((ADA,),), (ADA,), ()),
        (((ADA,), (BOB,), (EVE,)), (BOB,), (EVE,)),
        (((ADA,), (BOB,)), (EVE,), ()),  # who was asked is no tier of the settings
    ],
)
def test_proposal_is_handed_to_the_tier_behind_the_one_asked(tiers, asked, following):
    ledger = replace(PROPOSED, proposals=(replace(PROPOSAL, may_approve=asked),))
    now = NOON + timedelta(hours=12)
    intents = respond(case(verdict(phase=Phase.SUSPECT), ledger, now=now, policy=Policy(approvers=tiers)))
    assert [intent.to for intent in of(Reassign, intents)] == ([following] if following else [])
    assert len(of(Expire, intents)) == (not following)


def test_on_call_is_asked_with_the_next_tier_only():
    tiers = Policy(approvers=((ADA,), (BOB,)))
    for hours, mentions_on_call, mentions in ((6, False, (ADA,)), (12, True, (BOB,))):
        ledger = replace(PROPOSED, proposals=(replace(PROPOSAL, may_approve=(ADA,)),))
        now = NOON + timedelta(hours=hours)
        (asks,) = of(SendMessage, respond(case(verdict(phase=Phase.SUSPECT), ledger, now=now, policy=tiers)))
        assert (asks.occasion, asks.mentions_on_call, asks.mentions) == (
            MessageKind.REMINDER,
            mentions_on_call,
            mentions,
        )


@pytest.mark.parametrize("until_s", [600, 0])
def test_restart_that_came_up_is_told_unless_silenced(until_s):
    verifying = replace(INCIDENT, status=IncidentStatus.VERIFYING)
    ledger = replace(PROPOSED, incidents=(verifying,))
    up = verdict(attempt=JobId("/ada/dedup-r1/zephyr-dedup-11111111-p0-a0"))
    quiet = Policy(silences=(Silence("/ada/*", until=at(until_s)),))
    intents = respond(case(up, ledger, policy=quiet))
    assert of(EndIncident, intents)[0].status is IncidentStatus.RESOLVED
    sent = of(SendMessage, intents)
    assert len(sent) == (until_s == 0)
    if sent:
        assert (sent[0].incident, sent[0].proposal) == (INCIDENT.id, PROPOSAL.id)
    without = respond(case(up, Ledger(incidents=(verifying,))))
    assert of(SendMessage, without)[0].proposal is None


def test_restart_is_not_over_while_the_old_attempt_is_seen():
    verifying = replace(INCIDENT, status=IncidentStatus.VERIFYING)
    assert not ended(respond(case(verdict(), Ledger(incidents=(verifying,)))))


@pytest.mark.parametrize(
    ("seen", "over"),
    [
        (verdict(), 1),
        (verdict(two_coordinators=True), 0),
        (verdict(phase=Phase.SUSPECT, state=JobState.SUCCEEDED), 0),
        (WELL_ENDED, 1),
        (verdict(phase=Phase.FINISHED, state=JobState.KILLED), 0),
        (verdict(diagnosis(Cause.USER_CANCEL, ActionKind.IGNORE, Severity.INFO), phase=Phase.FINISHED), 1),
    ],
)
def test_trouble_is_over_when_the_job_is_well(seen, over):
    intents = respond(case(seen, PROPOSED, now=at(900)))
    assert len(of(Withdraw, intents)) == over


@pytest.mark.parametrize(
    ("cause", "state", "words"),
    [
        (Cause.USER_CANCEL, JobState.KILLED, "stopped by a person"),
        (None, JobState.SUCCEEDED, "went on by itself and succeeded"),
    ],
)
def test_withdrawal_names_how_it_went_on(cause, state, words):
    found = diagnosis(cause, ActionKind.IGNORE, Severity.INFO) if cause else None
    intents = respond(case(verdict(found, phase=Phase.FINISHED, state=state), PROPOSED, now=at(900)))
    assert words in of(Withdraw, intents)[0].because


@pytest.mark.parametrize(
    ("cause", "severity", "said"),
    [
        (Cause.STAGE_STUCK, Severity.DEGRADED, None),
        (Cause.STAGE_STUCK, Severity.INFO, None),
        (Cause.STAGE_STUCK, Severity.FATAL, (MessageKind.WORSE, "severity rose")),
        (Cause.HOST_OOM, Severity.FATAL, (MessageKind.WORSE, "severity rose")),
        (Cause.HOST_OOM, Severity.DEGRADED, (MessageKind.CHANGED, "now understood as host-oom")),
    ],
)
def test_told_trouble_is_told_again_when_worse_or_another(cause, severity, said):
    mild = verdict(diagnosis(Cause.STAGE_STUCK, ActionKind.ESCALATE, Severity.DEGRADED))
    ledger = applied(respond(case(mild)))
    now = verdict(diagnosis(cause, ActionKind.ESCALATE, severity))
    messages = of(SendMessage, respond(case(now, ledger, now=at(400))))
    assert [(message.occasion, message.because) for message in messages] == ([said] if said else [])


def test_job_whose_new_attempt_never_worked_is_not_said_to_wait_again():
    attempt = JobId(f"{ROOT}/zephyr-dedup-11111111-p0-a0")
    before = watch(memory=Memory(phase=Phase.STEADY))
    worked = StagePace("stage0-Map", attempt)
    for stages, said in (((), []), ((worked,), [MessageKind.WAITING])):
        seen = verdict(phase=Phase.PENDING, memory=Memory(newest_attempt=attempt, stages=stages))
        assert told(respond(case(seen, watch=before))) == said


@pytest.mark.parametrize(("others", "offered"), [(0, 1), (1, 1), (2, 0), (5, 0)])
def test_offers_of_one_trouble_are_limited(others, offered):
    """Offers told lately count, each once; messages without an offer, and of other incidents, do not."""
    gone = replace(PROPOSED, proposals=(replace(PROPOSAL, status=ProposalStatus.WITHDRAWN),), told=())
    lately = tuple(
        Told(INCIDENT.id, MessageKind.PROPOSAL, at(0), ProposalId(f"p-{n}")) for n in range(others)
    )
    more = (
        Told(INCIDENT.id, MessageKind.WORSE, at(0), None),
        Told(IncidentId("i-other"), MessageKind.PROPOSAL, at(0), ProposalId("p-x")),
        *lately[:1],
    )
    intents = respond(case(ZOMBIE, replace(gone, told=(*lately, *more)), now=at(100)))
    assert len(of(Propose, intents)) == offered
    later = respond(case(ZOMBIE, replace(gone, told=(*lately, *more)), now=at(300)))
    assert len(of(Propose, later)) == 1


@pytest.mark.parametrize(
    ("missing", "because"),
    [((), "the command is not known any more"), (("No bundle.", "No folder."), "No bundle. No folder.")],
)
def test_offer_without_a_way_is_withdrawn_with_the_reason(missing, because):
    about = watch(submit_context=SubmitContext(missing=missing))
    (withdrawn,) = of(Withdraw, respond(case(ZOMBIE, PROPOSED, submission=None, watch=about)))
    assert withdrawn.because == because
    found = diagnosis(action=ActionKind.ESCALATE)
    refused = case(verdict(found), PROPOSED, submission=None, watch=about)
    (withdrawn,) = of(Withdraw, respond(refused))
    assert withdrawn.because == eligibility_of(refused, found).value


@pytest.mark.parametrize(("asked_by", "stands"), [("an agent", True), ("babysit", False)])
def test_offer_that_was_asked_for_stands_though_no_restart_is_advised(asked_by, stands):
    escalated = verdict(diagnosis(action=ActionKind.ESCALATE))
    facts = offer_of(case(ZOMBIE), INCIDENT.id, diagnosis()).facts
    standing = replace(PROPOSAL, asked_by=asked_by, facts=facts)
    intents = respond(case(escalated, replace(PROPOSED, proposals=(standing,))))
    assert (not of(Withdraw, intents)) is stands


@pytest.mark.parametrize("status", [ProposalStatus.DENIED, ProposalStatus.UNANSWERED])
def test_answered_offer_is_made_anew_when_its_facts_moved(status):
    facts = replace(PROPOSAL.facts, cause=Cause.HOST_OOM)
    ledger = replace(PROPOSED, proposals=(replace(PROPOSAL, status=status, facts=facts),))
    assert len(of(Propose, respond(case(ZOMBIE, ledger, now=at(400))))) == 1
    denied = replace(PROPOSED, proposals=(replace(PROPOSAL, status=status),))
    waits = verdict(diagnosis(action=ActionKind.ESCALATE))
    assert not of(Propose, respond(case(waits, denied, now=at(400))))


def test_offer_whose_snooze_is_over_replaces_the_old_one():
    snoozed = replace(PROPOSAL, status=ProposalStatus.SNOOZED, asked_by="an agent", asked_because="slow")
    answer = Decision(PROPOSAL.id, ADA, Answer.SNOOZE, Surface.SLACK, NOON, at(3600))
    ledger = replace(PROPOSED, proposals=(snoozed,), decisions=(answer,))
    intents = respond(case(ZOMBIE, ledger, now=at(3600)))
    assert [intent.proposal for intent in of(Withdraw, intents)] == [PROPOSAL.id]
    (made,) = of(Propose, intents)
    assert (made.proposal.asked_by, made.proposal.asked_because) == ("an agent", "slow")


@pytest.mark.parametrize(
    "status", [ProposalStatus.DENIED, ProposalStatus.UNANSWERED, ProposalStatus.APPROVED]
)
def test_answered_offer_is_not_withdrawn_when_the_trouble_is_over(status):
    answered = replace(PROPOSED, proposals=(replace(PROPOSAL, status=status),))
    intents = respond(case(verdict(), answered, now=at(900)))
    assert ended(intents) == [INCIDENT.id]
    assert not of(Withdraw, intents)
    assert ended(respond(case(verdict(), replace(answered, proposals=()), now=at(900)))) == [INCIDENT.id]


def test_message_is_known_by_its_incident_and_how_often_it_was_seen():
    mild = verdict(diagnosis(Cause.STAGE_STUCK, ActionKind.ESCALATE, Severity.DEGRADED))
    (first,) = of(SendMessage, respond(case(mild)))
    assert first.key == f"{first.incident}:incident:0"
    worse = verdict(diagnosis(Cause.STAGE_STUCK, ActionKind.ESCALATE, Severity.FATAL))
    ledger = applied(respond(case(mild)))
    (later,) = of(SendMessage, respond(case(worse, ledger, now=at(400))))
    assert later.key == f"{first.incident}:worse:{ledger.incidents[0].count}"


def test_offer_mentions_those_who_may_approve():
    (message,) = of(SendMessage, respond(case(ZOMBIE, policy=Policy(approvers=((BOB,),)))))
    assert BOB in message.mentions


def test_trouble_that_the_end_has_closed_is_not_opened_again():
    failed = diagnosis(Cause.CODE_ERROR, ActionKind.ESCALATE)
    over = verdict(failed, phase=Phase.FINISHED, state=JobState.FAILED)
    assert of(OpenIncident, respond(case(over)))
    closed = applied(respond(case(over)))
    assert not of(OpenIncident, respond(case(over, closed)))
    assert of(OpenIncident, respond(case(verdict(failed), closed)))


@pytest.mark.parametrize(
    ("status", "is_new_attempt", "failed"),
    [
        (IncidentStatus.VERIFYING, True, 1),
        (IncidentStatus.VERIFYING, False, 0),
        (IncidentStatus.OPEN, True, 0),
        (IncidentStatus.PROPOSED, False, 0),
    ],
)
def test_only_a_restart_under_its_smoke_check_can_fail(status, is_new_attempt, failed):
    ledger = replace(PROPOSED, incidents=(replace(INCIDENT, status=status),))
    attempt = JobId("/ada/dedup-r1/zephyr-dedup-11111111-p0-a0") if is_new_attempt else ZOMBIE.attempt
    intents = respond(case(replace(ZOMBIE, attempt=attempt), ledger, now=at(400)))
    assert len(of(EndIncident, intents)) == failed


def test_offer_about_a_job_that_is_gone_expires_all_the_same():
    later = replace(PROPOSAL, expires_at=NOON + timedelta(hours=30))
    ledger = replace(PROPOSED, proposals=(later, second(ProposalStatus.OPEN)))
    seen = verdict(phase=Phase.SUSPECT, gone=Gone("Not known.", NOON))
    intents = respond(case(seen, ledger, now=NOON + timedelta(hours=25)))
    assert [intent.proposal for intent in of(Expire, intents)] == ["p-2"]
    assert not of(Remind, intents)


def test_restart_that_is_asked_for_keeps_its_change():
    change = diagnosis(Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE)
    assert as_asked(change) == change
    assert as_asked(diagnosis(action=ActionKind.ESCALATE)).action is ActionKind.RESTART


def test_open_incident_is_repeated_though_one_was_closed():
    found = replace(INCIDENT.diagnosis)
    closed = replace(INCIDENT, id=IncidentId("i-0"), status=IncidentStatus.FAILED)
    ledger = replace(PROPOSED, incidents=(closed, INCIDENT))
    failed = verdict(found, phase=Phase.FINISHED, state=JobState.FAILED)
    assert [intent.incident for intent in of(RepeatIncident, respond(case(failed, ledger)))] == [INCIDENT.id]


@pytest.mark.parametrize("status", [ProposalStatus.OPEN, ProposalStatus.DENIED])
def test_only_a_standing_proposal_makes_a_message(status):
    ledger = replace(
        PROPOSED,
        proposals=(replace(PROPOSAL, status=status),),
        told=(Told(INCIDENT.id, MessageKind.INCIDENT, NOON),),
        decisions=(Decision(PROPOSAL.id, ADA, Answer.NO, Surface.SLACK, NOON),)
        * (status is ProposalStatus.DENIED),
    )
    sent = of(SendMessage, respond(case(verdict(INCIDENT.diagnosis), ledger, now=at(60))))
    assert [item.proposal for item in sent] == [PROPOSAL.id] * (status is ProposalStatus.OPEN)


@pytest.mark.parametrize(("after_s", "is_told"), [(-1, False), (0, True)])
def test_incident_understood_anew_is_damped_by_first_cause(after_s, is_told):
    ended_at = at(50)
    key = replace(INCIDENT.key, attempt=JobId(f"{ROOT}/earlier"))
    earlier = replace(INCIDENT, id=IncidentId("i-0"), key=key, status=IncidentStatus.SELF_RESOLVED)
    told = tuple(
        Told(earlier.id, occasion, moment)
        for occasion, moment in ((MessageKind.INCIDENT, NOON), (MessageKind.RESOLVED, ended_at))
    )
    ledger = Ledger(incidents=(earlier, INCIDENT), told=told)
    now = ended_at + timedelta(seconds=watch().limits.damping_s + after_s)
    intents = respond(case(DIVERGED, ledger, now=now))
    assert [intent.incident for intent in of(RepeatIncident, intents)] == [INCIDENT.id]
    assert bool(of(SendMessage, intents)) is is_told
