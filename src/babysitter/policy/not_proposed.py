"""Why an open incident has no proposal, in a line for a person. Pure."""

from collections.abc import Sequence

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind
from babysitter.model.incident import BUDGET_WINDOW, Incident
from babysitter.model.intent import EndIncident, Expire, Intent, OpenIncident, Propose, Withdraw
from babysitter.model.proposal import ProposalStatus
from babysitter.model.verdict import Diagnosis
from babysitter.policy.build_proposal import is_open
from babysitter.policy.incident_lifecycle import UNDER_ACTION
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.respond import eligibility_of
from babysitter.policy.restart_budget import RestartEligibility, budget

_NEXT_STEPS = {
    RestartEligibility.ONLY_GUESSED: "Look at the evidence; `babysit propose` asks for one all the same.",
    RestartEligibility.NO_CHANGE_KNOWN: "Submit the job with the change yourself.",
    RestartEligibility.SAME_CAUSE_AGAIN: "Correct the cause, then submit the job again.",
    RestartEligibility.BUDGET_SPENT: "Find out why it needs so many; progress and time give new ones.",
    RestartEligibility.NO_PROGRESS: "Correct the cause, then submit the job again.",
    RestartEligibility.HEALING: "Wait; it is reported when the recovery fails.",
    RestartEligibility.BLIND: "Wait until the cluster answers again.",
    RestartEligibility.GONE: "Wait until the cluster knows it again, or submit it anew.",
    RestartEligibility.TWO_COORDINATORS: "Wait until one of them has ended.",
}
_ADVICE = {
    ActionKind.WAIT: ("the diagnosis advises to wait", "Wait; it is reported when it gets worse."),
    ActionKind.IGNORE: ("the diagnosis asks for no action", "Nothing is to be done."),
    ActionKind.ESCALATE: ("a restart alone would not help", "A person has to look; see the evidence."),
}
_ANSWERED = {ProposalStatus.DENIED: "was denied", ProposalStatus.UNANSWERED: "expired unanswered"}


def why_not_proposed(case: PolicyInput, intents: Sequence[Intent]) -> str:
    """Return the reason and the next step; "" while nothing is open, or something is proposed or done.

    `intents`: what follows from this check, not yet written down.
    """
    if not _has_open_incident(case, intents) or _has_proposal(case, intents):
        return ""
    diagnosis = case.verdict.diagnosis
    if case.verdict.blind or case.verdict.gone is not None or diagnosis is None:
        return _unseen(case)
    ruling = eligibility_of(case, diagnosis)
    is_change_unknown = ruling is RestartEligibility.NO_CHANGE_KNOWN and case.submission is None
    if not (ruling.allows or is_change_unknown):
        return _refused(case, diagnosis, ruling)
    if case.submission is None:  # then no change of it is known either
        missing = " ".join(case.watch.submit_context.missing)
        known = missing or "Nobody knows how it was submitted."
        return f"the job could not be submitted again. {known}"
    earlier = next(reversed(case.ledger.proposals), None)
    if earlier is not None and earlier.status in _ANSWERED:
        answered = _ANSWERED[earlier.status]
        return f"{earlier.id} {answered}, and nothing has changed since. Submit the job again yourself."
    return "this incident was proposed several times lately. Wait; it is proposed again later."


def _has_open_incident(case: PolicyInput, intents: Sequence[Intent]) -> bool:
    """An incident that ends with its job counts: the trouble is still there."""
    ended = {
        intent.incident for intent in intents if isinstance(intent, EndIncident) and intent.status.is_resolved
    }
    own = [incident for incident in case.own_open if incident.id not in ended]
    return bool(own) or any(isinstance(intent, OpenIncident) for intent in intents)


def _has_proposal(case: PolicyInput, intents: Sequence[Intent]) -> bool:
    over = {intent.proposal for intent in intents if isinstance(intent, (Withdraw, Expire))}
    stands = any(is_open(proposal) and proposal.id not in over for proposal in case.ledger.proposals)
    return (
        stands
        or any(map(_is_acted_on, case.own_open))
        or any(isinstance(intent, Propose) for intent in intents)
    )


def _is_acted_on(incident: Incident) -> bool:
    return incident.status in UNDER_ACTION


def _unseen(case: PolicyInput) -> str:
    if case.verdict.blind:
        return _sentence(RestartEligibility.BLIND)
    if case.verdict.gone is not None:
        return _sentence(RestartEligibility.GONE)
    return "the last check did not confirm the trouble. Wait for the next one."


def _refused(case: PolicyInput, diagnosis: Diagnosis, ruling: RestartEligibility) -> str:
    if ruling in (RestartEligibility.NOT_ADVISED, RestartEligibility.CAUSE_FORBIDS):
        if about(diagnosis.cause).repeat_fails and diagnosis.action is not ActionKind.WAIT:
            same = "the same again would fail again"
            return f"{diagnosis.cause} is never restarted blindly: {same}. Correct the cause, then submit it."
        reason, step = _ADVICE.get(diagnosis.action, (ruling.value, "Correct the cause, then submit it."))
        return f"{reason} ({diagnosis.cause}). {step}"
    if ruling in (RestartEligibility.BUDGET_SPENT, RestartEligibility.NO_PROGRESS):
        limits = case.watch.limits
        used = budget(case.ledger, case.high_water, now=case.now, limits=limits).used
        hours = BUDGET_WINDOW.total_seconds() / 3600
        counted = f"{used} of {limits.restarts_per_day} restarts in {hours:.0f} h"
        return f"{ruling.value} ({counted}). {_NEXT_STEPS[ruling]}"
    return _sentence(ruling)


def _sentence(ruling: RestartEligibility) -> str:
    return f"{ruling.value}. {_NEXT_STEPS.get(ruling, '')}".rstrip()
