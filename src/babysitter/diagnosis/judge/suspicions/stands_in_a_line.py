"""A plain job that counted its work stands in one line of its own code, as at a lock that nobody releases.

Silence alone calls a person late, because a job may have a reason to be quiet. Two dumps that show every
thread idle and the main thread in one line of the program itself leave none: nothing computes, and the
program waits neither for a library nor for another machine.
"""

from statistics import median

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import (
    Certainty,
    Suspicion,
    apart_s,
    evidence_of,
    newest_idle_run,
    none_of,
    notes_of,
)
from babysitter.diagnosis.timeline.pace import is_complete, usual_silence_s
from babysitter.model.finding import ActionKind, Cause, Retry, Severity
from babysitter.model.ids import TaskId
from babysitter.model.observation import Want
from babysitter.model.thread_dump import DumpSummary
from babysitter.model.verdict import Diagnosis, Reason, SignalKind


def stands_in_a_line(snapshot: Snapshot) -> Suspicion:
    """Two idle dumps in one line of the program prove it, once it is silent for too long."""
    memory, work = snapshot.memory, snapshot.memory.work
    is_plain = not snapshot.needs_crew and snapshot.pipeline is None and snapshot.root.task_count <= 1
    if not is_plain or not snapshot.runs or not snapshot.sees_lines:
        return none_of(
            SignalKind.QUIET, "line.one-process", "not a running job of one process whose log was read"
        )
    if memory.last_line_at is None or work.rises == 0 or is_complete(work):
        return none_of(SignalKind.QUIET, "line.counts", "it counts no work that is to go on")
    heard_at = max(memory.last_line_at, snapshot.began_at or memory.last_line_at)
    quiet_s, most_s = snapshot.age_s(heard_at), _most_quiet_s(snapshot)
    notes = tuple(
        note
        for note in notes_of(snapshot, TaskId(f"{snapshot.root.id}/0"))
        if note.is_all_idle and note.is_own_wait and note.taken_at >= heard_at
    )
    same = newest_idle_run(notes)
    is_twice = apart_s(same) >= snapshot.limits.blocked_dumps_apart_s
    is_silent = quiet_s > most_s
    text = f"it has printed nothing for {quiet_s:.0f} s (looked into from {most_s:.0f} s on)"
    reasons = (
        Reason("line.silent", is_silent, text),
        Reason("line.two-dumps-agree", is_twice, _told(same)),
    )
    if not is_silent:
        return Suspicion(SignalKind.QUIET, Certainty.NONE, reasons)
    wants = frozenset({Want.ROOT_DUMP, Want.TASKS})
    if not is_twice:
        return Suspicion(SignalKind.QUIET, Certainty.POSSIBLE, reasons, text, wants=wants)
    diagnosis = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The job hangs: its main thread waits in {same[-1].line} in {len(same)} dumps, no other "
        f"thread runs, and nothing was printed for {quiet_s / 60:.0f} min.",
        confidence=0.8,
        evidence=evidence_of(same[0], same[-1]),
        retry=Retry.UNKNOWN,
        look_at=("root-dump", "logs"),
    )
    return Suspicion(
        SignalKind.QUIET,
        Certainty.PROVEN,
        reasons,
        diagnosis.explanation,
        diagnosis,
        diagnosis.evidence,
        wants,
    )


def _most_quiet_s(snapshot: Snapshot) -> float:
    """Seconds of silence that the job's own pace explains; no less than the limit of a stuck stage."""
    limits, memory = snapshot.limits, snapshot.memory
    usual_s = median(memory.work.gaps_s) if memory.work.gaps_s else 0.0
    return max(
        limits.stuck_floor_s,
        limits.stuck_median_factor * usual_s,
        limits.quiet_gap_factor * memory.line_gap_s,
        usual_silence_s(memory),
    )


def _told(same: tuple[DumpSummary, ...]) -> str:
    if not same:
        return "no dump shows every thread idle and the main thread in the program's own code"
    return f"{len(same)} dumps in a row, {apart_s(same):.0f} s apart, show it idle in {same[-1].line}"
