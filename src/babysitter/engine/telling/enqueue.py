"""From something worth saying to a row of the outbox: the words, the buttons, the place, said once.

Everything here writes inside the caller's transaction, so a message exists exactly when its cause does.
"""

import hashlib
from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.engine.earlier_incidents import earlier_incidents
from babysitter.messages.compose import MessageSubject, buttons_for, compose_message
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, JobId, MessageId, Person, ProposalId
from babysitter.model.incident import Incident
from babysitter.model.message import Message, MessageKind
from babysitter.model.opinion import OpinionRecord
from babysitter.model.past_incident import EarlierIncidents
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Watch
from babysitter.store.rows import outage_watch
from babysitter.store.store import Transaction

ADVICE_AGE = timedelta(hours=2)  # guess: it is asked for anew every hour while its reason lasts
MAX_REDRAWN = 10  # messages with buttons about one incident that are kept up to date


def message_id(key: str) -> MessageId:
    """The id of the message said under this key: a check repeated after a crash says the same message."""
    return MessageId("m-" + hashlib.sha256(key.encode()).hexdigest()[:12])


def root_message(watch: Watch) -> MessageId:
    """The message that begins a watch's conversation and then shows its live state."""
    return message_id(f"{watch.id}:started")


async def subject_of(
    tx: Transaction,
    watch: Watch,
    *,
    now: datetime,
    verdict: Verdict | None = None,
    incident: IncidentId | None = None,
    proposal: ProposalId | None = None,
    because: str = "",
    outcome: str = "",
    by_hand: str = "",
    by_hand_job: str = "",
) -> MessageSubject:
    """Everything a message about this may speak of, as of this transaction. `verdict` None = the last one."""
    offered = await tx.incidents.proposal(proposal) if proposal else None
    trouble = await tx.incidents.incident(incident) if incident else None
    affected: tuple[JobId, ...] = ()
    if trouble is not None and trouble.key.watch == outage_watch(watch.cluster):
        affected = await _affected(tx, watch, trouble)
    return MessageSubject(
        watch=watch,
        now=now,
        verdict=verdict or await tx.watches.last_verdict(watch.id),
        incident=trouble,
        proposal=offered,
        decision=await tx.incidents.decision_on(offered.id) if offered else None,
        because=because,
        outcome=outcome,
        by_hand=by_hand,
        by_hand_job=by_hand_job,
        open_incidents=await tx.incidents.incidents_of((watch.id,), only_open=True),
        affected=affected,
        earlier=await earlier_incidents(tx, trouble) if trouble is not None else EarlierIncidents(),
        taught=await _taught(tx, trouble) if trouble is not None else (),
        advice=await tx.opinions.of(trouble.id)
        if trouble is not None
        else await _fresh_advice(tx, watch, now),
        advice_request=await tx.opinions.request_of(trouble.id) if trouble is not None else None,
        can_ask=trouble is not None and await tx.advisor.limits() is not None,
    )


async def _fresh_advice(tx: Transaction, watch: Watch, now: datetime) -> OpinionRecord | None:
    """The opinion on a watch without an incident, while it is not old."""
    record = await tx.opinions.of_watch(watch.id)
    return record if record is not None and now - record.at < ADVICE_AGE else None


async def _taught(tx: Transaction, trouble: Incident) -> tuple[tuple[Person, bool, Cause | None], ...]:
    labels = await tx.feedback.of(trouble.id)
    return tuple((label.person, label.was_right, label.cause) for label in labels)


async def _affected(tx: Transaction, watch: Watch, trouble: Incident) -> tuple[JobId, ...]:
    """The watched jobs that an outage is about: those the controller lost, else all of the cluster."""
    beside = await tx.watches.beside(watch)
    if trouble.key.cause is not Cause.JOB_GONE:
        return (watch.root, *(neighbour.root for neighbour in beside))
    lost = [line.source.removeprefix("job ") for line in trouble.diagnosis.evidence]
    return tuple(map(JobId, sorted(lost)))


async def enqueue_message(
    tx: Transaction,
    occasion: MessageKind,
    about: MessageSubject,
    *,
    key: str,
    mentions_on_call: bool = False,
    mentions: tuple[Person, ...] = (),
    hold_until: datetime | None = None,
) -> bool:
    """Write a message down; False when this key was said before."""
    message = _message(occasion, about, message_id(key))
    return await tx.outbox.put(
        replace(message, mentions_on_call=mentions_on_call, mentions=mentions), hold_until=hold_until
    )


async def refresh_incident_messages(
    tx: Transaction, incident: IncidentId, watch: Watch, *, now: datetime, verdict: Verdict | None = None
) -> None:
    """Bring every message with buttons about this incident to how things stand now.

    `verdict`: the one that is about to be kept; None = the last one that was.
    """
    earlier = await tx.outbox.about(incident=incident)
    for message in [other for other in earlier if other.buttons][-MAX_REDRAWN:]:
        about = await subject_of(
            tx, watch, now=now, verdict=verdict, incident=incident, proposal=message.proposal
        )
        await tx.outbox.edit(message.id, _message(message.occasion, about, message.id))


async def refresh_thread_header(tx: Transaction, about: MessageSubject) -> None:
    """Show the live state of a watch on the message that began its conversation."""
    root = root_message(about.watch)
    await tx.outbox.edit(root, _message(MessageKind.LIVE_STATE, about, root))


def _message(occasion: MessageKind, about: MessageSubject, message: MessageId) -> Message:
    return Message(
        id=message,
        conversation=_conversation(about),
        occasion=occasion,
        words=compose_message(occasion, about),
        created_at=about.now,
        watch=about.watch.id,
        incident=about.incident.id if about.incident else None,
        proposal=about.proposal.id if about.proposal else None,
        buttons=buttons_for(occasion, about),
    )


def _conversation(about: MessageSubject) -> str:
    """One thread per watch; an outage of a cluster has its own."""
    if about.incident is not None and about.incident.key.watch == outage_watch(about.watch.cluster):
        return about.incident.id
    return about.watch.id
