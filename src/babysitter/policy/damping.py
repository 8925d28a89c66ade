"""An alarm and its all-clear: each is a message, and neither follows the other within the damping time.

A message about a trouble is the opposite of the one before it when one of them says that the trouble is there
and the other that it is over. What may not be said yet is not lost: every check compares what was told last
with what is true, and says what differs once the damping time is over.
"""

from collections.abc import Iterator
from datetime import timedelta

from babysitter.model.finding import Severity
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus
from babysitter.model.intent import EndIncident, Intent, SendMessage
from babysitter.model.message import MessageKind, Told
from babysitter.model.phase import Phase
from babysitter.policy.computed_ids import incident_id
from babysitter.policy.incident_lifecycle import NO_ATTEMPT
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.silences import hold_until, silence_for

ALARMS = frozenset(
    {
        MessageKind.INCIDENT,
        MessageKind.WORSE,
        MessageKind.CHANGED,
        MessageKind.PROPOSAL,
        MessageKind.REMINDER,
        MessageKind.BLIND,
    }
)
LATE_ALL_CLEAR = timedelta(hours=1)  # later than this after the end, its card alone shows that it is over


def next_id(case: PolicyInput, key: IncidentKey) -> IncidentId:
    """The id of the next incident of this key."""
    return incident_id(key, sum(1 for incident in case.ledger.incidents if incident.key == key) + 1)


def newest_told(case: PolicyInput, key: IncidentKey) -> Told | None:
    """The last alarm or all-clear about this trouble: the same cause of the same watch, or cluster."""
    same = {
        incident.id
        for incident in case.ledger.incidents
        if (incident.key.watch, incident.key.cause) == (key.watch, key.cause)
    }
    counts = ALARMS | {MessageKind.RESOLVED}
    newest = reversed(case.ledger.told)
    return next((told for told in newest if told.incident in same and told.occasion in counts), None)


def is_damped(case: PolicyInput, key: IncidentKey, occasion: MessageKind) -> bool:
    """Whether this would say the opposite of what was said a moment ago."""
    last = newest_told(case, key)
    if last is None or (last.occasion in ALARMS) == (occasion in ALARMS):
        return False
    return case.now - last.at < timedelta(seconds=case.watch.limits.damping_s)


def is_over(case: PolicyInput, incident: Incident, outcome: str) -> Iterator[Intent]:
    """End an incident that ended by itself, and say so where that may be said now."""
    yield EndIncident(incident.id, IncidentStatus.SELF_RESOLVED, outcome)
    yield from _all_clear(case, incident, outcome)


def about_all_clears(case: PolicyInput) -> Iterator[Intent]:
    """Say of what ended a while ago that it is over, where that could not be said at once."""
    if not case.verdict.is_judged:
        return
    for incident in case.ledger.incidents:
        if (
            incident.status is IncidentStatus.SELF_RESOLVED
            and incident.ended_at is not None
            and case.now - incident.ended_at <= LATE_ALL_CLEAR
            and not _is_there_again(case, incident)
        ):
            yield from _all_clear(case, incident, incident.outcome)


def _all_clear(case: PolicyInput, incident: Incident, outcome: str) -> Iterator[Intent]:
    last = newest_told(case, incident.key)
    if last is None or last.occasion not in ALARMS or is_damped(case, incident.key, MessageKind.RESOLVED):
        return
    if silence_for(case.watch.root, incident.diagnosis.cause, case.policy, now=case.now):
        return
    if case.verdict.phase is Phase.FINISHED and incident.key.watch == case.watch.id:
        return  # the message about the end says it
    yield SendMessage(
        MessageKind.RESOLVED,
        outcome,
        f"{incident.id}:over:{incident.count}",
        incident=incident.id,
        hold_until=None if is_of_cluster(incident) else hold_until(Severity.INFO, case.policy, now=case.now),
    )


def is_of_cluster(incident: Incident) -> bool:
    """Whether it is about a whole cluster, and not about one watch."""
    return incident.key.watch.startswith("cluster:")


def _is_there_again(case: PolicyInput, incident: Incident) -> bool:
    """Whether the same trouble is open, or might be: only a job that is well is said to be well."""
    if any(
        (other.key.watch, other.key.cause) == (incident.key.watch, incident.key.cause)
        for other in case.ledger.open_incidents
    ):
        return True
    is_about_the_job = incident.key.attempt != NO_ATTEMPT
    return is_about_the_job and case.verdict.phase is not Phase.STEADY
