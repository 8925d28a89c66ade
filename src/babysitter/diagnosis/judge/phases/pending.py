"""The job, or the part of it that everything else waits for, is not placed on machines yet."""

from datetime import datetime

from babysitter.diagnosis.judge.evidence import known_findings
from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicions import two_coordinators
from babysitter.diagnosis.timeline.placement import (
    Placement,
    PlacementReason,
    read_placement,
)
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Retry, Severity
from babysitter.model.job import Job
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, Reason, Signal, SignalKind

_PLACING = (Cause.UNSCHEDULABLE, Cause.CAPACITY_WAIT)


def pending(snapshot: Snapshot) -> PhaseResult:
    """Judge a job that waits.

    Waiting for capacity is not a failure, and reported once when it takes long. A job that no machine can
    ever take is a failure, and reported as soon as a second check hears the same.
    """
    if snapshot.root.state.is_terminal:
        return PhaseResult(Phase.FINISHED)
    waiting = snapshot.waiting
    if waiting is None:
        return PhaseResult(Phase.SMOKE)
    why = read_placement(waiting.pending_reason)
    rule = _rule(snapshot, why)
    is_never = (rule is not None and rule.cause is Cause.UNSCHEDULABLE) or why.placement is Placement.NEVER
    signals, is_confirmed = (
        _never_placed(snapshot, waiting, why) if is_never else (_long(snapshot, waiting), False)
    )
    return PhaseResult(
        Phase.PENDING,
        two_coordinators(snapshot)
        or _diagnosis(snapshot, waiting, why, rule, is_never=is_never, is_confirmed=is_confirmed),
        signals,
        reasons=_reasons(snapshot, waiting, why, is_never=is_never, is_confirmed=is_confirmed),
        check_again_s=snapshot.limits.suspicious_pulse_s if is_never and not is_confirmed else None,
    )


def _rule(snapshot: Snapshot, why: PlacementReason) -> Finding | None:
    """The rule that best explains the wait, where the cluster's own words do not settle it."""
    found = [finding for finding in known_findings(snapshot).all if finding.cause in _PLACING]
    if why.placement is Placement.WAITS:
        found = [finding for finding in found if finding.cause is Cause.CAPACITY_WAIT]
    return max(
        found, key=lambda finding: (finding.confidence, finding.cause is Cause.UNSCHEDULABLE), default=None
    )


def _never_placed(snapshot: Snapshot, waiting: Job, why: PlacementReason) -> tuple[tuple[Signal, ...], bool]:
    """The signal, and whether it stands long enough: groups of machines come back from a quota's backoff.

    A second check confirms the cluster's own words; what a rule read is confirmed by time.
    """
    since = snapshot.memory.suspicious_since.get(SignalKind.NEVER_PLACED, snapshot.now)
    limits = snapshot.limits
    is_settled = why.placement is Placement.NEVER and not why.may_join
    needed_s = limits.suspicious_pulse_s if is_settled else limits.suspect_most_s
    text = f"{waiting.name} can never be placed as asked for: {_first_line(waiting.pending_reason.strip())}"
    signal = Signal(SignalKind.NEVER_PLACED, since, text, _evidence(waiting))
    return (signal,), snapshot.age_s(since) >= needed_s


def _long(snapshot: Snapshot, waiting: Job) -> tuple[Signal, ...]:
    since = _since(snapshot, waiting)
    waited_s = snapshot.age_s(since)
    if waited_s <= snapshot.limits.pending_notice_s:
        return ()
    told = _first_line(waiting.pending_reason.strip())
    text = f"{waiting.name} has waited for machines for {waited_s / 60:.0f} min: {told}"
    return (Signal(SignalKind.PENDING_LONG, since, text, _evidence(waiting)),)


def _since(snapshot: Snapshot, waiting: Job) -> datetime:
    return snapshot.memory.waiting_since_at or waiting.submitted_at or snapshot.now


def _reasons(
    snapshot: Snapshot, waiting: Job, why: PlacementReason, *, is_never: bool, is_confirmed: bool
) -> tuple[Reason, ...]:
    waited_s = snapshot.age_s(_since(snapshot, waiting))
    most_s = snapshot.limits.pending_notice_s
    told = waiting.pending_reason.strip()
    return (
        Reason("pending.waits", True, f"{waiting.id} waits for machines for {waited_s:.0f} s"),
        Reason(
            "pending.reason-told",
            why.placement is not Placement.UNKNOWN,
            told[:300] or "the scheduler says nothing yet",
        ),
        Reason("pending.long", waited_s > most_s, f"{waited_s:.0f} s (told from {most_s:.0f} s on)"),
        Reason(
            "pending.never-placed", is_never, f"by the pending reason: {why.placement} {why.setting}".strip()
        ),
        Reason("pending.never-placed-confirmed", is_confirmed, "another check heard the same"),
    )


def _diagnosis(
    snapshot: Snapshot,
    waiting: Job,
    why: PlacementReason,
    rule: Finding | None,
    *,
    is_never: bool,
    is_confirmed: bool,
) -> Diagnosis | None:
    """What it waits for, in the scheduler's words; None before the scheduler has said anything."""
    if why.placement is Placement.UNKNOWN:
        return None
    told = _first_line(waiting.pending_reason.strip())
    explanation = f"{waiting.name} waits for machines: {told}"
    if is_never:
        explanation = f"The cluster can never place {waiting.name} as asked for: {told}"
        if why.placement is Placement.NEVER:
            advice = why.advice(waiting.name, is_root=waiting.id == snapshot.root.id)
            explanation = f"{advice} Until then it waits for ever."
    return Diagnosis(
        cause=Cause.UNSCHEDULABLE if is_never else Cause.CAPACITY_WAIT,
        severity=Severity.FATAL if is_confirmed else Severity.DEGRADED,
        action=ActionKind.ESCALATE if is_never else ActionKind.WAIT,
        explanation=explanation,
        confidence=0.95 if why.placement is Placement.NEVER else rule.confidence if rule else 0.7,
        evidence=_evidence(waiting),
        retry=Retry.WITH_CHANGE if is_never else Retry.ITSELF,
        rules=(rule.rule,) if rule is not None else (),
        look_at=("pending-reason",),
    )


def _evidence(waiting: Job) -> tuple[Evidence, ...]:
    return (Evidence(waiting.pending_reason.strip()[:1000], f"job {waiting.id}"),)


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:300] or "no reason given"
