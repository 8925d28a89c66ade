"""Errors of a job that still runs: which of them are news, and when is it time to say so?

A living job mends most of what its log complains about. What counts are tries that ended alike again and
again, and fatal evidence after which nothing came any more.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.diagnosis.causes.guess import is_guess
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.judge.evidence import (
    diagnosis_of_the_end,
    facts_of,
    findings_still_valid,
    known_findings,
    newest_only,
    raised_by_itself,
    repeated,
    tries_of,
)
from babysitter.diagnosis.judge.root_cause import diagnose
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.patience import is_answered, is_mild, patience_s, works_on
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.diagnosis.timeline.measures.non_finite import find_non_finite
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import role_of
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Retry, Severity
from babysitter.model.ids import JobId
from babysitter.model.job import TaskState
from babysitter.model.log import LogLevel, Role
from babysitter.model.memory import ErrorNote
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

_MAY_PASS = (Retry.HELPS, Retry.ITSELF)
MIN_SURVIVED_FAULTS = 3  # guess: no job has so many unlike faults and goes on after each
MIN_SURVIVED_REPORTS = 3  # of each of them
MIN_BAD_REPORTS = 3  # of values that are not finite: fewer may be skipped steps


def repeated_errors(snapshot: Snapshot) -> Suspicion:
    """Fatal-looking evidence of a job that still runs: tries that failed alike, lines nothing came after."""
    note = repeated(snapshot)
    limits, memory = snapshot.limits, snapshot.memory
    count = tries_of(snapshot, note) if note else 0
    found = diagnosis_of_the_living(snapshot)
    since = memory.suspicious_since.get(SignalKind.ERRORS)
    stands_s = snapshot.age_s(since) if found is not None else 0.0
    life_at = _last_sign_of_life(snapshot)
    is_overcome = note is not None and life_at is not None and life_at > note.seen_at
    is_same = count >= limits.same_error_escalate_count and not is_overcome
    is_fatal = found is not None and found.severity is Severity.FATAL
    is_measured = found is not None and found.cause is Cause.NUMERICAL_DIVERGENCE and _is_measured(snapshot)
    most_s = patience_s(snapshot)
    if found is not None and is_answered(snapshot, found.evidence, Stance.TOLERATED):
        most_s = limits.patience_most_s
    elif found is not None and (_may_pass(snapshot, found) or all(map(is_mild, found.evidence))):
        most_s = max(most_s, limits.only_failures_s)
    is_harmless = found is not None and all(map(is_mild, found.evidence)) and works_on(snapshot)
    is_lasting = is_fatal and (is_measured or (stands_s >= most_s and not is_harmless))
    reasons = (
        Reason(
            "errors.same-error-again",
            is_same,
            f"{count} tries ended in the same error (told from {limits.same_error_escalate_count} on)",
        ),
        Reason("errors.fatal-evidence", is_fatal, found.explanation if found else "no evidence of a failure"),
        Reason(
            "errors.nothing-came-after",
            is_lasting,
            f"it stands for {stands_s:.0f} s without progress (told from {most_s:.0f} s on)",
        ),
    )
    if is_same and note is not None:
        told = _of_repetition(snapshot, note, count, found)
        return Suspicion(SignalKind.ERRORS, Certainty.PROVEN, reasons, told.explanation, told, told.evidence)
    if found is None:
        return Suspicion(SignalKind.ERRORS, Certainty.NONE, reasons)
    level = Certainty.PROVEN if is_lasting else Certainty.POSSIBLE
    if not is_fatal and stands_s >= limits.suspect_most_s:
        # a guess, or nothing known: kept in mind, and held for certain once the job has been silent for long
        level = Certainty.PROVEN if _is_silent(snapshot) else Certainty.LIKELY
    wants = frozenset({Want.TASKS, Want.WORKER_LINES})
    return Suspicion(SignalKind.ERRORS, level, reasons, found.explanation, found, found.evidence, wants)


def _may_pass(snapshot: Snapshot, found: Diagnosis) -> bool:
    """Whether trying again helps, and the program says that it does."""
    return found.retry in _MAY_PASS and is_answered(snapshot, found.evidence, Stance.RETRIED)


def _is_silent(snapshot: Snapshot) -> bool:
    """Whether the whole job has been silent for longer than it ever was."""
    memory, limits = snapshot.memory, snapshot.limits
    most_s = max(limits.quiet_floor_s, limits.quiet_gap_factor * memory.line_gap_s, patience_s(snapshot))
    return snapshot.sees_lines and snapshot.age_s(memory.last_line_at) >= most_s


def _is_measured(snapshot: Snapshot) -> bool:
    """Whether enough reports in a row show values that are not finite: they prove it without more time."""
    found = find_non_finite(snapshot.memory.measures)
    return found is not None and found.values >= MIN_BAD_REPORTS


def diagnosis_of_the_living(snapshot: Snapshot) -> Diagnosis | None:
    findings = newest_only(snapshot, known_findings(snapshot))
    prints_data = _prints_reports_as_data(snapshot, findings)
    findings = replace(
        findings,
        all=tuple(
            finding
            for finding in findings.all
            if _still_matters(snapshot, finding) and not (prints_data and _is_repeated_line(finding))
        ),
        reading=None if prints_data else findings.reading,
    )
    found = diagnose(findings, facts_of(snapshot))
    row = about(found.cause)
    if row.is_benign or found.severity < Severity.DEGRADED or row.is_judged_over_time:
        return None
    return findings_still_valid(found)


def _prints_reports_as_data(snapshot: Snapshot, findings: Findings) -> bool:
    """Whether a job prints reports of failures because they are what it works on.

    It has reported several unlike faults again and again and went on with its work after each of them, and
    it still prints. One fault alone may be its own: it may write to a full disk at every step.
    """
    survived = {
        finding.position
        for finding in findings.all
        if finding.overcome_by and finding.count >= MIN_SURVIVED_REPORTS
    }
    is_printing = snapshot.age_s(snapshot.memory.last_line_at) < snapshot.limits.suspect_most_s
    return is_printing and not snapshot.needs_crew and len(survived) >= MIN_SURVIVED_FAULTS


def _is_repeated_line(finding: Finding) -> bool:
    """Whether it rests on lines that may be such data: what a logger wrote is the program's own report."""
    is_bare = all(read_frame(line.text).level is LogLevel.UNKNOWN for line in finding.evidence)
    is_repeated = is_bare and finding.count >= MIN_SURVIVED_REPORTS
    return finding.position >= 0 and (is_repeated or is_guess(finding))


def _still_matters(snapshot: Snapshot, finding: Finding) -> bool:
    """Whether a finding can be news about a job that lives: not overcome, and not the job's own to mend."""
    if about(finding.cause).is_judged_over_time:
        return False
    # Workers are replaced and their shards tried again by the pipeline itself; when that does not help, the
    # coordinator gives up, or nothing completes any more, and either is seen.
    if snapshot.needs_crew and all(_is_of_worker(snapshot, line) for line in finding.evidence):
        return False
    if finding.position < 0:
        return all(_has_ended_badly(snapshot, line.source.rpartition(" ")[2]) for line in finding.evidence)
    alive_at = _last_sign_of_life(snapshot)
    times = [line.at for line in finding.evidence]
    is_older = alive_at is not None and all(at is not None and at <= alive_at for at in times)
    return not is_older or about(finding.cause).outlasts_progress


def _last_sign_of_life(snapshot: Snapshot) -> datetime | None:
    """Evidence up to here was overcome. What reports no progress lives while it goes on printing."""
    memory = snapshot.memory
    if memory.advanced_at is not None or memory.progress is not None or snapshot.needs_crew:
        return memory.advanced_at
    if memory.last_line_at is None:
        return None
    return memory.last_line_at - timedelta(seconds=snapshot.limits.suspect_most_s)


def _is_of_worker(snapshot: Snapshot, evidence: Evidence) -> bool:
    source = evidence.source.rpartition(" ")[2]
    return evidence.role is Role.WORKER or role_of(JobId(_job_in(source)), snapshot.root.id) is Role.WORKER


def _has_ended_badly(snapshot: Snapshot, source: str) -> bool:
    """Whether a state is about something that is over: what lives keeps the errors of its earlier tries."""
    tasks = [task for job in snapshot.tree for task in job.tasks or () if task.id == source]
    if tasks:
        return tasks[0].state.is_terminal and tasks[0].state is not TaskState.SUCCEEDED
    job = snapshot.tree.find(JobId(source))
    return job is None or job.state.ended_badly or job.state is snapshot.root.state


def _job_in(source: str) -> str:
    """The job of a source, which names a job or one of its tasks."""
    job, _, last = source.rpartition("/")
    return job if last.isdigit() else source


def _of_repetition(snapshot: Snapshot, note: ErrorNote, count: int, found: Diagnosis | None) -> Diagnosis:
    base = raised_by_itself(snapshot, found if found is not None else diagnosis_of_the_end(snapshot))
    told = f"{count} tries of the job ended in the same error; another will too."
    if about(base.cause).is_benign:
        base = replace(base, cause=Cause.UNKNOWN, explanation="", evidence=(), advice="")
    evidence = (Evidence(note.text[:400], f"job {snapshot.root.id}", at=note.seen_at), *base.evidence)
    return replace(
        base,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{told} {base.explanation}".strip(),
        evidence=evidence[:6],
    )
