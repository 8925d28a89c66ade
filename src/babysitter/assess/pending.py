"""The job, or the part of it that everything else waits for, is not placed on machines yet."""

from datetime import datetime

from babysitter.assess.evidence import known_findings
from babysitter.assess.outcome import Outcome
from babysitter.assess.running import doubled
from babysitter.assess.scene import Scene
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.job import Job
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, Reason, Signal, SignalKind

_NO_REASON_YET = ("", "Pending scheduler feedback")


def pending(scene: Scene) -> Outcome:
    """Judge a job that waits. Waiting for capacity is no failure; it is told once when it takes long."""
    if scene.root.state.is_terminal:
        return Outcome(Phase.FINISHED)
    waiting = scene.waiting
    if waiting is None:
        return Outcome(Phase.SMOKE)
    waited_s = scene.age_s(_since(scene, waiting))
    is_long = waited_s > scene.limits.pending_notice_s
    told = waiting.pending_reason.strip()
    has_reason = told not in _NO_REASON_YET
    most_s = scene.limits.pending_notice_s
    reasons = (
        Reason("pending.waits", True, f"{waiting.id} waits for machines for {waited_s:.0f} s"),
        Reason("pending.reason-told", has_reason, told[:300] or "the scheduler says nothing yet"),
        Reason("pending.long", is_long, f"{waited_s:.0f} s (told from {most_s:.0f} s on)"),
    )
    signals: tuple[Signal, ...] = ()
    if is_long:
        text = f"{waiting.name} has waited for machines for {waited_s / 60:.0f} min: {_first_line(told)}"
        signals = (Signal(SignalKind.PENDING_LONG, _since(scene, waiting), text, _evidence(waiting)),)
    return Outcome(Phase.PENDING, doubled(scene) or _why(scene, waiting), signals, reasons=reasons)


def _since(scene: Scene, waiting: Job) -> datetime:
    return scene.memory.waiting_since_at or waiting.submitted_at or scene.now


def _why(scene: Scene, waiting: Job) -> Diagnosis | None:
    """What it waits for, in the scheduler's words; None before the scheduler has said anything."""
    told = waiting.pending_reason.strip()
    if told in _NO_REASON_YET:
        return None
    ruled = [f for f in known_findings(scene).all if f.cause in (Cause.UNSCHEDULABLE, Cause.CAPACITY_WAIT)]
    best = max(ruled, key=lambda finding: finding.confidence, default=None)
    cause = best.cause if best is not None else Cause.CAPACITY_WAIT
    never = cause is Cause.UNSCHEDULABLE
    return Diagnosis(
        cause=cause,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE if never else ActionKind.WAIT,
        explanation=f"{waiting.name} waits for machines: {_first_line(told)}"
        + (" As asked for, it can never be placed." if never else ""),
        confidence=best.confidence if best is not None else 0.7,
        evidence=_evidence(waiting),
        retry=Retry.WITH_CHANGE if never else Retry.ITSELF,
        rules=(best.rule,) if best is not None else (),
        look_at=("pending-reason",),
    )


def _evidence(waiting: Job) -> tuple[Evidence, ...]:
    return (Evidence(waiting.pending_reason.strip()[:1000], f"job {waiting.id}"),)


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:300] or "no reason given"
