"""The root process does not exit after its program has finished.

Nothing below the root runs any more, nothing is printed, and the root's main thread waits in the
interpreter's own shutdown for threads that somebody left behind. Threads left behind may be at work, so
silence has to agree; and since the pipelines are done, stopping is as good as starting anew: people decide.
"""

from datetime import datetime

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import (
    Certainty,
    Suspicion,
    apart_s,
    evidence_of,
    newest_idle_run,
    newest_run,
    none_of,
    notes_of,
)
from babysitter.model.finding import ActionKind, Cause, Retry, Severity
from babysitter.model.ids import TaskId
from babysitter.model.job import JobState
from babysitter.model.observation import Want
from babysitter.model.thread_dump import DumpSummary, ProcessActivity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

HUNG_PARENT = "Hung parent process"
SHORTER_PULSES = 3  # the first dump of a close look comes a pulse or two after its beginning


def hung_exit(snapshot: Snapshot) -> Suspicion:
    """Two dumps of a silent root whose main thread has ended prove it; silence alone asks for them."""
    root, memory, limits = snapshot.root, snapshot.memory, snapshot.limits
    if root.state is not JobState.RUNNING or not snapshot.sees_lines:
        return none_of(SignalKind.LINGERING, "lingering.running", "not a running job whose log was read")
    living = next((job for job in snapshot.tree if job.id != root.id and not job.state.is_terminal), None)
    if living is not None:
        return none_of(SignalKind.LINGERING, "lingering.alone", f"{living.id} still runs below it")
    ended_at = [job.finished_at for job in snapshot.tree if job.finished_at is not None]
    active_at = max(
        [moment for moment in (memory.last_line_at, *ended_at) if moment is not None], default=None
    )
    usual_s = limits.zombie_silence_s if snapshot.pipeline else limits.quiet_floor_s
    most_s = max(usual_s, limits.quiet_gap_factor * memory.line_gap_s)
    quiet_s = snapshot.age_s(active_at)
    over = newest_run(notes_of(snapshot, TaskId(f"{root.id}/0")), ProcessActivity.SHUT_DOWN)
    is_silent, is_twice = quiet_s > most_s, apart_s(over) >= limits.zombie_dumps_apart_s
    idle = _idle_since(snapshot, active_at)
    hung_s = limits.suspect_most_s - SHORTER_PULSES * limits.suspicious_pulse_s
    is_hung = apart_s(idle) >= hung_s
    told = f"nothing was printed or ended for {quiet_s:.0f} s (unusual from {most_s:.0f} s on)"
    reasons = (
        Reason("lingering.silent", is_silent, told),
        Reason(
            "lingering.two-dumps-agree", is_twice, f"{len(over)} dumps in a row show an ended main thread"
        ),
        Reason(
            "lingering.nothing-runs",
            is_hung,
            f"{len(idle)} dumps in a row show no thread at work and the main thread in one line, "
            f"{apart_s(idle):.0f} s apart (told from {hung_s:.0f} s on)",
        ),
    )
    if not is_silent:
        return Suspicion(SignalKind.LINGERING, Certainty.NONE, reasons)
    if not is_twice and is_hung:
        diagnosis = _hung(snapshot, idle, told)
        text = diagnosis.explanation
        return Suspicion(SignalKind.LINGERING, Certainty.PROVEN, reasons, text, diagnosis, diagnosis.evidence)
    if not is_twice:
        wants = frozenset({Want.ROOT_DUMP})
        return Suspicion(SignalKind.LINGERING, Certainty.POSSIBLE, reasons, told, wants=wants)
    of_parent = "The parent process hangs: its pipelines have ended"
    done = of_parent if snapshot.pipeline else "Its program has ended"
    diagnosis = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{done}, but its process stays: the main thread only waits for left-over threads, in "
        f"two dumps, and {told}. If what it wrote is complete, stopping it loses nothing.",
        confidence=0.85,
        evidence=evidence_of(over[0], over[-1]),
        retry=Retry.HELPS,
        look_at=("root-dump", "parent-logs"),
        title=HUNG_PARENT if snapshot.pipeline else "",
    )
    return Suspicion(
        SignalKind.LINGERING, Certainty.PROVEN, reasons, diagnosis.explanation, diagnosis, diagnosis.evidence
    )


def _idle_since(snapshot: Snapshot, active_at: datetime | None) -> tuple[DumpSummary, ...]:
    """The newest dumps of the root in which nothing of it ran, taken since it last printed anything."""
    notes = [
        note
        for note in notes_of(snapshot, TaskId(f"{snapshot.root.id}/0"))
        if note.is_all_idle and (active_at is None or note.taken_at >= active_at)
    ]
    return newest_idle_run(tuple(notes))


def _hung(snapshot: Snapshot, idle: tuple[DumpSummary, ...], told: str) -> Diagnosis:
    """A process that is neither over nor at work; a person can tell what it waits for."""
    where = f"in every dump its main thread waits in {idle[-1].line} and no other thread runs"
    before = "The parent process hangs: its pipelines have ended, but " if snapshot.pipeline else ""
    return Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{before}{where}; {told}.".replace("in every", "In every", not before),
        confidence=0.7,
        evidence=evidence_of(idle[0], idle[-1]),
        retry=Retry.UNKNOWN,
        look_at=("root-dump", "parent-logs"),
        title=HUNG_PARENT if snapshot.pipeline else "",
    )
