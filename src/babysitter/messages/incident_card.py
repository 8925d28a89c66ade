"""The card of an incident: what is wrong, proof, what may be done, and afterwards who decided. Pure.

A card is a function of how things stand: composing it again after a decision gives the decided card.
"""

import shlex
from datetime import datetime

from babysitter.messages.diagnosis_words import sentence_of, what_to_do
from babysitter.messages.ending import ended_outlook, facts_of_ended, title_of_trouble
from babysitter.messages.formatting import count, format_duration, format_time
from babysitter.messages.opinion_text import opinion_note
from babysitter.messages.proposal_text import change_of, commands_of, notes_of
from babysitter.messages.run_differences import differences_note
from babysitter.messages.seen_before import seen_before
from babysitter.messages.subject import (
    MAX_EVIDENCE_LINES,
    MAX_SENTENCE_CHARS,
    MessageSubject,
    capital,
    ended,
    escape,
    evidence_lines,
)
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import JobId, Person
from babysitter.model.incident import IncidentStatus
from babysitter.model.message import PEOPLE_SAY, MessageContent
from babysitter.model.proposal import Answer, Proposal, ProposalStatus
from babysitter.model.submission import BY_PERSON, ONLY_WATCHED
from babysitter.model.verdict import Diagnosis
from babysitter.model.watch import Watch

MAX_MORE_EVIDENCE_LINES = 200

ANSWERED = {Answer.YES: "Approved", Answer.NO: "Denied", Answer.SNOOZE: "Snoozed"}
_FOLLOWED = {
    IncidentStatus.APPROVED: "The restart is about to begin.",
    IncidentStatus.ACTING: "The restart is under way.",
    IncidentStatus.VERIFYING: "Restarted; watching it come up.",
}

_FOLLOWED_BY_STOP = {
    IncidentStatus.APPROVED: "The stop is about to begin.",
    IncidentStatus.ACTING: "The stop is under way.",
}


def compose_card(about: MessageSubject) -> MessageContent:
    """An incident as it stands now, with its offer or without."""
    diagnosis = about.diagnosis
    if diagnosis is None:
        return MessageContent(title=about.job, sentence=escape(about.because) or "Something is wrong.")
    proposal = about.proposal
    fields: list[tuple[str, str]] = [("Cluster", escape(about.watch.cluster))]
    if not about.is_of_cluster:
        fields = [("Job", about.job)]
        if about.watch.owner:
            fields.append(("Owner", escape(about.watch.owner)))
    fields += facts_of_ended(about)
    if diagnosis.machine:
        fields.append(("Machine", escape(diagnosis.machine)))
    if about.incident is not None and about.incident.count > 1:
        fields.append(("Seen", f"{about.incident.count} times"))
    if about.affected:
        fields.append(
            ("Affects", f"{count(len(about.affected), 'job')}: {escape(', '.join(about.affected[:5]))}")
        )
    return MessageContent(
        title=title_of_trouble(about),
        sentence=escape(sentence_of(diagnosis), most=MAX_SENTENCE_CHARS),
        cause=diagnosis.cause.value,
        severity=(Severity.BENIGN if about.is_resolved else diagnosis.severity).value,
        confidence=diagnosis.confidence,
        evidence=evidence_lines(diagnosis.evidence, about.watch.root, most=MAX_EVIDENCE_LINES),
        more_evidence=more_lines(diagnosis, about.watch.root),
        recovery=_recovery(about),
        price=_price(proposal, about.now) if proposal and not about.is_resolved else "",
        commands=commands_of(proposal) if proposal and is_open(proposal) else (),
        commands_shown_at=proposal.shown_whole_at if proposal else None,
        change=change_of(proposal) if proposal else "",
        budget=_budget(proposal, about.watch) if proposal and is_open(proposal) and proposal.submits else "",
        notes=_notes(about),
        expires_at=proposal.expires_at if proposal and is_open(proposal) else None,
        decided=decided_text(about),
        footer="" if about.is_resolved else _advice(diagnosis, proposal, about.watch),
        fields=tuple(fields),
    )


def decided_text(about: MessageSubject) -> str:
    """Who decided, when, and what followed, or how it ended by itself; "" while it is open."""
    proposal, decision = about.proposal, about.decision
    if proposal is None and about.incident is not None and about.is_resolved:
        return ended(capital(escape(about.incident.outcome)))
    if proposal is None or proposal.status is ProposalStatus.OPEN:
        return ""
    if proposal.status is ProposalStatus.WITHDRAWN:
        return f"Withdrawn, nothing was done: {ended(escape(proposal.withdrawn_because or about.because))}"
    if proposal.status is ProposalStatus.UNANSWERED:
        return f"Nobody answered until {format_time(proposal.expires_at, now=about.now)}; nothing was done."
    if decision is None:
        return ended(proposal.status.value.capitalize())
    at = format_time(decision.decided_at, now=about.now)
    text = f"{ANSWERED[decision.answer]} by {escape(decision.person)} at {at} ({decision.door})."
    if decision.answer is Answer.SNOOZE:
        until = decision.snooze_until
        again = f"after {format_time(until, now=about.now)}" if until else "when something changes"
        return f"{text} Asked again {again}."
    return f"{text} {_what_followed(about)}".strip()


def _what_followed(about: MessageSubject) -> str:
    if about.decision is not None and about.decision.answer is Answer.NO:
        return "Nothing was done."
    if about.outcome:
        return ended(capital(escape(about.outcome)))
    if about.incident is None:
        return ""
    if about.proposal is not None and not about.proposal.submits:
        followed = _FOLLOWED_BY_STOP.get(about.incident.status, "")
        return followed or ended(capital(escape(about.incident.outcome)))
    return _FOLLOWED.get(about.incident.status, "") or ended(capital(escape(about.incident.outcome)))


def _recovery(about: MessageSubject) -> str:
    verdict, outlook = about.verdict, about.outlook
    if verdict is not None and verdict.two_coordinators:
        return "Two coordinators are at work; nothing may be restarted while that lasts."
    retries = outlook.retries if outlook else 0
    so_far = f" (own retries so far: {retries})" if retries else ""
    if verdict is None or not verdict.is_judged or about.is_resolved or ended_outlook(about) is not None:
        return ""
    if verdict.healing:
        return f"The job's own recovery is under way{so_far}."
    return f"The job's own recovery is not at work{so_far}."


def _notes(about: MessageSubject) -> tuple[tuple[str, str], ...]:
    """What is remembered and what people said, then what is to be known about an answer."""
    remembered = seen_before(about.earlier, now=about.now)
    notes = [("Seen before", remembered)] if remembered else []
    said = [_word_of(person, was_right=right, cause=cause) for person, right, cause in about.taught]
    if said:
        notes.append((PEOPLE_SAY, escape("; ".join(said), most=MAX_SENTENCE_CHARS)))
    if (opinion := _opinion_words(about)) and not about.is_resolved:
        notes.append(("Second opinion", escape(opinion, most=MAX_SENTENCE_CHARS)))
    differences = about.diagnosis.differences if about.diagnosis is not None else ()
    return (*notes, *differences_note(differences), *_notes_of_answer(about))


def _opinion_words(about: MessageSubject) -> str:
    """The opinion, or that it was asked for."""
    request = about.advice_request
    if request is None:
        return opinion_note(about.advice)
    at = format_time(request.asked_at, now=about.now)
    return f"asked for by {request.person} at {at}; the answer is added here."


def _word_of(person: Person, *, was_right: bool, cause: Cause | None) -> str:
    if was_right:
        return f"the cause is right ({person})"
    return f"it was really {cause.value} ({person})" if cause else f"the cause is wrong ({person})"


def _notes_of_answer(about: MessageSubject) -> tuple[tuple[str, str], ...]:
    """Differences and an earlier try of what is offered; else why nothing is."""
    if about.proposal is not None and is_open(about.proposal):
        return notes_of(about.proposal)
    missing = about.watch.submit_context.missing
    diagnosis = about.diagnosis
    is_wanted = diagnosis is not None and diagnosis.action.restarts and not diagnosis.needs_own_change
    if not missing or not is_wanted or (about.incident is not None and about.incident.status.is_over):
        return ()
    return (("No restart is proposed", escape(" ".join(missing), most=MAX_SENTENCE_CHARS)),)


def _price(proposal: Proposal, now: datetime) -> str:
    price = proposal.price
    parts = []
    since = price.since_at
    lost_s = (now - since).total_seconds() if since else price.lost_s
    if lost_s is not None and lost_s > 0:
        parts.append(f"{format_duration(lost_s)} lost so far")
    if price.idle_workers:
        parts.append(f"{count(price.idle_workers, 'worker')} held")
    return ", ".join(parts)


def _budget(proposal: Proposal, watch: Watch) -> str:
    return f"{proposal.restarts_left} of {watch.limits.restarts_per_day} restarts left in 24 h"


def _advice(diagnosis: Diagnosis, proposal: Proposal | None, watch: Watch) -> str:
    """What to do where there is nothing to press."""
    if proposal is not None:
        because = f": {escape(proposal.asked_because)}" if proposal.asked_because else ""
        return f"Asked for by {escape(proposal.asked_by)}{because}" if proposal.is_asked_for else ""
    if diagnosis.cause is Cause.CONTROLLER_UNREACHABLE:
        return "Nothing is stopped or restarted while the cluster cannot be seen."
    if diagnosis.cause is Cause.JOB_GONE:
        return (
            "Watching goes on, and resumes by itself when the job is visible again. If it is lost for good, "
            f"`babysit stop {watch.root}` ends the watch."
        )
    if diagnosis.needs_own_change:
        return _needs_a_person(diagnosis)
    match diagnosis.action:
        case ActionKind.WAIT:
            return "Nothing to do but wait; this is followed up."
        case ActionKind.RESTART | ActionKind.RESTART_WITH_CHANGE if by_person := _by_person(watch):
            return f"A restart would help. {escape(by_person)}"
        case ActionKind.RESTART | ActionKind.RESTART_WITH_CHANGE if (
            ONLY_WATCHED in watch.submit_context.missing
        ):
            return f"A restart would help. {ONLY_WATCHED}"
        case ActionKind.RESTART | ActionKind.RESTART_WITH_CHANGE if _lacks_a_submission(watch):
            job, cluster = shlex.quote(watch.root), shlex.quote(watch.cluster)
            return (
                f"A restart would help, and cannot be proposed. Give its command: `babysit stop {job}`, then "
                f"`babysit start {job} --cluster {cluster} --workdir FOLDER --resubmit '...'`."
            )
        case ActionKind.RESTART | ActionKind.RESTART_WITH_CHANGE:
            because = watch.submit_context.not_proposed or "see `babysit explain`."
            return f"A restart would help, but none is proposed now: {escape(because)}"
        case _:
            return _needs_a_person(diagnosis)


def _by_person(watch: Watch) -> str:
    """The commands for a person, of a run that nobody submitted; "" for others."""
    found = next((candidate for candidate in watch.submit_context.missing if BY_PERSON in candidate), "")
    return found[found.index(BY_PERSON) :] if found else ""


def _needs_a_person(diagnosis: Diagnosis) -> str:
    return f"This needs a person: a restart alone would not help. {escape(what_to_do(diagnosis))}"


def _lacks_a_submission(watch: Watch) -> bool:
    context = watch.submit_context
    return bool(context.missing) or (watch.resubmit is None and context.stored is None)


def more_lines(diagnosis: Diagnosis, root: JobId) -> tuple[str, ...]:
    """What the card has no room for: further evidence, and what merely followed."""
    rest = (*diagnosis.evidence[MAX_EVIDENCE_LINES:], *diagnosis.cascade)
    return evidence_lines(rest, root, most=MAX_MORE_EVIDENCE_LINES)


def is_open(proposal: Proposal) -> bool:
    return proposal.status is ProposalStatus.OPEN
