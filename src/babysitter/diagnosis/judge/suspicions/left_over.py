"""A part of a job that still runs although the others are done, by a listing of its pods in the log."""

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind


def left_over(snapshot: Snapshot) -> Suspicion:
    """What is left over holds its machines. Work behind the listing disproves it."""
    left, advanced = snapshot.memory.left_over, snapshot.memory.advanced_position
    if not snapshot.runs or left is None or (advanced is not None and advanced > left.rows[0][0]):
        why_not = "no listing shows a part that runs while the others are done"
        return none_of(SignalKind.ZOMBIE_LIKE, "left-over.listing", why_not)
    more = left.running - len(left.names)
    told = f"{', '.join(left.names)}{f' and {more} more' if more > 0 else ''}"
    told += f" still run{'' if len(left.names) > 1 else 's'}, and "
    told += f"{left.done} other pod{'s' if left.done > 1 else ''} of the job completed"
    excerpt = snapshot.observation.excerpt
    source = excerpt.source if excerpt is not None else f"log of {snapshot.root.id}"
    evidence = tuple(
        Evidence(text, source, place + 1 if excerpt is not None else None) for place, text in left.rows
    )
    diagnosis = Diagnosis(
        cause=Cause.ZOMBIE_COORDINATOR,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"{told}; what is left over keeps its machines, and the job does not end.",
        confidence=0.66,
        evidence=evidence,
        retry=Retry.UNKNOWN,
        look_at=("worker-logs", "machine"),
    )
    reasons = (Reason("left-over.listing", True, told),)
    return Suspicion(SignalKind.ZOMBIE_LIKE, Certainty.PROVEN, reasons, told, diagnosis, evidence)
