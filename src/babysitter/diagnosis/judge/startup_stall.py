"""A start that has been quiet in one of its phases for longer than is normal there."""

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.startup_standing import standing_of
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.observation import Want
from babysitter.model.startup import StartupStanding
from babysitter.model.verdict import Diagnosis, Reason, SignalKind


def startup_of(snapshot: Snapshot) -> StartupStanding | None:
    """Where the start of the program stands; None for a program without a table."""
    return standing_of(snapshot.memory.startup, snapshot.now, has_ended=snapshot.root.state.is_terminal)


def startup_stall(snapshot: Snapshot) -> Suspicion:
    """No line of the phase for longer than is normal in it. A person can tell; nothing is restarted."""
    standing = startup_of(snapshot)
    if not snapshot.runs or standing is None or standing.quiet_limit_s is None:
        return none_of(SignalKind.NOT_UP_YET, "startup.phase", "no phase of a start is under way")
    text = (
        f"phase {standing.phase} ({standing.name}) has been quiet for {standing.quiet_s:.0f} s "
        f"(normal: {standing.quiet_limit_s:.0f} s)"
    )
    is_suspect = standing.is_suspect and snapshot.sees_lines
    reasons = (Reason("startup.quiet", is_suspect, text),)
    if not is_suspect:
        return Suspicion(SignalKind.NOT_UP_YET, Certainty.NONE, reasons)
    diagnosis = _stalled(snapshot, standing)
    wants = frozenset({Want.ROOT_DUMP, Want.TASKS})
    return Suspicion(
        SignalKind.NOT_UP_YET, Certainty.LIKELY, reasons, text, diagnosis, diagnosis.evidence, wants
    )


def _stalled(snapshot: Snapshot, standing: StartupStanding) -> Diagnosis:
    quiet_min, limit_min = standing.quiet_s / 60, (standing.quiet_limit_s or 0.0) / 60
    where = ", ".join(part for part in (standing.process, standing.node) if part)
    source = f"start of {snapshot.root.id}" + (f" ({where})" if where else "")
    return Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"The start stands still: {standing.sentence}. Nothing was printed in this phase for "
        f"{quiet_min:.0f} min; up to {limit_min:.0f} min is normal.",
        confidence=0.6,
        evidence=(Evidence(standing.sentence, source, at=snapshot.now),),
        retry=Retry.UNKNOWN,
        look_at=("worker-logs",),
        advice=standing.advice,
    )
