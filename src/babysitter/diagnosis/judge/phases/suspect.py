"""A signal that might be a failure: look every few seconds, with thread dumps, until it is one or is not."""

from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicions import (
    evaluate_suspicions,
    signals,
    two_coordinators,
)
from babysitter.model.observation import Want
from babysitter.model.phase import Phase


def suspect(snapshot: Snapshot) -> PhaseResult:
    """Judge a signal: confirmed, explained away, or, after at most three minutes, kept as a signal."""
    if snapshot.root.state.is_terminal:
        return PhaseResult(Phase.FINISHED)
    if snapshot.waiting is not None:
        return PhaseResult(Phase.PENDING)
    stand = evaluate_suspicions(snapshot)
    if stand.proven is not None:
        return PhaseResult(Phase.FAILING, reasons=stand.reasons)
    is_over = snapshot.memory.seen_in_phase_s >= snapshot.limits.suspect_most_s
    if not stand.open or is_over:
        return PhaseResult(Phase.STEADY, reasons=stand.reasons)
    likely = stand.likely
    return PhaseResult(
        Phase.SUSPECT,
        two_coordinators(snapshot) or (likely.diagnosis if likely else None),
        signals(snapshot, stand),
        wants=stand.wants | {Want.TASKS},
        reasons=stand.reasons,
    )
