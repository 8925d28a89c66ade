"""How a job ended, in words: the message about the end, and what a card adds when the job is over. Pure."""

from babysitter.messages.diagnosis_words import sentence_of
from babysitter.messages.formatting import cause_name, count, format_duration, size
from babysitter.messages.subject import (
    MAX_EVIDENCE_LINES,
    MAX_SENTENCE_CHARS,
    MessageSubject,
    capital,
    ended,
    escape,
    evidence_lines,
    short_name,
)
from babysitter.model.finding import Cause, Severity
from babysitter.model.ids import is_within
from babysitter.model.job import JobState
from babysitter.model.message import MessageContent
from babysitter.model.verdict import ProgressSummary

MAX_CHILDREN = 3


def compose_end(about: MessageSubject) -> MessageContent:
    """The message about the end of a job. What was reported before is named, and not proven again."""
    outlook, diagnosis = about.outlook, about.verdict.diagnosis if about.verdict else about.diagnosis
    state = outlook.job_state if outlook else None
    fields = (("Job", about.job), *_facts(about))
    children = _failed_children(outlook)
    reported = ended(capital(escape(about.because))) if about.incident is not None else ""
    if state is JobState.SUCCEEDED or diagnosis is None:
        found = f"{cause_name(diagnosis.cause)}: {escape(sentence_of(diagnosis))}" if diagnosis else ""
        is_open = diagnosis is not None or bool(children)
        return MessageContent(
            title=f"{how_it_ended(about)}: {short_name(about.job)}",
            sentence=_joined(f"The job {state or 'is over'}{_lasted(outlook)}.", found, reported, children),
            severity=(Severity.DEGRADED if is_open else Severity.BENIGN).value,
            fields=fields,
        )
    is_known = about.incident is not None and about.incident.diagnosis.cause is diagnosis.cause
    return MessageContent(
        title=f"{how_it_ended(about)}: {short_name(about.job)}",
        sentence=_joined(
            f"{cause_name(diagnosis.cause)}{_lasted(outlook)}.",
            escape(sentence_of(diagnosis), most=MAX_SENTENCE_CHARS),
            reported,
            children,
        ),
        cause=diagnosis.cause.value,
        severity=diagnosis.severity.value,
        confidence=diagnosis.confidence,
        evidence=()
        if is_known
        else evidence_lines(diagnosis.evidence, about.watch.root, most=MAX_EVIDENCE_LINES),
        fields=fields,
        footer=_no_restart(about),
    )


def _no_restart(about: MessageSubject) -> str:
    because = about.watch.submit_context.not_proposed
    return f"No restart is proposed: {escape(because)}" if because else ""


def how_it_ended(about: MessageSubject) -> str:
    """The first word of a title about a job that is over."""
    outlook, diagnosis = about.outlook, about.verdict.diagnosis if about.verdict else about.diagnosis
    if diagnosis is None or (outlook is not None and outlook.job_state is JobState.SUCCEEDED):
        return "Finished"
    return "Stopped" if diagnosis.cause is Cause.USER_CANCEL else "Ended badly"


def title_of_trouble(about: MessageSubject) -> str:
    """The title of a card: the trouble and its place; that the trouble, or its job, is over."""
    if about.is_resolved:
        return f"Over: {about.trouble}, {about.place}"
    outlook = ended_outlook(about)
    ended_of = about.verdict.diagnosis if about.verdict else None
    is_of_this = ended_of is None or about.diagnosis is None or ended_of.cause is about.diagnosis.cause
    if outlook is None or not is_of_this:
        return f"{about.trouble}: {about.place}"
    if outlook.job_state is JobState.SUCCEEDED:
        return f"Finished with {about.trouble.lower()}: {about.place}"
    return f"Ended badly: {about.place} ({about.trouble.lower()})"


def facts_of_ended(about: MessageSubject) -> tuple[tuple[str, str], ...]:
    """What a card says of a job that is over."""
    outlook = ended_outlook(about)
    if outlook is None or outlook.job_state is None:
        return ()
    facts = [("Ended", f"{outlook.job_state}{_lasted(outlook)}")]
    if outlook.failed_children:
        facts.append(("Failed children", escape(", ".join(outlook.failed_children[:MAX_CHILDREN]))))
    if outlook.peak_memory_bytes:
        facts.append(("Peak memory", size(outlook.peak_memory_bytes)))
    return tuple(facts)


def ended_outlook(about: MessageSubject) -> ProgressSummary | None:
    """The outlook of the job that the incident is about, if that job is over."""
    outlook, incident = about.outlook, about.incident
    if outlook is None or outlook.job_state is None or not outlook.job_state.is_terminal:
        return None
    if incident is None:
        return outlook
    is_about_the_job = incident.key.attempt and is_within(incident.key.attempt, about.watch.root)
    return outlook if is_about_the_job else None


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _lasted(outlook: ProgressSummary | None) -> str:
    if outlook is None or outlook.started_at is None or outlook.finished_at is None:
        return ""
    return f" after {format_duration((outlook.finished_at - outlook.started_at).total_seconds())}"


def _failed_children(outlook: ProgressSummary | None) -> str:
    found = outlook.failed_children if outlook else ()
    if not found:
        return ""
    more = f", and {len(found) - MAX_CHILDREN} more" if found[MAX_CHILDREN:] else ""
    return f"{count(len(found), 'child job')} ended badly: {escape(', '.join(found[:MAX_CHILDREN]))}{more}."


def _facts(about: MessageSubject) -> tuple[tuple[str, str], ...]:
    fields = []
    if about.outlook is not None:
        if about.outlook.stage_count is not None:
            fields.append(("Stages", str(about.outlook.stage_count)))
        fields.append(("Own retries", str(about.outlook.retries)))
        if about.outlook.peak_memory_bytes:
            fields.append(("Peak memory", size(about.outlook.peak_memory_bytes)))
    if about.watch.restarts:
        fields.append(("Restarts", str(about.watch.restarts)))
    return tuple(fields)
