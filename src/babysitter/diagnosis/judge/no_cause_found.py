"""What is said where no finding stands: an unexplained end, the stop of a person, a silence, or nothing."""

import re
from collections.abc import Sequence

from babysitter.diagnosis.judge.actions import action_of, is_over, severity_of
from babysitter.diagnosis.judge.nothing_wrong import MAX_EVIDENCE, nothing_wrong, quoted
from babysitter.model.finding import ActionKind, Cause, Finding, Findings, Retry, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.limits import Limits
from babysitter.model.verdict import Diagnosis

SIGTERM_CODES = (-15, 143)
DECISIVE = 0.6  # evidence that names its cause by itself
_THROUGH = re.compile(
    r"\b(?:100(?:\.0+)?\s?%|([1-9]\d*)(?:/| of )\1\b)|\b(?:done|finished|completed) in \d|\btook \d"
)
SILENT_S = Limits().quiet_floor_s  # of a running job that is in no known quiet phase


def starts_at(finding: Finding) -> int:
    """Place of its first line; what is no line (a state, an exit code) stands at the end."""
    return finding.position if finding.position >= 0 else 1 << 40


def without_a_cause(findings: Findings, overcome: Sequence[Finding], facts: JobFacts) -> Diagnosis:
    """No finding stands: an end that follows from something unseen, a person's stop, or nothing wrong."""
    consequences = [finding for finding in findings.all if finding.is_consequence]
    if facts.state is JobState.KILLED or facts.stopped_at_root:
        return _stopped(consequences, facts)
    if is_over(facts):
        return _ended_without_proof(consequences, findings, facts)
    if facts.state in (None, JobState.RUNNING) and (hint := _unproven(consequences, findings, facts)):
        return hint
    return nothing_wrong(findings, overcome, facts)


def _stopped(consequences: Sequence[Finding], facts: JobFacts) -> Diagnosis:
    """A person's stop where the controller says so; a bare KILLED leaves open who did it."""
    by_person = [consequence for consequence in consequences if consequence.cause is Cause.USER_CANCEL]
    if by_person or facts.stopped_at_root:
        return Diagnosis(
            cause=Cause.USER_CANCEL,
            severity=Severity.BENIGN,
            action=ActionKind.IGNORE,
            explanation="The job was stopped on request and nothing shows that it was in trouble before.",
            confidence=0.75,
            evidence=quoted(consequences),
            retry=Retry.USELESS,
        )
    return Diagnosis(
        cause=Cause.UNKNOWN,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation="The job was killed and nothing that was read says by whom or why.",
        confidence=0.5,
        evidence=quoted(consequences),
        look_at=("parent", "machine"),
    )


def _ended_without_proof(consequences: Sequence[Finding], findings: Findings, facts: JobFacts) -> Diagnosis:
    named = [
        consequence
        for consequence in consequences
        if consequence.cause not in (Cause.UNKNOWN, Cause.USER_CANCEL)
    ]
    if named:
        best = max(named, key=lambda finding: (finding.confidence, -starts_at(finding)))
        return Diagnosis(
            cause=best.cause,
            severity=Severity.FATAL,
            action=action_of(best, facts),
            explanation=f"{best.explanation} What came before it was not seen.",
            confidence=round(best.confidence * 0.9, 2),
            evidence=quoted(named),
            retry=best.retry,
            rules=(best.rule,),
            look_at=best.look_at,
            advice=best.advice,
        )
    # "Terminated by user" stands for any end; an interrupt, or a queue's own words, for a person.
    by_person = [
        consequence
        for consequence in consequences
        if consequence.cause is Cause.USER_CANCEL and consequence.confidence >= DECISIVE
    ]
    if by_person:
        return Diagnosis(
            cause=Cause.USER_CANCEL,
            severity=Severity.BENIGN,
            action=ActionKind.IGNORE,
            explanation=f"{by_person[0].explanation} Nothing shows that the job was in trouble before.",
            confidence=round(by_person[0].confidence * 0.9, 2),
            evidence=quoted(by_person),
            retry=Retry.USELESS,
        )
    ended = "The job ended badly and nothing that was read says why."
    if facts.state is JobState.FAILED and facts.exit_code in SIGTERM_CODES:
        ended = (
            f"A SIGTERM ended the process (exit code {facts.exit_code}). The cluster counts that as a "
            "failure and names no preemption and no stop: probably the program, or what runs it, sent it."
        )
    return Diagnosis(
        cause=Cause.UNKNOWN,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=ended,
        confidence=0.5,
        evidence=quoted(consequences) or findings.novel_templates[:MAX_EVIDENCE],
    )


def _unproven(consequences: Sequence[Finding], findings: Findings, facts: JobFacts) -> Diagnosis | None:
    """A living job with signs of somebody else's trouble, or a silence that nothing explains."""
    if facts.retried_by_itself:
        return None
    if (facts.last_line_age_s or 0.0) > max(SILENT_S, facts.usual_silence_s) and not _is_quiet_phase(
        findings
    ):
        return _silent(facts)
    told = [
        consequence
        for consequence in consequences
        if consequence.severity is Severity.FATAL and consequence.last_position >= 0
    ]
    told = [
        finding
        for finding in told
        if facts.advanced_after is None or finding.last_position > facts.advanced_after
    ]
    if not told:
        return None
    best = max(told, key=lambda finding: finding.confidence)
    return Diagnosis(
        cause=best.cause,
        severity=severity_of(best.cause, facts, best.severity),
        action=action_of(best, facts),
        explanation=f"{best.explanation} What came before it was not seen.",
        confidence=round(best.confidence * 0.8, 2),
        evidence=quoted(told),
        retry=best.retry,
        rules=(best.rule,),
        look_at=best.look_at,
        advice=best.advice,
    )


def _is_quiet_phase(findings: Findings) -> bool:
    """Whether a long phase is under way; one whose last line says that it is through explains no silence."""
    return any(
        finding.cause is Cause.SLOW_STARTUP
        and not (finding.evidence and _THROUGH.search(finding.evidence[-1].text))
        for finding in findings.all
    )


def _silent(facts: JobFacts) -> Diagnosis:
    """Silence is evidence too: a running job that says nothing for so long is most probably stuck."""
    minutes = round((facts.last_line_age_s or 0.0) / 60)
    return Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The job counts as running and has said nothing for {minutes} minutes.",
        confidence=0.5,
        look_at=("worker-dump", "coordinator-dump"),
    )
