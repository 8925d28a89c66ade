"""Incident -> words. Pure: the same words for Slack and terminal.

One function per occasion, found through `compose`; a card is a function of how things stand now, so
composing it again after a decision gives the decided card. Everything that came from a job, a command
or a person is redacted and stripped of control characters here; surfaces only escape and lay out.
"""

import shlex
from collections.abc import Callable, Sequence
from datetime import datetime

from babysitter.messages.ending import compose_end, how_it_ended
from babysitter.messages.formatting import (
    bar,
    cause_name,
    count,
    format_duration,
    format_time,
)
from babysitter.messages.incident_card import (
    ANSWERED,
    compose_card,
    decided_text,
    is_open,
    more_lines,
)
from babysitter.messages.opinion_text import opinion_note
from babysitter.messages.proposal_text import (
    MAX_COMMAND_CHARS,
    change_of,
    commands_of,
    notes_of,
    submission_lines,
)
from babysitter.messages.routine import compose_routine
from babysitter.messages.subject import (
    MAX_SENTENCE_CHARS,
    MessageSubject,
    capital,
    ended,
    escape,
    short_name,
)
from babysitter.messages.whole_command import must_be_shown
from babysitter.model.finding import Severity
from babysitter.model.incident import IncidentStatus
from babysitter.model.message import Button, ButtonKind, MessageContent, MessageKind
from babysitter.model.opinion import Weighing
from babysitter.model.phase import Phase
from babysitter.model.verdict import ProgressSummary, StageProgressSummary

__all__ = [
    "MessageSubject",
    "buttons_for",
    "change_of",
    "commands_of",
    "compose_message",
    "digest",
    "notes_of",
    "submission_lines",
]

MAX_STAGES = 8
FEEDBACK = (ButtonKind.RIGHT, ButtonKind.WRONG, ButtonKind.REALLY)


def compose_message(occasion: MessageKind, about: MessageSubject) -> MessageContent:
    """The words for one occasion."""
    return _COMPOSERS[occasion](about)


def buttons_for(occasion: MessageKind, about: MessageSubject) -> tuple[Button, ...]:
    """The buttons that make sense now: to answer while the proposal is open, then to give feedback.

    There are none once the incident is resolved.
    """
    if about.is_resolved or occasion in _WITHOUT_BUTTONS:
        return ()
    buttons: list[Button] = []
    if about.proposal is not None and is_open(about.proposal):
        answers = (
            ButtonKind.SHOW_COMMAND if must_be_shown(about.proposal) else ButtonKind.APPROVE,
            ButtonKind.DENY,
            ButtonKind.SNOOZE_1H,
            ButtonKind.SNOOZE_4H,
            ButtonKind.SNOOZE_CHANGE,
        )
        stops = not about.proposal.submits
        buttons += [Button(kind, about.proposal.id, stops_only=stops) for kind in answers]
    if about.incident is not None and occasion in _CARDS:
        if more_lines(about.incident.diagnosis, about.watch.root):
            buttons.append(Button(ButtonKind.MORE, about.incident.id))
        if about.may_ask_advice:
            buttons.append(Button(ButtonKind.ADVISE, about.incident.id))
        buttons += [Button(kind, about.incident.id) for kind in FEEDBACK]
    return tuple(buttons)


def digest(held: Sequence[MessageContent], *, now: datetime) -> MessageContent:
    """What was held back during quiet hours, in one message."""
    return MessageContent(
        title=f"While it was quiet: {count(len(held), 'message')}",
        sentence="Nothing of this needed you at night; here it is in the order in which it happened.",
        progress=tuple(
            f"{message_content.title}: {message_content.sentence}" for message_content in held[:40]
        ),
        footer=f"Digest of {format_time(now)}"
        + (f"; {len(held) - 40} more are in `babysit report JOB`" if held[40:] else ""),
    )


def _started(about: MessageSubject) -> MessageContent:
    return MessageContent(
        title=f"Watching {about.job}",
        sentence="This message shows how it is doing. Nothing more is said unless something is really wrong.",
        fields=_facts_of_watch(about),
        footer=f"Started {format_time(about.now)}",
    )


def _live_state(about: MessageSubject) -> MessageContent:
    outlook, phase = about.outlook, about.verdict.phase if about.verdict else about.watch.phase
    fields = [("Phase", phase.value), *(_facts_of_outlook(outlook) if outlook else ())]
    if about.watch.restarts:
        fields.append(("Restarts", str(about.watch.restarts)))
    fields += [
        ("Open incident", f"{cause_name(incident.key.cause)} ({incident.status})")
        for incident in about.open_incidents[:3]
    ]
    sentence = escape(outlook.summary, most=MAX_SENTENCE_CHARS) if outlook else "Not seen yet."
    if about.verdict is not None and about.verdict.blind:
        spot = about.verdict.blind[0]
        since = format_time(spot.since, now=about.now)
        sentence = f"Cannot be seen since {since}: {escape(spot.reason)} {sentence}"
    elif about.verdict is not None and about.verdict.gone is not None and about.watch.memory.gone_since:
        since = format_time(about.watch.memory.gone_since, now=about.now)
        sentence = f"Not known to the cluster since {since}. Watching goes on."
    title, severity = _standing(about, phase)
    return MessageContent(
        title=title,
        sentence=sentence,
        severity=severity.value,
        progress=_stage_bars(outlook.stages) if outlook else (),
        fields=tuple(fields),
        notes=_suspicion_of_watch(about, phase),
        footer=f"Last check {about.now:%H:%M:%S} UTC",
    )


def _suspicion_of_watch(about: MessageSubject, phase: Phase) -> tuple[tuple[str, str], ...]:
    """An opinion that suspects something in a job without an incident."""
    record = about.advice
    is_open = phase is not Phase.FINISHED and not about.open_incidents
    if record is None or not is_open or record.combined.weighing is not Weighing.SUSPECTED:
        return ()
    return (("Second opinion", escape(opinion_note(record), most=MAX_SENTENCE_CHARS)),)


def _standing(about: MessageSubject, phase: Phase) -> tuple[str, Severity]:
    """The title of a conversation and the sign before it: how the job is or how it ended."""
    worst = max((incident.diagnosis.severity for incident in about.open_incidents), default=Severity.BENIGN)
    if phase is Phase.FINISHED:
        return f"{how_it_ended(about)}: {about.job}", max(worst, Severity(compose_end(about).severity))
    if about.watch.stopped_at is not None:
        return f"Not watched any more: {about.job}", worst
    return f"Watching {about.job}", worst


def _reminder(about: MessageSubject) -> MessageContent:
    card = compose_card(about)
    waited = (
        format_duration((about.now - about.proposal.created_at).total_seconds()) if about.proposal else ""
    )
    asked = f"Nobody has answered for {waited}. " if waited else ""
    return MessageContent(
        title=f"Still waiting for an answer: {short_name(about.job)}",
        sentence=f"{asked}{card.sentence}",
        severity=card.severity,
        commands=card.commands,
        commands_shown_at=card.commands_shown_at,
        change=card.change,
        notes=card.notes,
        price=card.price,
        budget=card.budget,
        expires_at=card.expires_at,
        footer=escape(about.because),
    )


def _withdrawn(about: MessageSubject) -> MessageContent:
    reason = about.because or (about.proposal.withdrawn_because if about.proposal else "")
    why = ended(capital(escape(reason)))
    return MessageContent(
        title=f"Proposal withdrawn: {short_name(about.job)}",
        sentence=f"Nothing was done. {why}".strip(),
        fields=(("Job", about.job),),
    )


def _decided(about: MessageSubject) -> MessageContent:
    answer = ANSWERED[about.decision.answer] if about.decision else "Answered"
    return MessageContent(
        title=f"{answer}: {short_name(about.job)}",
        sentence=decided_text(about) or ended(escape(about.because)) or "Somebody has answered.",
    )


def _acting(about: MessageSubject) -> MessageContent:
    job = escape(about.proposal.job) if about.proposal else about.job
    is_stop = about.proposal is not None and not about.proposal.submits
    then = "nothing is submitted" if is_stop else "then it is submitted again under a fresh name"
    return MessageContent(
        title=f"{'Stopping' if is_stop else 'Restarting'} {short_name(job)}",
        sentence=escape(about.outcome or about.because) or f"Stopping exactly {job}; {then}.",
        commands=commands_of(about.proposal) if about.proposal else (),
        commands_are="What was approved",
        change=change_of(about.proposal) if about.proposal else "",
    )


def _not_submitted(about: MessageSubject) -> MessageContent:
    job = escape(about.proposal.successor) if about.proposal else about.job
    by_hand = escape(about.by_hand_job) or job
    yourself = (
        " Each try first looks for "
        + by_hand
        + ": if you submit it yourself, exactly as below, it is followed."
    )
    is_stop = about.proposal is not None and not about.proposal.submits
    what = "Not known to have stopped" if is_stop else "Stopped and not submitted again"
    return MessageContent(
        title=f"{what}: {short_name(job)}",
        sentence=(
            ended(capital(escape(about.outcome, most=MAX_SENTENCE_CHARS)))
            or "The old job was stopped, and the new one is not submitted."
        )
        + (yourself if about.by_hand else ""),
        severity=Severity.FATAL.value,
        commands=(escape(about.by_hand, most=MAX_COMMAND_CHARS),) if about.by_hand else (),
        commands_are="To submit it yourself, paste this",
        fields=(("Job", job),),
        footer="To end the tries: babysit stop " + shlex.quote(about.watch.root),
    )


def _resolved(about: MessageSubject) -> MessageContent:
    outcome = about.outcome or (about.incident.outcome if about.incident else "") or about.because
    opened = about.incident.opened_at if about.incident else None
    failed = about.incident is not None and about.incident.status is IncidentStatus.FAILED
    return MessageContent(
        title=f"{'Not solved' if failed else 'Over'}: {about.trouble}, {about.place}",
        sentence=ended(capital(escape(outcome))) or "It is over.",
        severity=(Severity.FATAL if failed else Severity.BENIGN).value,
        fields=(("Lasted", format_duration((about.now - opened).total_seconds())),) if opened else (),
    )


def _because(about: MessageSubject) -> str:
    return ended(capital(escape(about.because)))


def _waiting(about: MessageSubject) -> MessageContent:
    return MessageContent(
        title=f"Waiting for machines: {short_name(about.job)}",
        sentence=f"{_because(about)} It is not a failure, and goes on by itself.".strip(),
        severity=Severity.INFO.value,
        fields=(("Job", about.job),),
    )


def _digest(about: MessageSubject) -> MessageContent:
    return MessageContent(
        title=f"While it was quiet: {short_name(about.job)}",
        sentence=ended(escape(about.because)) or "Nothing was held back.",
    )


def _facts_of_outlook(outlook: ProgressSummary) -> tuple[tuple[str, str], ...]:
    fields = []
    if outlook.job_state is not None:
        fields.append(("Job", outlook.job_state.value))
    if outlook.workers is not None:
        fields.append(("Workers", f"{outlook.alive or 0} of {outlook.workers} alive"))
    if outlook.eta_s is not None:
        fields.append(("ETA", format_duration(outlook.eta_s)))
    if outlook.rate_per_min is not None:
        fields.append(("Pace", f"{outlook.rate_per_min:.3g} per minute"))
    if outlook.retries:
        fields.append(("Own retries", str(outlook.retries)))
    return tuple(fields)


def _facts_of_watch(about: MessageSubject) -> tuple[tuple[str, str], ...]:
    watch = about.watch
    fields = [("Cluster", watch.cluster), ("Kind", watch.kind)]
    if watch.owner:
        fields.append(("Owner", watch.owner))
    return tuple(fields)


def _stage_bars(stages: Sequence[StageProgressSummary]) -> tuple[str, ...]:
    shown = stages[-MAX_STAGES:]
    hidden = len(stages) - len(shown)
    lines = [f"{count(hidden, 'earlier stage')} done"] if hidden else []
    width = max((len(escape(stage.label, most=40)) for stage in shown), default=0)
    for stage in shown:
        label = escape(stage.label, most=40).ljust(width)
        share = f"{stage.done:,}/{stage.total:,}" if stage.total else f"{stage.done:,}"
        lines.append(f"{label}  {bar(stage.done, stage.total)}  {share}".rstrip())
    return tuple(lines)


def _emergency(about: MessageSubject) -> MessageContent:
    """About one job; those about the database have words of their own in emergency_message.py."""
    because = escape(about.because, most=MAX_SENTENCE_CHARS) or "The database cannot be written."
    return MessageContent(title=f"babysit cannot store what it sees of {about.job}", sentence=because)


_COMPOSERS: dict[MessageKind, Callable[[MessageSubject], MessageContent]] = {
    MessageKind.STARTED: _started,
    MessageKind.LIVE_STATE: _live_state,
    MessageKind.INCIDENT: compose_card,
    MessageKind.WORSE: compose_card,
    MessageKind.CHANGED: compose_card,
    MessageKind.PROPOSAL: compose_card,
    MessageKind.BLIND: compose_card,
    MessageKind.REMINDER: _reminder,
    MessageKind.WITHDRAWN: _withdrawn,
    MessageKind.DECIDED: _decided,
    MessageKind.ACTING: _acting,
    MessageKind.NOT_SUBMITTED: _not_submitted,
    MessageKind.RESOLVED: _resolved,
    MessageKind.WAITING: _waiting,
    MessageKind.FINISHED: compose_end,
    MessageKind.DIGEST: _digest,
    MessageKind.ROUTINE: compose_routine,
    MessageKind.EMERGENCY: _emergency,
}
_WITHOUT_BUTTONS = (
    MessageKind.STARTED,
    MessageKind.LIVE_STATE,
    MessageKind.WAITING,
    MessageKind.DIGEST,
    MessageKind.ROUTINE,
)
_CARDS = (
    MessageKind.INCIDENT,
    MessageKind.WORSE,
    MessageKind.CHANGED,
    MessageKind.PROPOSAL,
    MessageKind.BLIND,
)
