"""The line of a job's work has stopped, and only lines of parts that merely live go on."""

from datetime import UTC, datetime

from babysitter.diagnosis.judge.likelihood.cause_by_lines import cause_by_lines, with_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.patience import was_reported
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.pace import usual_silence_s
from babysitter.diagnosis.timeline.repetition.stopped_work import StoppedWork, find_stopped_work
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

QUIET_GAPS = 2.0  # guess: longest silences, or starts, so far
COMPLETE = 2.0  # guess: times as long as after other work began, where something is complete or rests
SILENT_GAPS = 10.0  # guess: longest gaps of a line that came for long, where the whole job is silent
NEAR_S = 60.0  # guess: between the last work and a report of what ended it
_WANTS = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.TASKS})


def work_stopped(snapshot: Snapshot) -> Suspicion:
    """Work that was printed regularly is printed no more, while the job prints on and begins nothing new."""
    memory, now_s = snapshot.memory, snapshot.now.timestamp()
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew:
        return none_of(SignalKind.STUCK, "work.stopped", "not a running job whose own log was read")
    stopped = find_stopped_work(memory.profile, memory.work, now_s)
    if stopped is None:
        return none_of(SignalKind.STUCK, "work.stopped", "no line that came regularly has stopped")
    is_reported = _is_reported(snapshot, stopped)
    if not stopped.goes_on and not is_reported and not stopped.is_from_the_midst:
        return none_of(SignalKind.STUCK, "work.stopped", "the whole job is quiet")
    since_s = now_s - stopped.worked_at_s
    if snapshot.began_at is not None:
        since_s = min(since_s, snapshot.age_s(snapshot.began_at))
    most_s = _most_s(snapshot, stopped, is_reported=is_reported)
    is_long = since_s >= most_s
    told = f"no line like `{stopped.line.text}` and none of new work was seen for {since_s / 60:.0f} minutes"
    reasons = (Reason("work.stopped", is_long, f"{told} (told from {most_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    severity = Severity.FATAL if is_reported else Severity.DEGRADED
    diagnosis = _diagnosis(snapshot, stopped, told, severity)
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, _WANTS)


def _most_s(snapshot: Snapshot, stopped: StoppedWork, *, is_reported: bool) -> float:
    """For how many seconds no work may be seen."""
    memory, limits = snapshot.memory, snapshot.limits
    usual_s = usual_silence_s(memory)
    announced_s = max(limits.work_announced_s, usual_s)
    is_new_try = snapshot.began_at is not None and snapshot.began_at.timestamp() > stopped.line.last_at_s
    if snapshot.retries or is_new_try:  # its start takes as long as the first
        return max(announced_s, QUIET_GAPS * (stopped.line.first_at_s - memory.profile.first_at_s))
    if is_reported:
        quiet_s = max(limits.work_stopped_s, QUIET_GAPS * memory.line_gap_s, usual_s)
        return limits.work_reported_s if stopped.goes_on else quiet_s
    if stopped.is_complete:
        return COMPLETE * announced_s
    if not stopped.goes_on:
        return max(announced_s, SILENT_GAPS * stopped.line.longest_gap_s)
    return announced_s if stopped.begun else max(limits.work_stopped_s, usual_s)


def _is_reported(snapshot: Snapshot, stopped: StoppedWork) -> bool:
    """Whether a line near the last work reports a failure, or a rule knows one after it."""
    line = stopped.line
    from_s = max(line.last_at_s, stopped.worked_at_s) - line.longest_gap_s
    if not stopped.goes_on:  # whatever was said last
        return was_reported(snapshot, from_s, snapshot.now.timestamp())
    return was_reported(snapshot, from_s, stopped.worked_at_s + max(NEAR_S, line.longest_gap_s))


def _diagnosis(snapshot: Snapshot, stopped: StoppedWork, told: str, severity: Severity) -> Diagnosis:
    line = stopped.line
    found = cause_by_lines(
        snapshot,
        line.last_at_s - line.longest_gap_s,
        chatter=stopped.goes_on,
        silent_s=snapshot.limits.work_stopped_s,
    )
    evidence = tuple(
        Evidence(template.example, template.source, at=datetime.fromtimestamp(template.last_at_s, UTC))
        for template in (line, *stopped.goes_on[:1])
    )
    longest = f"{snapshot.memory.line_gap_s / 60:.0f} min"
    silent = f": the whole job is silent, and its longest silence before was {longest}"
    so = ", though the job prints on" if stopped.goes_on else silent
    untold = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=severity,
        action=ActionKind.ESCALATE,
        explanation=f"{told[0].upper()}{told[1:]}{so}.",
        confidence=0.6,
        evidence=evidence,
        retry=Retry.HELPS,
        look_at=("worker-dump",),
    )
    return with_cause(untold, found)
