"""What is said of a job of which no finding stands: it starts, something had no effect, or all is well."""

import re
from collections.abc import Iterable, Sequence

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.model.cause_info import about
from babysitter.model.finding import (
    STANCE_PREFIX,
    ActionKind,
    Cause,
    Evidence,
    Finding,
    Findings,
    Retry,
    Severity,
)
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis

MAX_EVIDENCE = 6
# Findings whose lines have such a stance are not about the job, so they do not even make noise of it.
NOT_THE_JOBS = frozenset(
    f"{STANCE_PREFIX}{name}"
    for name in ("quoted", "negated", "expected", "addressed", "advice", "hypothetical")
)
_NO_WORD = re.compile(r"[^a-z0-9]+")


def is_trouble(finding: Finding) -> bool:
    """Whether a finding would be worth a word if the job had not overcome it."""
    return finding.severity >= Severity.DEGRADED and not about(finding.cause).is_benign


def is_before_progress(finding: Finding, facts: JobFacts) -> bool:
    """Whether work was done after its last line."""
    return facts.advanced_after is not None and 0 <= finding.last_position < facts.advanced_after


def nothing_wrong(findings: Findings, overcome: Sequence[Finding], facts: JobFacts) -> Diagnosis:
    """The calm verdict. `overcome`: what failed on the way."""
    findings, overcome = _unless_worked_on(findings, overcome, facts)
    quiet_phase = [
        finding
        for finding in findings.all
        if finding.cause is Cause.SLOW_STARTUP and not is_before_progress(finding, facts)
    ]
    noise = [finding for finding in findings.all if finding.cause is Cause.TRANSIENT_NOISE]
    explained = [
        finding for finding, by in findings.cancelled if is_trouble(finding) and by not in NOT_THE_JOBS
    ]
    waiting = [finding for finding in findings.all if finding.cause is Cause.CAPACITY_WAIT]
    if facts.state in (JobState.PENDING, JobState.BUILDING) and waiting:
        return _calm(Cause.CAPACITY_WAIT, ActionKind.WAIT, "The job waits to be placed.", waiting)
    if quiet_phase and facts.state is not JobState.SUCCEEDED:
        return _calm(Cause.SLOW_STARTUP, ActionKind.WAIT, quiet_phase[0].explanation, quiet_phase)
    if overcome:
        text = "Something failed on the way and had no lasting effect: the job went on."
        return _calm(Cause.TRANSIENT_NOISE, ActionKind.IGNORE, text, [*overcome, *noise])
    if noise:
        return _calm(Cause.TRANSIENT_NOISE, ActionKind.IGNORE, noise[0].explanation, noise)
    if explained and not any(finding.cause is Cause.HEALTHY for finding in findings.all):
        return _calm(
            Cause.TRANSIENT_NOISE, ActionKind.IGNORE, "What looks alarming has no effect.", explained
        )
    return _calm(Cause.HEALTHY, ActionKind.IGNORE, "Nothing is wrong.", ())


def _unless_worked_on(
    findings: Findings, overcome: Sequence[Finding], facts: JobFacts
) -> tuple[Findings, tuple[Finding, ...]]:
    """Of a job that succeeded only what looks like a failure behind its last work is worth a word."""
    if facts.state is not JobState.SUCCEEDED:
        return findings, tuple(overcome)
    explained = tuple((finding, by) for finding, by in findings.cancelled if _is_behind_work(finding, facts))
    overcome = tuple(finding for finding in overcome if _is_behind_work(finding, facts))
    has_failures = overcome or any(
        is_trouble(finding) and by not in NOT_THE_JOBS for finding, by in explained
    )
    return Findings(findings.all if has_failures else (), explained), overcome


def _is_behind_work(finding: Finding, facts: JobFacts) -> bool:
    """Whether it began behind the last work. What states say is of tries that the success has replaced."""
    return finding.position >= (facts.advanced_after or 0)


def _calm(cause: Cause, action: ActionKind, explanation: str, findings: Sequence[Finding]) -> Diagnosis:
    return Diagnosis(
        cause=cause,
        severity=Severity.DEGRADED if cause is Cause.CAPACITY_WAIT else Severity.BENIGN,
        action=action,
        explanation=explanation,
        confidence=max((finding.confidence for finding in findings), default=0.7),
        evidence=quoted(findings),
        retry=Retry.ITSELF if action is ActionKind.WAIT else Retry.UNKNOWN,
        rules=tuple(dict.fromkeys(finding.rule for finding in findings)),
        advice=findings[0].advice if findings and action is ActionKind.WAIT else "",
    )


def quoted(findings: Iterable[Finding]) -> tuple[Evidence, ...]:
    """The lines of findings, the deciding ones first. What was said again in the same words is shown once."""
    first: dict[str, Evidence] = {}
    for finding in findings:
        for line in finding.evidence:
            first.setdefault(_NO_WORD.sub(" ", strip_headers(line.text).lower()).strip() or line.text, line)
    return tuple(first.values())[:MAX_EVIDENCE]
