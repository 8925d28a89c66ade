"""Workers that die or are taken away again and again, and jobs that print nothing any more."""

from babysitter.diagnosis.judge.evidence import known_findings
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.startup_stall import startup_of
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.pace import (
    is_complete,
    mean_quiet_limit_s,
    quiet_limit_s,
    usual_silence_s,
)
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

_WANTS = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.TASKS})


def worker_churn(snapshot: Snapshot) -> Suspicion:
    """Too many workers lost in a window. While shards complete, the pipeline recovers."""
    pipeline, limits = snapshot.pipeline, snapshot.limits
    if pipeline is None or pipeline.workers is None or not snapshot.runs:
        return none_of(SignalKind.CHURN, "churn.workers-running", "no workers run")
    counts = [loss for loss in snapshot.memory.losses if loss.job == pipeline.workers.id]
    before = [count.total for count in counts if snapshot.age_s(count.at) > limits.churn_window_s]
    start = before[-1] if before else min((count.total for count in counts), default=0)
    lost = max((count.total for count in counts), default=0) - start
    most = max(limits.churn_least_count, pipeline.workers.task_count)
    last_at = counts[-1].at if counts else None
    advanced_at = snapshot.memory.advanced_at
    goes_on = advanced_at is not None and last_at is not None and advanced_at > last_at
    outcome = "shards complete in spite of it" if goes_on else "nothing completed since the last loss"
    told = f"{lost} workers lost in {limits.churn_window_s / 60:.0f} min"
    reasons = (
        Reason("churn.workers-lost", lost >= most, f"{told} (told from {most} on)"),
        Reason("churn.goes-on", goes_on, outcome),
    )
    if lost < most:
        return Suspicion(SignalKind.CHURN, Certainty.NONE, reasons)
    evidence = (Evidence(told, f"job {pipeline.workers.id}", at=last_at),)
    diagnosis = Diagnosis(
        cause=Cause.WORKER_CHURN,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT if goes_on else ActionKind.ESCALATE,
        explanation=f"{told}; {outcome}.",
        confidence=0.7,
        evidence=evidence,
        retry=Retry.ITSELF,
        look_at=("worker-logs", "machine"),
    )
    level = Certainty.LIKELY if goes_on else Certainty.PROVEN
    return Suspicion(SignalKind.CHURN, level, reasons, diagnosis.explanation, diagnosis, evidence)


def no_output(snapshot: Snapshot) -> Suspicion:
    """Nothing printed for far longer than ever before. Proves nothing by itself; worth a closer look."""
    memory = snapshot.memory
    if not snapshot.runs or not snapshot.sees_lines or memory.last_line_at is None or snapshot.needs_crew:
        why_not = "not a running job whose own log was read"
        return none_of(SignalKind.QUIET, "quiet.log-seen", why_not)
    heard_at = max(memory.last_line_at, snapshot.began_at or memory.last_line_at)
    quiet_s = snapshot.age_s(heard_at)
    most_s, told_s = quiet_limits_s(snapshot)
    text = f"it has printed nothing for {quiet_s:.0f} s (unusual from {most_s:.0f} s on)"
    reasons = (
        Reason("quiet.too-long", quiet_s > most_s, text),
        Reason("quiet.told", quiet_s > told_s, f"people are told from {told_s:.0f} s on"),
    )
    if quiet_s <= told_s:
        level = Certainty.POSSIBLE if quiet_s > most_s else Certainty.NONE
        return Suspicion(SignalKind.QUIET, level, reasons, text, wants=_WANTS)
    diagnosis = _fell_silent(snapshot, quiet_s)
    return Suspicion(SignalKind.QUIET, Certainty.PROVEN, reasons, text, diagnosis, diagnosis.evidence, _WANTS)


def quiet_limits_s(snapshot: Snapshot) -> tuple[float, float]:
    """The quiet time that is unusual for this job, and the one that is reported.

    A job that counts its work has a pace of its own, from the first count on. It does not keep it where a
    count is complete, nor in a phase that is known to be quiet.
    """
    memory, limits = snapshot.memory, snapshot.limits
    usual_s = usual_silence_s(memory)
    most_s = max(limits.quiet_floor_s, usual_s, limits.quiet_gap_factor * memory.line_gap_s)
    told_s = max(limits.silent_floor_s, usual_s, limits.silent_gap_factor * memory.line_gap_s)
    work = memory.work
    if work.rises == 0 or is_complete(work) or _is_quiet_phase(snapshot):
        return most_s, told_s
    own_s = quiet_limit_s(work, memory.line_gap_s, limits)
    if own_s is None:
        lasted_s = snapshot.age_s(snapshot.attempt.started_at) - snapshot.age_s(memory.last_line_at)
        mean_s = mean_quiet_limit_s(work, lasted_s, memory.line_gap_s, limits)
        told_s = min(told_s, max(most_s, limits.silent_gap_factor * memory.line_gap_s))
        return (most_s if mean_s is None else min(most_s, max(mean_s, usual_s))), told_s
    own_s = max(own_s, usual_s)
    if snapshot.is_last_look:
        return own_s, own_s
    return min(most_s, own_s), min(told_s, limits.pace_told_factor * own_s)


def _is_quiet_phase(snapshot: Snapshot) -> bool:
    """Whether a phase that is known to be quiet is under way; of a start that is through none is.

    Files that are read at once may bring the lines of a start behind those of the work.
    """
    standing = startup_of(snapshot)
    if standing is not None and standing.phase == standing.phases:
        return False
    since = snapshot.memory.advanced_position
    return any(
        finding.cause is Cause.SLOW_STARTUP and (since is None or finding.last_position >= since)
        for finding in known_findings(snapshot).all
    )


def _in_words(seconds: float) -> str:
    """A silence as it was: lines of one second have none that could be told."""
    if seconds < 1:
        return "less than a second"
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"


def _fell_silent(snapshot: Snapshot, quiet_s: float) -> Diagnosis:
    """A job that stopped producing output: it hangs, or does work of hours. A person decides."""
    memory = snapshot.memory
    evidence = (
        Evidence(
            f"the last line is {quiet_s / 60:.0f} min old",
            f"log of {snapshot.root.id}",
            at=memory.last_line_at,
        ),
    )
    return Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"The job runs and has printed nothing for {quiet_s / 60:.0f} min; its longest silence "
        f"before was {_in_words(memory.line_gap_s)}.",
        confidence=0.5,
        evidence=evidence,
        look_at=("root-dump", "logs"),
    )
