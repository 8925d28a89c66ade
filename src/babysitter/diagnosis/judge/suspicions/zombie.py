"""A coordinator whose pipeline is over and whose process stays, so that the job never ends.

The reliable sign is a main thread that waits in the interpreter's own shutdown while the job counts as
running. Every process passes through there for a moment, so a second dump has to agree. Idle pool threads
prove nothing (it may wait for workers), and a living coordinator loop does not prove life.
"""

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import (
    Certainty,
    Suspicion,
    apart_s,
    evidence_of,
    newest_run,
    none_of,
    notes_of,
    silence_s,
)
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.ids import TaskId
from babysitter.model.observation import Want
from babysitter.model.thread_dump import DumpSummary, ProcessActivity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

_WANTS = frozenset({Want.COORDINATOR_DUMP, Want.TASKS})
_AT_WORK = (ProcessActivity.IN_STAGE, ProcessActivity.WAITING_FOR_WORKERS)


def zombie(snapshot: Snapshot) -> Suspicion:
    """Two dumps of an ended main thread prove it; less makes a closer look worth it."""
    pipeline, memory, limits = snapshot.pipeline, snapshot.memory, snapshot.limits
    if pipeline is None or not snapshot.runs:
        return none_of(SignalKind.ZOMBIE_LIKE, "zombie.coordinator-running", "no coordinator runs")
    notes = notes_of(snapshot, TaskId(f"{pipeline.coordinator.id}/0"))
    ended = newest_run(notes, ProcessActivity.SHUT_DOWN)
    is_twice = apart_s(ended) >= limits.zombie_dumps_apart_s
    has_told = bool(notes) and notes[-1].doing is not ProcessActivity.UNCLEAR
    said_s = snapshot.age_s(memory.shutdown_at)
    has_said = memory.shutdown_at is not None and said_s >= limits.zombie_dumps_apart_s
    workers_over = pipeline.workers is not None and pipeline.workers.state.is_terminal
    is_silent = silence_s(snapshot) > limits.zombie_silence_s
    reasons = (
        Reason("zombie.coordinator-running", True, f"{pipeline.coordinator.id} counts as running"),
        Reason("zombie.main-thread-in-shutdown", bool(ended), _told(notes)),
        Reason(
            "zombie.two-dumps-agree",
            is_twice,
            f"{len(ended)} dumps in a row show an ended main thread, {apart_s(ended):.0f} s apart "
            f"(needed: 2 and {limits.zombie_dumps_apart_s:.0f} s)",
        ),
        Reason("zombie.dumps-can-tell", has_told, "a dump shows where the main thread is"),
        Reason("zombie.shutdown-said", has_said, _said(snapshot)),
        Reason(
            "zombie.workers-ended", workers_over, f"its workers have {'' if workers_over else 'not '}ended"
        ),
        Reason(
            "zombie.silent",
            is_silent,
            f"its newest progress report is {silence_s(snapshot):.0f} s old "
            f"(unusual from {limits.zombie_silence_s:.0f} s on)",
        ),
    )

    def suspected(level: Certainty, text: str, diagnosis: Diagnosis | None = None) -> Suspicion:
        evidence = diagnosis.evidence if diagnosis else ()
        return Suspicion(SignalKind.ZOMBIE_LIKE, level, reasons, text, diagnosis, evidence, _WANTS)

    if is_twice:
        return suspected(
            Certainty.PROVEN, "two thread dumps agree", _by_dumps(evidence_of(ended[0], ended[-1]))
        )
    if has_said and not has_told and said_s >= limits.stuck_floor_s:
        return suspected(Certainty.PROVEN, "it said long ago that it was over", _by_time(said_s))
    looked_at_work = any(
        note.doing in _AT_WORK and snapshot.age_s(note.taken_at) < limits.zombie_silence_s
        for note in notes[-1:]
    )
    if ended or ((has_said or workers_over or is_silent) and not looked_at_work):
        return suspected(Certainty.POSSIBLE, "the coordinator may have outlived its pipeline")
    return Suspicion(SignalKind.ZOMBIE_LIKE, Certainty.NONE, reasons)


def _by_dumps(evidence: tuple[Evidence, ...]) -> Diagnosis:
    how = "Its main thread only waits for left-over threads, in two dumps."
    return _diagnosis(how, ActionKind.RESTART, 0.95, evidence)


def _by_time(said_s: float) -> Diagnosis:
    """Where no dump can tell, time can; but a restart needs more than that."""
    how = f"It said so {said_s / 60:.0f} min ago and still runs; no thread dump could confirm it."
    return _diagnosis(how, ActionKind.ESCALATE, 0.6, ())


def _diagnosis(how: str, action: ActionKind, confidence: float, evidence: tuple[Evidence, ...]) -> Diagnosis:
    return Diagnosis(
        cause=Cause.ZOMBIE_COORDINATOR,
        severity=Severity.FATAL,
        action=action,
        explanation=f"The coordinator's pipeline is over but its process stays, so the job never ends. {how}",
        confidence=confidence,
        evidence=evidence,
        retry=Retry.HELPS,
        look_at=("coordinator-dump", "coordinator-logs"),
    )


def _told(notes: tuple[DumpSummary, ...]) -> str:
    if not notes:
        return "no thread dump of the coordinator was taken yet"
    return f"the newest of {len(notes)} dumps says {notes[-1].doing} ({notes[-1].place or 'nothing'})"


def _said(snapshot: Snapshot) -> str:
    said_at = snapshot.memory.shutdown_at
    if said_at is None:
        return "its log does not say that the pipeline is over"
    return f"its log said {snapshot.age_s(said_at):.0f} s ago that the pipeline is over"
