"""The job runs, or was just started again: does it come up within its allowance?"""

from dataclasses import replace

from babysitter.diagnosis.judge.evidence import diagnosis_of_the_end, findings_still_valid
from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicions import (
    evaluate_suspicions,
    signals,
    started_successfully,
    two_coordinators,
)
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, Reason, Signal, SignalKind


def smoke(snapshot: Snapshot) -> PhaseResult:
    """Judge a start. Up means: every expected child exists and runs, and first progress was seen.

    Blindness never counts against the job: the allowance stands still while nothing is seen.
    """
    if snapshot.root.state.is_terminal:
        return PhaseResult(Phase.FINISHED)
    if snapshot.waiting is not None:
        return PhaseResult(Phase.PENDING)
    stand = evaluate_suspicions(snapshot)
    is_up, why = started_successfully(snapshot)
    reasons = (*why, *stand.reasons, *_allowance(snapshot))
    if stand.proven is not None:
        return PhaseResult(Phase.FAILING, reasons=reasons)
    if is_up:
        return PhaseResult(Phase.STEADY, reasons=reasons)
    if has_failed(snapshot) and not snapshot.is_healing:
        return PhaseResult(Phase.FAILING, reasons=reasons)
    signal = Signal(
        SignalKind.NOT_UP_YET,
        snapshot.memory.phase_since_at or snapshot.now,
        next((reason.text for reason in why if not reason.holds), "not up yet"),
    )
    return PhaseResult(
        Phase.SMOKE,
        two_coordinators(snapshot),
        (signal, *signals(snapshot, stand)),
        wants=stand.wants | {Want.TASKS},
        reasons=reasons,
    )


def has_failed(snapshot: Snapshot) -> bool:
    """Whether the allowance is used up. Only time in which something was seen counts.

    A plain job cannot fail it: it is up once it runs long enough.
    """
    return snapshot.needs_crew and snapshot.memory.seen_in_phase_s > snapshot.limits.smoke_allowance_s


def smoke_failed(snapshot: Snapshot) -> Diagnosis:
    """What is said when the allowance is gone: the cause that evidence gives, else unknown; escalated."""
    _, why = started_successfully(snapshot)
    allowance_min = snapshot.limits.smoke_allowance_s / 60
    missing = "; ".join(reason.text for reason in why if not reason.holds)
    found = diagnosis_of_the_end(snapshot)
    unproven = about(found.cause).is_benign or about(found.cause).is_judged_over_time
    return replace(
        findings_still_valid(found),
        cause=Cause.UNKNOWN if unproven else found.cause,
        severity=max(found.severity, Severity.DEGRADED),
        action=ActionKind.ESCALATE,
        explanation=f"The job did not come up within {allowance_min:.0f} min: {missing}."
        + ("" if unproven else f" {found.explanation}"),
    )


def _allowance(snapshot: Snapshot) -> tuple[Reason, ...]:
    seen_s, most_s = snapshot.memory.seen_in_phase_s, snapshot.limits.smoke_allowance_s
    return (Reason("smoke.allowance-used-up", seen_s > most_s, f"{seen_s:.0f} of {most_s:.0f} s"),)
