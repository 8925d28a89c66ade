"""When a trouble is an incident, and the table of an incident's life."""

from collections.abc import Mapping
from datetime import datetime

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import JobId, WatchId
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus, Ledger
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, Verdict
from babysitter.model.watch import Watch

_S = IncidentStatus

LIFECYCLE: Mapping[IncidentStatus, frozenset[IncidentStatus]] = {
    _S.OPEN: frozenset({_S.PROPOSED, _S.SNOOZED, _S.SELF_RESOLVED, _S.RESOLVED, _S.FAILED}),
    _S.PROPOSED: frozenset(
        {_S.OPEN, _S.APPROVED, _S.DENIED, _S.SNOOZED, _S.EXPIRED, _S.SELF_RESOLVED, _S.FAILED}
    ),
    _S.APPROVED: frozenset({_S.ACTING, _S.OPEN, _S.FAILED, _S.SELF_RESOLVED}),
    _S.ACTING: frozenset({_S.VERIFYING, _S.FAILED, _S.OPEN}),
    _S.VERIFYING: frozenset({_S.RESOLVED, _S.FAILED}),
    _S.SNOOZED: frozenset({_S.OPEN, _S.PROPOSED, _S.SELF_RESOLVED, _S.FAILED}),
    _S.DENIED: frozenset({_S.OPEN, _S.PROPOSED, _S.SELF_RESOLVED, _S.FAILED}),
    _S.EXPIRED: frozenset({_S.OPEN, _S.PROPOSED, _S.APPROVED, _S.SELF_RESOLVED, _S.FAILED}),
    _S.RESOLVED: frozenset(),
    _S.SELF_RESOLVED: frozenset({_S.OPEN}),  # the same trouble came back: the same incident again
    _S.FAILED: frozenset(),
}

# While one of these holds, the action decides what happens to the incident, not the verdict.
UNDER_ACTION = frozenset({IncidentStatus.APPROVED, IncidentStatus.ACTING, IncidentStatus.VERIFYING})


def is_incident(verdict: Verdict) -> bool:
    """Whether somebody must look: confirmed, and more than a wait."""
    diagnosis = verdict.diagnosis
    if diagnosis is None or about(diagnosis.cause).is_benign or not verdict.is_judged:
        return False
    if verdict.two_coordinators:
        return True
    if verdict.phase is Phase.PENDING:  # a wait is not an incident, unless it can never end
        return diagnosis.cause is Cause.UNSCHEDULABLE and diagnosis.severity is Severity.FATAL
    return (
        verdict.phase in (Phase.FAILING, Phase.FINISHED)
        and diagnosis.severity >= Severity.DEGRADED
        and diagnosis.action not in (ActionKind.IGNORE, ActionKind.WAIT)
    )


def key_of(verdict: Verdict, diagnosis: Diagnosis, watch: Watch) -> IncidentKey:
    """What makes two notices the same incident."""
    return IncidentKey(watch.id, diagnosis.cause, verdict.attempt or watch.root)


NO_ATTEMPT = JobId("")  # what concerns a cluster, or only whether a job can be seen, is about no attempt


def cluster_key(cluster: str, cause: Cause = Cause.CONTROLLER_UNREACHABLE) -> IncidentKey:
    """An outage of a whole cluster is one incident, however many watches it hits."""
    return IncidentKey(WatchId(f"cluster:{cluster}"), cause, NO_ATTEMPT)


def unseen_key(watch: WatchId, cause: Cause) -> IncidentKey:
    """One job cannot be read, or is gone, on a cluster that answers otherwise."""
    return IncidentKey(watch, cause, NO_ATTEMPT)


def closed_at_the_end(key: IncidentKey, ledger: Ledger, run_began_at: datetime | None) -> Incident | None:
    """The incident of this trouble that the end of this run has closed; the name may be used again later."""
    return next(
        (
            incident
            for incident in reversed(ledger.incidents)
            if incident.key == key
            and incident.status is IncidentStatus.FAILED
            and (run_began_at is None or incident.opened_at >= run_began_at)
        ),
        None,
    )


def same_incident(key: IncidentKey, ledger: Ledger) -> Incident | None:
    """The incident that this trouble belongs to, or None when it is new.

    One attempt has one open incident: what is understood later refines it. An incident that
    ended by itself comes back under its own name.
    """
    for incident in reversed(ledger.incidents):
        if incident.key.watch != key.watch or incident.key.attempt != key.attempt:
            continue
        if not incident.status.is_over:
            return incident
        if incident.status is IncidentStatus.SELF_RESOLVED and incident.key == key:
            return incident
    return None
