"""The line of a job's work has stopped, and only lines of parts that merely live go on."""

from dataclasses import replace
from datetime import UTC, datetime

from babysitter.diagnosis.judge.cause_by_lines import cause_by_lines
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.stopped_work import (
    ANNOUNCED_GAPS,
    StoppedWork,
    find_stopped_work,
    tells_of_failure,
)
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

QUIET_GAPS = 2.0  # guess: longest silences, or starts, so far
NEAR_S = 60.0  # guess: between the last work and a report of what ended it
_WANTS = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.TASKS})


def work_stopped(snapshot: Snapshot) -> Suspicion:
    """Work that was printed regularly is printed no more, while the job prints on and begins nothing new."""
    memory = snapshot.memory
    now_s = snapshot.now.timestamp()
    stopped = find_stopped_work(memory.profile, memory.work, now_s)
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew or stopped is None:
        return none_of(SignalKind.STUCK, "work.stopped", "no line that came regularly has stopped")
    is_reported = _is_reported(snapshot, stopped)
    if not stopped.goes_on and not is_reported:
        return none_of(SignalKind.STUCK, "work.stopped", "the whole job is quiet")
    since_s, most_s = now_s - stopped.worked_at_s, _most_s(snapshot, stopped, is_reported=is_reported)
    is_long = since_s >= most_s
    told = f"it has printed no line of its usual work for {since_s / 60:.0f} minutes"
    reasons = (Reason("work.stopped", is_long, f"{told} (told from {most_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    diagnosis = _diagnosis(snapshot, stopped, told)
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, _WANTS)


def _most_s(snapshot: Snapshot, stopped: StoppedWork, *, is_reported: bool) -> float:
    """For how many seconds no work may be seen."""
    memory, limits = snapshot.memory, snapshot.limits
    if snapshot.retries:  # it starts anew, which takes as long as the first time
        start_s = stopped.line.first_at_s - memory.profile.first_at_s
        return max(limits.work_announced_s, QUIET_GAPS * start_s)
    if is_reported:
        quiet_s = max(limits.work_stopped_s, QUIET_GAPS * memory.line_gap_s)
        return limits.work_reported_s if stopped.goes_on else quiet_s
    return limits.work_announced_s if stopped.is_announced else limits.work_stopped_s


def _is_reported(snapshot: Snapshot, stopped: StoppedWork) -> bool:
    """Whether a line near the last work reports a failure, or a rule knows one after it."""
    line = stopped.line
    from_s = line.last_at_s - line.longest_gap_s
    until_s = line.last_at_s + max(NEAR_S, ANNOUNCED_GAPS * line.longest_gap_s)
    return _is_known(snapshot, from_s) or any(
        from_s <= template.last_at_s <= until_s and tells_of_failure(template)
        for template in snapshot.memory.profile.templates
    )


def _is_known(snapshot: Snapshot, from_s: float) -> bool:
    return any(
        finding.severity is Severity.FATAL
        and not finding.overcome_by
        and any(line.at is not None and line.at.timestamp() >= from_s for line in finding.evidence)
        for finding in snapshot.memory.findings
    )


def _diagnosis(snapshot: Snapshot, stopped: StoppedWork, told: str) -> Diagnosis:
    line = stopped.line
    found = cause_by_lines(
        snapshot,
        line.last_at_s - line.longest_gap_s,
        chatter=stopped.goes_on,
        silent_s=snapshot.limits.work_stopped_s,
    )
    evidence = tuple(
        Evidence(template.text, template.source, at=datetime.fromtimestamp(template.last_at_s, UTC))
        for template in (line, *stopped.goes_on[:1])
    )
    untold = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{told[0].upper()}{told[1:]}: the job lives, its work does not go on.",
        confidence=0.6,
        evidence=evidence,
        retry=Retry.HELPS,
        look_at=("worker-dump",),
    )
    if found is None:
        return untold
    return replace(
        found,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{found.explanation} {untold.explanation}",
        evidence=(*found.evidence[:3], *evidence),
        look_at=untold.look_at,
    )
