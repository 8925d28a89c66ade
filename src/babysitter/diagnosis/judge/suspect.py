"""A signal that might be a failure: look every few seconds, with thread dumps, until it is one or is not."""

from babysitter.diagnosis.judge.phase_result import Outcome
from babysitter.diagnosis.judge.snapshot import Scene
from babysitter.diagnosis.judge.suspicions import doubled, signals, standing
from babysitter.model.observation import Want
from babysitter.model.phase import Phase


def suspect(scene: Scene) -> Outcome:
    """Judge a signal: confirmed, explained away, or, after at most three minutes, kept as a signal."""
    if scene.root.state.is_terminal:
        return Outcome(Phase.FINISHED)
    if scene.waiting is not None:
        return Outcome(Phase.PENDING)
    stand = standing(scene)
    if stand.proven is not None:
        return Outcome(Phase.FAILING, reasons=stand.reasons)
    is_over = scene.memory.seen_in_phase_s >= scene.limits.suspect_most_s
    if not stand.open or is_over:
        return Outcome(Phase.STEADY, reasons=stand.reasons)
    likely = stand.likely
    return Outcome(
        Phase.SUSPECT,
        doubled(scene) or (likely.diagnosis if likely else None),
        signals(scene, stand),
        wants=stand.wants | {Want.TASKS},
        reasons=stand.reasons,
    )
