"""What is said about the end of a step: cause, advice and evidence, redacted, in sentences."""

from collections.abc import Sequence

from babysitter.engine.app import App
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause, Severity
from babysitter.model.incident import Incident
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.ladder_run import StepOutcome, StepResult
from babysitter.model.proposal import Proposal, ProposalStatus
from babysitter.model.verdict import Diagnosis
from babysitter.redact import redact
from babysitter.usecases.looking.classify_text import examine

MAX_EVIDENCE = 5
MAX_BENIGN = 3
MAX_QUOTE = 300
STOPPED = "killed"  # by a person: never repeated by the ladder


def result_with(diagnosis: Diagnosis | None, outcome: StepOutcome, sentence: str, state: str) -> StepResult:
    """The result of a step whose job is in this state, with what was diagnosed."""
    cause = diagnosis.cause if diagnosis else Cause.UNKNOWN
    if state == JobState.SUCCEEDED or diagnosis is None or cause is Cause.HEALTHY:
        return StepResult(outcome, redact(sentence), may_repeat=diagnosis is None and state != STOPPED)
    info = about(cause)
    return StepResult(
        outcome,
        redact(sentence),
        cause=cause,
        explanation=_line(diagnosis.explanation),
        advice=_line(info.advice),
        evidence=tuple(_line(line.text) for line in diagnosis.evidence[:MAX_EVIDENCE]),
        may_repeat=not info.repeat_fails and not diagnosis.needs_own_change and state != STOPPED,
    )


def history_of(incidents: Sequence[Incident], proposals: Sequence[Proposal]) -> tuple[str, ...]:
    """The incidents of a watch, one sentence each, oldest first, with what was proposed for them."""
    return tuple(
        _told(incident, [one for one in proposals if one.incident == incident.id]) for incident in incidents
    )


def _told(incident: Incident, proposals: Sequence[Proposal]) -> str:
    diagnosis = incident.diagnosis
    times = f", seen {incident.count} times" if incident.count > 1 else ""
    words = f"{incident.opened_at:%H:%M} UTC {incident.key.cause} ({diagnosis.severity}{times}): "
    words += _line(diagnosis.explanation)
    if not proposals:
        return f"{words} Escalated; no restart was proposed."
    newest = proposals[-1]
    if newest.status in (ProposalStatus.OPEN, ProposalStatus.SNOOZED):
        return f"{words} A restart is proposed: babysit approve {newest.id}"
    return f"{words} Its restart was {newest.status}."


def benign_lines(lines: Sequence[str], app: App) -> tuple[str, ...]:
    """Lines that look bad and are known to be harmless, each with the reason."""
    findings = examine("\n".join(lines), app.playbook, JobFacts(state=JobState.SUCCEEDED)).findings
    told = {
        f"{_line(finding.evidence[0].text)} ({_line(finding.explanation)})": None
        for finding in findings.all
        if finding.severity is Severity.BENIGN and finding.evidence
    }
    return tuple(told)[:MAX_BENIGN]


def diagnosis_of_lines(lines: Sequence[str], app: App, facts: JobFacts) -> Diagnosis:
    """The cause that a finished job's own lines tell."""
    return examine("\n".join(lines), app.playbook, facts).diagnosis


def _line(text: str) -> str:
    return " ".join(redact(text).split())[:MAX_QUOTE]
