"""A job that lives and does nothing but fail, again and again, with nothing new between."""

from datetime import UTC, datetime

from babysitter.diagnosis.judge.likelihood.cause_by_lines import cause_by_lines, with_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.repetition.failing_loop import find_failing_loop, lasts_s
from babysitter.diagnosis.timeline.repetition.fails_instead import find_failure_instead
from babysitter.diagnosis.timeline.repetition.wordings import reports_severely
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

WARNINGS = 2  # guess: times as long of what the program itself calls a warning


def only_failures(snapshot: Snapshot) -> Suspicion:
    """The same failure is reported again and again, with nothing new beside it or in the place of work."""
    memory, now_s = snapshot.memory, snapshot.now.timestamp()
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew:
        return none_of(SignalKind.ERRORS, "errors.only", "not a running job whose own log was read")
    instead = find_failure_instead(memory.profile, now_s)
    report = instead.report if instead else find_failing_loop(memory.profile, memory.work, now_s)
    if report is None:
        return none_of(SignalKind.ERRORS, "errors.only", "no report repeats with nothing new beside it")
    for_s = lasts_s(report)
    told = f"the same failure was reported {report.count} times over {for_s / 60:.0f} minutes"
    most_s = snapshot.limits.only_failures_s * (1 if reports_severely(report) else WARNINGS)
    if instead:
        told += f", and no line like `{instead.work.text}` came any more"
        most_s = snapshot.limits.work_reported_s
    is_long = for_s >= most_s
    reasons = (Reason("errors.only", is_long, f"{told} (told from {most_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.ERRORS, Certainty.NONE, reasons)
    found = cause_by_lines(snapshot, report.first_at_s)
    again = Evidence(report.example, report.source, at=datetime.fromtimestamp(report.last_at_s, UTC))
    explanation = f"{told[0].upper()}{told[1:]}{'' if instead else ', without new work between'}."
    untold = Diagnosis(
        Cause.UNKNOWN, Severity.FATAL, ActionKind.ESCALATE, explanation, confidence=0.4, evidence=(again,)
    )
    diagnosis = with_cause(untold, found)
    wants = frozenset({Want.TASKS, Want.WORKER_LINES})
    return Suspicion(SignalKind.ERRORS, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, wants)
