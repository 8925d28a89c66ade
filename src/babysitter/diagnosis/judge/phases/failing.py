"""A failure is confirmed and its incident open: follow the newest attempt, which may overcome it."""

from dataclasses import replace

from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.phases.smoke import smoke_failed
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicions import (
    evaluate_suspicions,
    signals,
    started_successfully,
    two_coordinators,
)
from babysitter.model.finding import ActionKind
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis


def failing(snapshot: Snapshot) -> PhaseResult:
    """Judge a failure that is known: still true, changed, or overcome by the job's own recovery."""
    if snapshot.root.state.is_terminal:
        return PhaseResult(Phase.FINISHED)
    if snapshot.waiting is not None:
        return PhaseResult(Phase.PENDING)
    stand = evaluate_suspicions(snapshot)
    is_up, why = started_successfully(snapshot)
    if stand.proven is None and is_up and not stand.is_stalled:
        return PhaseResult(Phase.STEADY, reasons=(*why, *stand.reasons), recovered=True)
    if stand.proven is not None and stand.proven.diagnosis is not None:
        found: Diagnosis | None = _held_back(snapshot, stand.proven.diagnosis)
    elif stand.likely is not None:
        found = stand.likely.diagnosis
    elif snapshot.is_healing:
        found = None  # a newer try is coming up: what was wrong is over, that it is well is not seen yet
    else:
        found = smoke_failed(snapshot)
    return PhaseResult(
        Phase.FAILING,
        two_coordinators(snapshot) or found,
        signals(snapshot, stand),
        wants=stand.wants | {Want.TASKS},
        reasons=(*why, *stand.reasons),
    )


def _held_back(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """No restart while an older pipeline still writes, or while the job's own recovery is at work."""
    if not diagnosis.action.restarts:
        return diagnosis
    if two_coordinators(snapshot) is not None or snapshot.is_healing:
        return replace(diagnosis, action=ActionKind.WAIT)
    return diagnosis
