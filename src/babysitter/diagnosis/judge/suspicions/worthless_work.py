"""A job works on, and by its own numbers nothing comes of it."""

from datetime import UTC, datetime

from babysitter.diagnosis.judge.likelihood.cause_by_lines import cause_by_lines, with_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.counts.named_values import ValueKind
from babysitter.diagnosis.timeline.counts.worthless import find_worthless
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.repetition.only_polls import is_idle_status
from babysitter.diagnosis.timeline.repetition.wordings import asks_from_outside
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.value_course import OffValue, ValueCourse
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

SLOW = 2.0  # guess: times as long of what only got slow: it may pass
NEAR_S = 300.0  # guess: before the first of the unusual values, a report may be of what changed them


def worthless_work(snapshot: Snapshot) -> Suspicion:
    """A value that was never so is 0, no number or ten times as slow, in report after report."""
    memory, least_s = snapshot.memory, snapshot.limits.worthless_s
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew:
        return none_of(SignalKind.ERRORS, "values.off", "not a running job whose own log was read")
    if snapshot.began_at is not None and memory.profile.first_at_s < snapshot.began_at.timestamp():
        return none_of(SignalKind.ERRORS, "values.off", "its usual values may be those of an earlier try")
    courses = [course for course in memory.values if _counts(course)]
    now_s = snapshot.now.timestamp()
    course = find_worthless(courses, now_s, least_s, slow_s=SLOW * least_s)
    if course is None or course.off is None:
        return none_of(SignalKind.ERRORS, "values.off", f"no value is unusual for {least_s / 60:.0f} min")
    told = _describe(course, course.off)
    found = cause_by_lines(snapshot, course.off.first_at_s - NEAR_S)
    so = "it got slow" if course.off.value else "the job works on, and nothing comes of it"
    first = Evidence(course.off.text, course.speaker, at=datetime.fromtimestamp(course.off.first_at_s, UTC))
    diagnosis = with_cause(
        Diagnosis(
            cause=_cause(course, course.off),
            severity=Severity.DEGRADED,
            action=ActionKind.ESCALATE,
            explanation=f"{told[0].upper()}{told[1:]}: {so}.",
            confidence=0.6,
            evidence=(Evidence(course.usual_text, course.speaker), first),
            retry=Retry.UNKNOWN,
        ),
        found,
    )
    reasons = (Reason("values.off", True, told),)
    return Suspicion(SignalKind.ERRORS, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence)


def _counts(course: ValueCourse) -> bool:
    """Whether a value is none of requests from outside, or of some that wait."""
    if not asks_from_outside(course.usual_text):
        return True
    return course.off is not None and is_idle_status(read_entries([course.off.text])[0])


def _describe(course: ValueCourse, off: OffValue) -> str:
    low, high = min(course.newest), max(course.newest)
    is_now = "no number" if off.value is None else f"{off.value:g}"
    return (
        f"`{course.name}` was {low:g} to {high:g} and has been {is_now} in {off.reports} reports"
        f" over {off.for_s / 60:.0f} minutes"
    )


def _cause(course: ValueCourse, off: OffValue) -> Cause:
    if off.value is None:
        return Cause.NUMERICAL_DIVERGENCE
    if course.kind not in (ValueKind.RATE, ValueKind.COST):
        return Cause.DATA_ERROR
    return Cause.STRAGGLERS if off.value else Cause.STAGE_STUCK
