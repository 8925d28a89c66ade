"""A job that prints lines while its work makes no progress.

Ranks that wait for each other often print on: heartbeats, metrics, a progress bar drawn anew, a server's
polls. Quiet never comes, so the count is the only witness.
"""

from datetime import timedelta

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.repetition.nothing_came import says_nothing_came
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.log import LogLine
from babysitter.model.observation import Want
from babysitter.model.progress import OnlyPolls
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

MIN_POLLS = 3
_WANTS = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.TASKS})


def count_stands_still(snapshot: Snapshot) -> Suspicion:
    """A count is reported again and again, does not rise, and nothing else of the job counts on."""
    still = snapshot.memory.still_count
    if not snapshot.runs or snapshot.needs_crew or still is None:
        return none_of(
            SignalKind.STUCK, "still.count", "no count was reported again and again without rising"
        )
    if says_nothing_came(strip_headers((still.last or still.first).text)):
        return none_of(SignalKind.STUCK, "still.count", "the count stands because there is nothing to do")
    stands_s = still.still_s + snapshot.age_s(still.last_at)
    if stands_s > snapshot.age_s(snapshot.began_at or snapshot.now - timedelta(seconds=stands_s)):
        return none_of(SignalKind.STUCK, "still.count", "the count stands since before the newest try began")
    count = f"{still.value:g}" + (f" of {still.total:g}" if still.total is not None else "")
    told = (
        f"{count} was reported {still.reports} times over {stands_s / 60:.0f} minutes and nothing counts on"
    )
    reasons = (Reason("still.count", True, told),)
    waits = " Most often ranks wait for each other." if still.is_training_step else ""
    diagnosis = Diagnosis(
        cause=Cause.COLLECTIVE_TIMEOUT if still.is_training_step else Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{'Step ' if still.is_training_step else ''}{told}: the processes live, their work does "
        f"not go on.{waits}",
        confidence=0.66,
        evidence=(
            _evidence(snapshot, still.first, still.first_position),
            *((_evidence(snapshot, still.last, still.last_position),) if still.last else ()),
        ),
        retry=Retry.HELPS,
        look_at=("worker-dump",),
    )
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, _WANTS)


def told_quiet(snapshot: Snapshot) -> Suspicion:
    """A line says that no work was done for long, and none was done since."""
    told, limits = snapshot.memory.told_quiet, snapshot.limits
    if not snapshot.runs or told is None:
        return none_of(SignalKind.STUCK, "told.quiet", "no line says for how long no work was done")
    is_long = told.quiet_s >= limits.told_quiet_s
    text = f"its own lines tell of {told.quiet_s / 60:.0f} minutes without work"
    reasons = (Reason("told.quiet", is_long, f"{text} (told from {limits.told_quiet_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    diagnosis = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The job lives, and {text}.",
        confidence=0.75,
        evidence=(_evidence(snapshot, told.line, told.position),),
        retry=Retry.HELPS,
        look_at=("worker-dumps", "worker-logs"),
    )
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, text, diagnosis, diagnosis.evidence, _WANTS)


def only_polls(snapshot: Snapshot) -> Suspicion:
    """A step of training began, and only polls of a server's health have been printed since."""
    polls, least_s = snapshot.memory.only_polls, snapshot.limits.only_polls_s
    if not snapshot.runs or snapshot.needs_crew or polls is None or polls.last is None:
        return none_of(
            SignalKind.STUCK, "polls.only", "the last lines are not polls behind the start of a step"
        )
    is_long = polls.polls >= MIN_POLLS and polls.polled_s >= least_s
    told = f"only polls of a server's health for {polls.polled_s / 60:.0f} minutes"
    reasons = (Reason("polls.only", is_long, f"{told} (told from {least_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    diagnosis = Diagnosis(
        cause=Cause.COLLECTIVE_TIMEOUT,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The job printed {told}; the step of training that began before them has not ended.",
        confidence=0.6,
        evidence=(
            _evidence(snapshot, polls.began, polls.began_position),
            _evidence(snapshot, polls.last, polls.last_position),
        ),
        retry=Retry.HELPS,
        look_at=("worker-dump",),
    )
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, _WANTS)


def only_waits(snapshot: Snapshot) -> Suspicion:
    """Behind normal work only lines that wait for other processes of the job have been printed."""
    return _only(
        snapshot,
        snapshot.memory.only_waits,
        Cause.COLLECTIVE_TIMEOUT,
        "lines that wait for other processes",
        "One of the processes does not come.",
    )


def only_idle(snapshot: Snapshot) -> Suspicion:
    """The newest status lines say that work waits and that none runs."""
    return _only(
        snapshot,
        snapshot.memory.only_idle,
        Cause.STAGE_STUCK,
        "status lines by which work waits and none gets done",
        "The processes live, their work does not go on.",
    )


def _only(snapshot: Snapshot, only: OnlyPolls | None, cause: Cause, lines: str, so: str) -> Suspicion:
    least_s, name = snapshot.limits.only_waits_s, f"only.{cause}"
    if not snapshot.runs or snapshot.needs_crew or only is None or only.last is None:
        return none_of(SignalKind.STUCK, name, f"the newest lines are not {lines}")
    told = f"only {lines} for {only.polled_s / 60:.0f} minutes"
    is_long = only.polls >= MIN_POLLS and only.polled_s >= least_s
    reasons = (Reason(name, is_long, f"{told} (told from {least_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    diagnosis = Diagnosis(
        cause=cause,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The job printed {told}. {so}",
        confidence=0.62,
        evidence=(
            _evidence(snapshot, only.began, only.began_position),
            _evidence(snapshot, only.last, only.last_position),
        ),
        retry=Retry.HELPS,
        look_at=("worker-dump",),
    )
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, _WANTS)


def _evidence(snapshot: Snapshot, line: LogLine, position: int) -> Evidence:
    excerpt = snapshot.observation.excerpt
    if excerpt is not None:
        return Evidence(line.text, excerpt.source, position + 1)
    return Evidence(line.text, line.task, attempt=line.attempt)
