"""The job is healthy at the last check: look for signals of a problem."""

from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty
from babysitter.diagnosis.judge.suspicions.suspicions import (
    evaluate_suspicions,
    signals,
    two_coordinators,
)
from babysitter.model.phase import Phase
from babysitter.model.verdict import SignalKind


def steady(snapshot: Snapshot) -> PhaseResult:
    """Judge a healthy job: hard evidence goes straight to failing, a new signal to suspect.

    A signal that was examined and proved nothing stays a signal, and is examined again when it is older by
    another assessment; stragglers are told and waited for.
    """
    if snapshot.root.state.is_terminal:
        return PhaseResult(Phase.FINISHED)
    if snapshot.waiting is not None:
        return PhaseResult(Phase.PENDING)
    stand = evaluate_suspicions(snapshot)
    if stand.proven is not None:
        return PhaseResult(Phase.FAILING, reasons=stand.reasons)
    if any(is_worth_a_look(snapshot, suspicion.kind) for suspicion in stand.open):
        return PhaseResult(Phase.SUSPECT, reasons=stand.reasons)
    likely = stand.likely
    return PhaseResult(
        Phase.STEADY,
        two_coordinators(snapshot) or (likely.diagnosis if likely else None),
        signals(snapshot, stand),
        wants=stand.wants
        if any(suspicion.level >= Certainty.LIKELY for suspicion in stand.open)
        else frozenset(),
        reasons=stand.reasons,
    )


def is_worth_a_look(snapshot: Snapshot, kind: SignalKind) -> bool:
    """Whether a signal is new, or was last examined long ago: an assessment, then ever longer."""
    examined_at = snapshot.memory.examined_at.get(kind)
    if examined_at is None:
        return True
    opened_at = snapshot.memory.suspicious_since.get(kind, examined_at)
    known_s = (examined_at - opened_at).total_seconds()
    return snapshot.age_s(examined_at) >= max(snapshot.memory.assessment_s, known_s)
