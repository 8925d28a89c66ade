"""A cluster that cannot be seen, one job of it that cannot be read, and jobs that it does not know any more.

What happens to many watches of a cluster at once is one incident of the cluster: told once, in a conversation
of its own, and open while any of its watches is still affected. No watch ends, and nothing is proposed.

    no watch sees the cluster      controller-unreachable, of the cluster    from `blind_incident_s` on
    one does not, and others do    controller-unreachable, of that watch     from `blind_incident_s` on
    several jobs are not known     job-gone, of the cluster                  a second check confirms it
    one job is not known           job-gone, of its watch                    a second check confirms it
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident, IncidentKey, Ledger
from babysitter.model.intent import Intent, OpenIncident, SendMessage
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone
from babysitter.model.verdict import Diagnosis, Verdict
from babysitter.policy.damping import is_damped, is_of_cluster, is_over, next_id
from babysitter.policy.incident_lifecycle import cluster_key, unseen_key
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.silences import hold_until, silence_for


def needs_neighbours(verdict: Verdict, ledger: Ledger) -> bool:
    """Whether the response depends on what other watches of the cluster saw."""
    is_open = any(
        incident.key.cause is Cause.JOB_GONE and not incident.status.is_over for incident in ledger.incidents
    )
    return is_open or not verdict.is_judged


def about_outages(case: PolicyInput) -> Iterator[Intent]:
    """Incidents of the cluster, and of whether this job can be seen on it."""
    yield from _about_blindness(case)
    yield from _about_missing_jobs(case)


def _about_blindness(case: PolicyInput) -> Iterator[Intent]:
    of_cluster = case.open_of(cluster_key(case.watch.cluster))
    of_job = case.open_of(unseen_key(case.watch.id, Cause.CONTROLLER_UNREACHABLE))
    known = [incident for incident in (of_cluster, of_job) if incident is not None]
    since = min(case.verdict.memory.blind_since.values(), default=None)
    if not case.verdict.blind or since is None:
        for incident in known:
            yield from is_over(case, incident, _sees_again(case, incident))
    elif known:
        yield from _alarm(case, known[0].key, known[0].id)
    elif (case.now - since).total_seconds() >= case.watch.limits.blind_incident_s:
        key, diagnosis = _blindness(case, since)
        if key is not None:
            yield from _open(case, key, diagnosis)


def _blindness(case: PolicyInput, since: datetime) -> tuple[IncidentKey | None, Diagnosis]:
    """Whose blindness it is: the cluster's, or this watch's alone. None while the others' checks are due."""
    reason = case.verdict.blind[0].reason
    lasts = timedelta(seconds=case.watch.limits.blind_incident_s)
    seen_at = max((neighbour.clear_at for neighbour in case.neighbours if neighbour.clear_at), default=None)
    diagnosis = Diagnosis(Cause.CONTROLLER_UNREACHABLE, Severity.DEGRADED, ActionKind.ESCALATE, "")
    if seen_at is not None and seen_at - since >= lasts / 2:
        text = (
            f"{case.watch.root} cannot be read since {since:%H:%M} UTC, while '{case.watch.cluster}' answers "
            f"for other jobs: {reason} The job is not judged meanwhile."
        )
        return unseen_key(case.watch.id, diagnosis.cause), replace(diagnosis, explanation=text)
    text = (
        f"Cluster '{case.watch.cluster}' cannot be seen since {since:%H:%M} UTC: {reason} "
        "Jobs are not judged meanwhile; contact loss alone never leads to a restart."
    )
    is_dark = seen_at is None or case.now - seen_at >= lasts
    return cluster_key(case.watch.cluster) if is_dark else None, replace(diagnosis, explanation=text)


def _sees_again(case: PolicyInput, incident: Incident) -> str:
    since = min(case.watch.memory.blind_since.values(), default=incident.opened_at)
    who = "the cluster" if is_of_cluster(incident) else "the job's cluster"
    return f"{who} answers again after {(case.now - since).total_seconds() / 60:.0f} min"


def _about_missing_jobs(case: PolicyInput) -> Iterator[Intent]:
    gone, since = case.verdict.gone, case.verdict.memory.gone_since
    lost = case.open_of(cluster_key(case.watch.cluster, Cause.JOB_GONE))
    own = case.open_of(unseen_key(case.watch.id, Cause.JOB_GONE))
    if gone is None or since is None:
        if not case.verdict.blind:
            yield from _known_again(case, own, lost)
        return
    if case.verdict.phase is Phase.FINISHED:
        return  # a cluster forgets ended jobs
    for incident in (own, lost):
        if incident is not None:
            yield from _alarm(case, incident.key, incident.id)
            return
    if (case.now - since).total_seconds() < case.watch.limits.suspicious_pulse_s:
        return
    if len(gone.missing) > 1:
        yield from _open(case, cluster_key(case.watch.cluster, Cause.JOB_GONE), _jobs_lost(case, gone))
    elif case.verdict.diagnosis is not None:
        yield from _open(case, unseen_key(case.watch.id, Cause.JOB_GONE), case.verdict.diagnosis)


def _known_again(case: PolicyInput, own: Incident | None, lost: Incident | None) -> Iterator[Intent]:
    if own is not None:
        gone_min = (case.now - own.opened_at).total_seconds() / 60
        yield from is_over(case, own, f"the cluster knows the job again after {gone_min:.0f} min")
    still_missing = [neighbour for neighbour in case.neighbours if neighbour.gone_since is not None]
    if lost is not None and not still_missing:
        gone_min = (case.now - lost.opened_at).total_seconds() / 60
        yield from is_over(case, lost, f"the controller knows its jobs again after {gone_min:.0f} min")


def _jobs_lost(case: PolicyInput, gone: Gone) -> Diagnosis:
    cluster = case.watch.cluster
    return Diagnosis(
        Cause.JOB_GONE,
        Severity.DEGRADED,
        ActionKind.ESCALATE,
        f"The controller of '{cluster}' answers, and does not know {len(gone.missing)} of {gone.watched} "
        "watched jobs any more: it lost its jobs, for example because it was started with an empty database. "
        "No watch ends, and nothing is proposed.",
        evidence=tuple(
            Evidence("not known to the cluster", f"job {job}", at=gone.at) for job in sorted(gone.missing)
        ),
    )


def _open(case: PolicyInput, key: IncidentKey, diagnosis: Diagnosis) -> Iterator[Intent]:
    incident = next_id(case, key)
    yield OpenIncident(incident, key, diagnosis)
    yield from _alarm(case, key, incident)


def _alarm(case: PolicyInput, key: IncidentKey, incident: IncidentId) -> Iterator[Intent]:
    """Tell of an open outage once, as soon as damping allows."""
    if any(told.incident == incident for told in case.ledger.told) or is_damped(case, key, MessageKind.BLIND):
        return
    if silence_for(case.watch.root, key.cause, case.policy, now=case.now) and key.watch == case.watch.id:
        return
    is_all = key.watch != case.watch.id
    yield SendMessage(
        MessageKind.BLIND if is_all or key.cause is Cause.CONTROLLER_UNREACHABLE else MessageKind.INCIDENT,
        f"{key.cause} for {_lasts_s(case):.0f} s",
        f"{incident}:opened",
        incident=incident,
        mentions_on_call=is_all,
        mentions=(case.watch.owner,) if case.watch.owner and not is_all else (),
        hold_until=hold_until(Severity.DEGRADED, case.policy, now=case.now),
    )


def _lasts_s(case: PolicyInput) -> float:
    memory = case.verdict.memory
    since = memory.gone_since or min(memory.blind_since.values(), default=case.now)
    return (case.now - since).total_seconds()
