"""Verdict and ledger in, intents out: what follows from one check. The whole policy in reading order.

Level-triggered: every intent is computed from what is true now, so a check repeated after a
crash wants the same things, and the keys of incidents, proposals and messages make them one.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import IncidentId, Person
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus
from babysitter.model.intent import (
    EndIncident,
    Expire,
    Intent,
    OpenIncident,
    Propose,
    Reassign,
    Remind,
    RepeatIncident,
    SendMessage,
    Withdraw,
)
from babysitter.model.job import JobState
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.policy import Policy
from babysitter.model.proposal import Proposal, ProposalStatus
from babysitter.model.submission import Submission
from babysitter.model.verdict import Change, Diagnosis, SignalKind, Verdict
from babysitter.policy import build_proposal as proposals
from babysitter.policy.damping import about_all_clears, is_damped, is_over, next_id
from babysitter.policy.incident_lifecycle import (
    UNDER_ACTION,
    closed_at_the_end,
    is_incident,
    key_of,
    same_incident,
)
from babysitter.policy.job_ended import about_the_end
from babysitter.policy.mention import whom_to_mention
from babysitter.policy.outages import about_outages
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.proposal_details import as_asked_by, with_background
from babysitter.policy.restart_budget import RestartEligibility, budget, restart_eligibility
from babysitter.policy.restart_loss import restart_loss
from babysitter.policy.restart_verified import has_stayed_up
from babysitter.policy.silences import hold_until, silence_for
from babysitter.policy.stop_proposal import about_standing_stop

MAX_OFFERS = 2  # of one incident within the damping time: an offer, and one more when its facts moved


def respond(case: PolicyInput) -> tuple[Intent, ...]:
    """Everything that follows from this verdict, in the order in which it is to be written down."""
    intents: tuple[Intent, ...] = (
        *about_outages(case),
        *_about_waiting(case),
        *_about_incidents(case),
        *_about_standing_proposals(case),
        *about_all_clears(case),
    )
    intents += tuple(about_the_end(case, intents))
    # Messages last: each shows how things stand after everything else was written down.
    said = [intent for intent in intents if isinstance(intent, SendMessage)]
    return (*(intent for intent in intents if not isinstance(intent, SendMessage)), *said)


def eligibility_of(case: PolicyInput, diagnosis: Diagnosis, *, is_asked: bool = False) -> RestartEligibility:
    """Whether a restart may be proposed (or `is_asked` for) for this diagnosis now, and if not, why not."""
    change = None
    if case.submission is not None:
        change = _plan(case, diagnosis, case.submission).change
    return restart_eligibility(
        case.verdict,
        diagnosis,
        change,
        case.ledger,
        high_water=case.high_water,
        now=case.now,
        limits=case.watch.limits,
        is_asked=is_asked,
    )


def as_asked(diagnosis: Diagnosis, changes: tuple[Change, ...] = ()) -> Diagnosis:
    """The diagnosis as if it advised the restart that is asked for; every other argument still counts."""
    if changes:
        return replace(
            diagnosis,
            action=ActionKind.RESTART_WITH_CHANGE,
            change=changes[0],
            further_changes=changes[1:],
        )
    return diagnosis if diagnosis.action.restarts else replace(diagnosis, action=ActionKind.RESTART)


def offer_of(case: PolicyInput, incident: IncidentId, diagnosis: Diagnosis) -> Proposal:
    """The exact restart that would be offered for this diagnosis now. Needs a known submission."""
    assert case.submission is not None
    plan = _plan(case, diagnosis, case.submission)
    offer = proposals.make_proposal(
        incident,
        proposals.facts_of(case.verdict, diagnosis, case.watch, plan),
        plan,
        case.verdict,
        diagnosis,
        case.watch,
        case.ledger,
        budget(case.ledger, case.high_water, now=case.now, limits=case.watch.limits),
        case.policy,
        now=case.now,
    )
    loss = restart_loss(case.verdict.memory, case.watch.submit_context.stored, offer.submission)
    return with_background(replace(offer, loss=loss), case.watch, case.ledger)


def _about_waiting(case: PolicyInput) -> Iterator[Intent]:
    """Long pending and preemption are told once each, and are no failures."""
    occasion = MessageKind.ROUTINE if case.watch.follow else MessageKind.WAITING
    for signal in case.verdict.signals:
        if signal.kind is SignalKind.PENDING_LONG:
            yield SendMessage(
                occasion,
                signal.explanation,
                f"{case.watch.id}:waiting:{signal.since_at:%Y%m%d%H%M%S}",
                hold_until=hold_until(Severity.INFO, case.policy, now=case.now),
            )
    # What never worked still waits for the first time, the workers of the next pipeline too: that is told
    # when it takes long, as above.
    before, attempt = case.watch.memory.phase, case.verdict.memory.newest_attempt
    has_worked = attempt in (None, case.watch.root) or any(
        stage.owner == attempt for stage in case.verdict.memory.stages
    )
    goes_back = case.verdict.phase is Phase.PENDING and before in (Phase.STEADY, Phase.SUSPECT, Phase.FAILING)
    waited_at, damping = case.watch.memory.waited_at, timedelta(seconds=case.watch.limits.damping_s)
    is_news = waited_at is None or case.now - waited_at >= damping
    if goes_back and has_worked and is_news:
        yield SendMessage(
            occasion,
            "the job waits for machines again",
            f"{case.watch.id}:back-to-pending:{case.now:%Y%m%d%H%M%S}",
            hold_until=hold_until(Severity.INFO, case.policy, now=case.now),
        )


def _about_incidents(case: PolicyInput) -> Iterator[Intent]:
    verdict, diagnosis = case.verdict, case.verdict.diagnosis
    if not verdict.is_judged:
        return
    if diagnosis is not None and is_incident(verdict):
        yield from _trouble(case, diagnosis)
        return
    if _is_well(verdict):
        for incident in case.own_open:
            if verdict.phase is Phase.FINISHED and about(incident.diagnosis.cause).outlasts_success:
                continue
            yield from _over(case, incident)


def _trouble(case: PolicyInput, diagnosis: Diagnosis) -> Iterator[Intent]:
    """A confirmed trouble: open its incident, or add to the one it belongs to; then see what to offer."""
    for earlier in case.own_open:
        # The restarted job failed its smoke check: the action failed, and the trouble is a new one.
        if earlier.status is IncidentStatus.VERIFYING and earlier.key.attempt != case.verdict.attempt:
            yield EndIncident(
                earlier.id, IncidentStatus.FAILED, f"the restarted job failed too: {diagnosis.cause}"
            )
    key = key_of(case.verdict, diagnosis, case.watch)
    known = same_incident(key, case.ledger)
    if known is not None and known.status in UNDER_ACTION:
        return
    if known is None and case.verdict.phase is Phase.FINISHED:
        began_at = case.verdict.memory.root_submitted_at
        if closed_at_the_end(key, case.ledger, began_at) is not None:
            return
    if known is None:
        incident = next_id(case, key)
        yield OpenIncident(incident, key, diagnosis)
    else:
        incident = known.id
        yield RepeatIncident(incident, diagnosis)
    offer = tuple(_offer(case, incident, diagnosis))
    yield from offer
    proposed = next((propose.proposal for propose in offer if isinstance(propose, Propose)), None)
    yield from _tell(case, incident, key if known is None else known.key, known, diagnosis, proposed)


def _offer(case: PolicyInput, incident: IncidentId, diagnosis: Diagnosis) -> Iterator[Intent]:
    """A proposal when a restart may help and none stands; withdraws one whose facts moved."""
    standing = case.ledger.proposal_of(incident)
    if standing is not None and proposals.is_open(standing) and not standing.submits:
        yield from about_standing_stop(case, standing)
        return
    is_advised = eligibility_of(case, diagnosis).allows
    is_asked = standing is not None and standing.is_asked_for and proposals.is_open(standing)
    if is_asked:
        assert standing is not None
        diagnosis = as_asked(diagnosis, standing.asked_changes)
    ruling = eligibility_of(case, diagnosis, is_asked=is_asked)
    if case.submission is None or not ruling.allows:
        if proposals.is_open(standing):
            assert standing is not None
            lost = " ".join(case.watch.submit_context.missing) or "the command is not known any more"
            yield Withdraw(standing.id, ruling.value if not ruling.allows else lost)
        return
    offer = offer_of(case, incident, diagnosis)
    if standing is not None:
        moved = proposals.difference(standing.facts, offer.facts)
        if proposals.is_open(standing) and not moved:
            if not _snooze_is_over(case, standing):
                return
            offer = as_asked_by(standing, offer)
            if not _is_offered_too_often(case, incident):
                yield Withdraw(standing.id, "the snooze is over, and the restart is proposed anew")
        elif proposals.is_open(standing):
            yield Withdraw(standing.id, moved)
            if not is_advised:
                return  # what the agent saw when it asked is not what is there now
        elif not moved and standing.status is not ProposalStatus.WITHDRAWN:
            return  # answered, or unanswered to the end: the same facts are not offered again
    if not _is_offered_too_often(case, incident):
        yield Propose(offer)


def _is_offered_too_often(case: PolicyInput, incident: IncidentId) -> bool:
    """Whether the offers of a trouble that comes and goes would be a message at every check."""
    lately = case.now - timedelta(seconds=case.watch.limits.damping_s)
    told = {
        telling.proposal
        for telling in case.ledger.told
        if telling.incident == incident and telling.at > lately
    }
    return len(told - {None}) >= MAX_OFFERS


def _tell(
    case: PolicyInput,
    incident: IncidentId,
    key: IncidentKey,
    known: Incident | None,
    diagnosis: Diagnosis,
    proposed: Proposal | None,
) -> Iterator[Intent]:
    """A new trouble, a worse one, another cause and a new offer are worth a message; a repetition is not.

    What could not be told when it was new (a silence, an incident above it, damping) is told when it may be.
    """
    if case.inhibited_by or silence_for(case.watch.root, diagnosis.cause, case.policy, now=case.now):
        return
    told = [telling for telling in case.ledger.told if telling.incident == incident]
    proposed = proposed or _untold_offer(case, incident)
    if known is None or not told:
        occasion, because = MessageKind.INCIDENT, "first time this incident is told"
    elif proposed is not None:
        occasion, because = MessageKind.PROPOSAL, "a restart is offered"
    elif diagnosis.severity > known.diagnosis.severity:
        occasion, because = MessageKind.WORSE, "severity rose"
    elif diagnosis.cause is not known.diagnosis.cause:
        occasion, because = MessageKind.CHANGED, f"now understood as {diagnosis.cause}"
    elif told[-1].occasion is MessageKind.RESOLVED:
        occasion, because = MessageKind.INCIDENT, "it came back"
    else:
        return
    if is_damped(case, key, occasion):
        return
    count = known.count if known else 0
    mention = whom_to_mention(diagnosis, case.watch, asked=proposed.may_approve if proposed else ())
    yield SendMessage(
        occasion,
        because,
        f"{incident}:{occasion}:{proposed.id if proposed else count}",
        incident=incident,
        proposal=proposed.id if proposed else None,
        mentions_on_call=mention.on_call,
        mentions=mention.people,
        hold_until=hold_until(diagnosis.severity, case.policy, now=case.now),
    )


def _untold_offer(case: PolicyInput, incident: IncidentId) -> Proposal | None:
    """The standing offer about an incident, where no message speaks of it yet."""
    standing = case.ledger.proposal_of(incident)
    if standing is None or standing.status is not ProposalStatus.OPEN:
        return None
    return None if any(told.proposal == standing.id for told in case.ledger.told) else standing


def _how_it_went_on(case: PolicyInput) -> str:
    """Why there is no trouble any more, though nobody of ours did anything."""
    if case.verdict.cause is Cause.USER_CANCEL:
        return "the job was stopped by a person"
    state = case.verdict.outlook.job_state
    if state is JobState.SUCCEEDED:
        return "the job went on by itself and succeeded"
    return "the job recovered by itself"


def _over(case: PolicyInput, incident: Incident) -> Iterator[Intent]:
    """The job is well: whatever was open is over, and nothing is left to approve."""
    if incident.status in (IncidentStatus.APPROVED, IncidentStatus.ACTING):
        return
    if incident.status is not IncidentStatus.VERIFYING:
        outcome = _how_it_went_on(case)
        standing = case.ledger.proposal_of(incident.id)
        if standing is not None and proposals.is_open(standing):
            yield Withdraw(standing.id, outcome)
        yield from is_over(case, incident, outcome)
        return
    if incident.key.attempt == case.verdict.attempt or not has_stayed_up(case):
        return
    outcome = f"restarted as {case.watch.root}, which came up well"
    approved = case.ledger.proposal_of(incident.id)
    yield EndIncident(incident.id, IncidentStatus.RESOLVED, outcome)
    if not silence_for(case.watch.root, incident.diagnosis.cause, case.policy, now=case.now):
        yield SendMessage(
            MessageKind.RESOLVED,
            outcome,
            f"{incident.id}:over:{incident.count}",
            incident=incident.id,
            proposal=approved.id if approved else None,
            hold_until=hold_until(Severity.INFO, case.policy, now=case.now),
        )


def _about_standing_proposals(case: PolicyInput) -> Iterator[Intent]:
    """Unanswered is not denied: reminded once, then handed to the next approvers, then expired.

    A snoozed proposal expires too; nobody is reminded of it, as a person asked for that.
    """
    for proposal in case.ledger.proposals:
        if proposal.status is ProposalStatus.SNOOZED and case.now >= proposal.expires_at:
            yield Expire(proposal.id)
        if proposal.status is not ProposalStatus.OPEN:
            continue
        lasts = timedelta(seconds=case.watch.limits.proposal_expires_s)
        if case.now >= proposal.expires_at:
            following = _next_approvers(case.policy, proposal)
            if following:
                yield Reassign(proposal.id, following, case.now + lasts)
                yield _ask_again(case, proposal, "handed on: nobody answered in time", following)
            else:
                yield Expire(proposal.id)
        elif case.verdict.gone is not None:
            continue  # nobody is asked about a job that is not there
        elif case.now >= proposal.expires_at - lasts * (1 - case.policy.reminder_share):
            yield Remind(proposal.id)
            yield _ask_again(case, proposal, "nobody has answered yet", proposal.may_approve)


def _ask_again(case: PolicyInput, proposal: Proposal, because: str, asked: tuple[Person, ...]) -> SendMessage:
    """Ask these people; the on-call too once others than the first are asked."""
    return SendMessage(
        MessageKind.REMINDER,
        because,
        f"{proposal.id}:{because.partition(':')[0]}:{proposal.expires_at:%Y%m%d%H%M%S}",
        incident=proposal.incident,
        proposal=proposal.id,
        mentions_on_call=asked != proposal.may_approve,
        mentions=asked,
        hold_until=hold_until(Severity.FATAL, case.policy, now=case.now),
    )


def _plan(case: PolicyInput, diagnosis: Diagnosis, submission: Submission) -> proposals.RestartPlan:
    peak = case.verdict.outlook.peak_memory_bytes
    return proposals.plan_restart(diagnosis, submission, case.watch, case.ledger, peak)


def _is_well(verdict: Verdict) -> bool:
    """Seen, and up: steady, or ended successfully, or ended by a person's own hand."""
    if verdict.phase is Phase.STEADY:
        return not verdict.two_coordinators
    return verdict.phase is Phase.FINISHED and (
        verdict.outlook.job_state is JobState.SUCCEEDED or verdict.cause is Cause.USER_CANCEL
    )


def _snooze_is_over(case: PolicyInput, proposal: Proposal) -> bool:
    if proposal.status is not ProposalStatus.SNOOZED:
        return False
    until = next(
        (
            decision.snooze_until
            for decision in reversed(case.ledger.decisions)
            if decision.proposal == proposal.id
        ),
        None,
    )
    return until is not None and case.now >= until


def _next_approvers(policy: Policy, proposal: Proposal) -> tuple[Person, ...]:
    tiers = list(policy.approvers)
    at = tiers.index(proposal.may_approve) if proposal.may_approve in tiers else len(tiers)
    return tiers[at + 1] if at + 1 < len(tiers) else ()
