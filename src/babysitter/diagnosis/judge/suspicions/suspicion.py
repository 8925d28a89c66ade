"""What a suspicion is, and the questions that several of them ask. Each has its own file:

    zombie.py      a coordinator that outlived its pipeline
    hung_exit.py   a job whose own process outlived its program
    stalled.py     a stage that is stuck, or held up by stragglers
    task_crash_loop.py     processes of a job that die and are started again inside it, to no end
    left_over.py     a part of a job that runs on although the others are done
    member_churn.py     members that its own lines report lost, one after another
    startup_stall.py     a start that is quiet in one of its phases for too long
    stands_in_a_line.py      a job that stands in one line of its own code
    worker_churn.py      workers that die again and again; a job that prints nothing any more
    repeated_errors.py      errors in lines and states of a job that lives

Every suspicion answers whether or not anything is wrong: its reasons, with the numbers compared, are what
`explain` and `explain --why-not` print. PROVEN needs proof from the job itself, seen through working access.
"""

from dataclasses import dataclass
from enum import IntEnum

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.model.finding import Evidence
from babysitter.model.ids import TaskId
from babysitter.model.observation import Want
from babysitter.model.thread_dump import DumpSummary, ProcessActivity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind


class Certainty(IntEnum):
    NONE = 0
    POSSIBLE = 1  # worth a closer look
    LIKELY = 2  # told to people, nothing is done about it
    PROVEN = 3


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One thing that might be wrong, how sure we are, and why (or why not)."""

    kind: SignalKind
    level: Certainty
    reasons: tuple[Reason, ...]
    explanation: str = ""
    diagnosis: Diagnosis | None = None  # from LIKELY on
    evidence: tuple[Evidence, ...] = ()
    wants: frozenset[Want] = frozenset()


def none_of(kind: SignalKind, name: str, why_not: str) -> Suspicion:
    """No suspicion, for one reason that makes all others pointless."""
    return Suspicion(kind, Certainty.NONE, (Reason(name, False, why_not),))


def notes_of(snapshot: Snapshot, task: TaskId) -> tuple[DumpSummary, ...]:
    """What the dumps of one process said, oldest first."""
    return tuple(note for note in snapshot.memory.dumps if note.target == task)


def newest_run(notes: tuple[DumpSummary, ...], doing: ProcessActivity) -> tuple[DumpSummary, ...]:
    """The last notes, as long as they all say `doing`: one that says something else ends the run."""
    run: list[DumpSummary] = []
    for note in reversed(notes):
        if note.doing is not doing:
            break
        run.append(note)
    return tuple(reversed(run))


def newest_idle_run(notes: tuple[DumpSummary, ...]) -> tuple[DumpSummary, ...]:
    """The last notes, as long as their thread is off the processor in one and the same line.

    A call into C leaves no frame of its own: a function that waits in one looks as if it were at work.
    """
    run: list[DumpSummary] = []
    for note in reversed(notes):
        if not note.is_idle or not note.line or (run and note.line != run[0].line):
            break
        run.append(note)
    return tuple(reversed(run))


def apart_s(notes: tuple[DumpSummary, ...]) -> float:
    """Seconds between the first and the last of these dumps."""
    return (notes[-1].taken_at - notes[0].taken_at).total_seconds() if notes else 0.0


def silence_s(snapshot: Snapshot) -> float:
    """Seconds since the newest report of a coordinator that is in a stage; 0 when the log cannot be seen."""
    stage = snapshot.stage
    if stage is None or not snapshot.sees_lines or not stage.is_under_way:
        return 0.0
    return snapshot.age_s(stage.reported_at)


_SHOWN = {
    ProcessActivity.SHUT_DOWN: "the interpreter is ending",
    ProcessActivity.IN_STAGE: "it runs a stage",
    ProcessActivity.WAITING_FOR_WORKERS: "it waits for workers",
}


def _shown(note: DumpSummary) -> str:
    if note.is_own_wait:
        return f"its main thread waits in {note.line}"
    return f"{_SHOWN.get(note.doing, note.doing)}: {note.place or 'no frame'}"


def evidence_of(*notes: DumpSummary) -> tuple[Evidence, ...]:
    """Dumps as evidence."""
    return tuple(
        Evidence(
            f"at {note.taken_at:%H:%M:%S} {_shown(note)}",
            f"dump of {note.target}",
            at=note.taken_at,
            role=note.role,
        )
        for note in notes
    )
