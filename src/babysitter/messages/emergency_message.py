"""The one kind of message that is sent past the outbox, because the outbox cannot be written. Pure.

When it is due, and its words. It is marked as such and may arrive twice; silence would be worse.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from babysitter.messages.formatting import count, format_duration, format_time
from babysitter.model.ids import JobId, MessageId
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.redact import redact, strip_control_characters

FIRST_AFTER = timedelta(seconds=20)  # a lock or a failover that is over by then interests nobody
AGAIN_AFTER = timedelta(minutes=10)
MAX_JOBS_SHOWN = 10
MAX_REASON_CHARS = 300
BYPASS_NOTE = (
    "Emergency message: sent past the outbox, so it may arrive twice; at most one per cluster in 10 min"
)

Jobs = Mapping[str, Sequence[JobId]]  # watched jobs that have not ended, by cluster


class EmergencyDecision(StrEnum):
    """Why an emergency message is sent now, or is not."""

    STORAGE_WORKS = "the database can be written"
    NOBODY_WATCHED = "no job is being watched"
    TOO_SHORT = "the outage is younger than 20 s"
    SENT_RECENTLY = "one was sent within the last 10 min"
    FIRST = "the first one of this outage"
    STILL = "the outage goes on"

    @property
    def is_due(self) -> bool:
        return self in (EmergencyDecision.FIRST, EmergencyDecision.STILL)


def decide_emergency(
    since_at: datetime | None, jobs: Jobs, sent_at: datetime | None, *, now: datetime
) -> EmergencyDecision:
    """Whether a message about the database is due. `since_at`: start of its outage, None = there is none.

    `sent_at`: when the last one was sent, in this outage or an earlier one.
    """
    if since_at is None:
        return EmergencyDecision.STORAGE_WORKS
    if not any(jobs.values()):
        return EmergencyDecision.NOBODY_WATCHED
    if abs(now - since_at) < FIRST_AFTER:  # absolute, as the clock may be set back
        return EmergencyDecision.TOO_SHORT
    if sent_at is not None and abs(now - sent_at) < AGAIN_AFTER:
        return EmergencyDecision.SENT_RECENTLY
    is_first = sent_at is None or sent_at < since_at
    return EmergencyDecision.FIRST if is_first else EmergencyDecision.STILL


@dataclass(frozen=True, slots=True)
class StorageEmergency:
    """What an emergency message speaks of. `host`: where this babysit runs."""

    since_at: datetime
    because: str
    jobs: Jobs
    host: str
    now: datetime


def storage_message(about: StorageEmergency, *, mentions_on_call: bool) -> Message:
    """babysit cannot store what it sees: what that means, and what to do."""
    sentence = (
        f"The database of babysit on {about.host} cannot be written since "
        f"{format_time(about.since_at, now=about.now)} ({_reason(about.because)}). "
        f"{_capital(_jobs_of(about.jobs))} still checked. Until the database works again, nothing that is "
        "found is reported, and no approved restart is carried out."
    )
    words = MessageContent(
        title="babysit cannot store what it sees",
        sentence=sentence,
        severity="degraded",
        fields=(
            ("What to do", "Free its disk, end what holds its lock, or start its server; the rest follows."),
            *_job_fields(about.jobs),
        ),
        footer=BYPASS_NOTE,
    )
    key = f"{about.host}:{about.since_at.isoformat()}:{about.now.isoformat()}"
    return replace(_message(key, words, about.now), mentions_on_call=mentions_on_call)


def storage_works_message(
    since_at: datetime, works_since: datetime, jobs: Jobs, host: str, *, now: datetime
) -> Message:
    """The end of an outage that was reported. For the outbox, which works again."""
    lasted = format_duration((works_since - since_at).total_seconds())
    words = MessageContent(
        title="babysit stores what it sees again",
        sentence=f"The database of babysit on {host} can be written again, after {lasted}. "
        "Every check that could not be stored is repeated; nothing was lost.",
        severity="benign",
        fields=_job_fields(jobs),
        footer=f"Since {format_time(works_since, now=now)}",
    )
    return replace(_message(f"{host}:{since_at.isoformat()}:over", words, now), occasion=MessageKind.RESOLVED)


def last_message(because: str, jobs: Jobs, host: str, *, now: datetime, mentions_on_call: bool) -> Message:
    """The service ends while jobs are watched: nobody looks after them any more."""
    words = MessageContent(
        title=f"babysit on {host} has ended",
        sentence=f"{_reason(because)}. {_capital(_jobs_of(jobs))} not looked after until it runs again.",
        severity="degraded",
        fields=(("What to do", "Start it again: babysit serve --background"), *_job_fields(jobs)),
        footer=BYPASS_NOTE,
    )
    message = _message(f"{host}:ended:{now.isoformat()}", words, now)
    return replace(message, mentions_on_call=mentions_on_call)


def _message(key: str, words: MessageContent, now: datetime) -> Message:
    identity = MessageId("m-" + hashlib.sha256(f"emergency:{key}".encode()).hexdigest()[:12])
    return Message(
        id=identity,
        conversation=identity,
        occasion=MessageKind.EMERGENCY,
        words=words,
        created_at=now,
        metadata={"kind": "emergency"},
    )


def _jobs_of(jobs: Jobs) -> str:
    """ "3 jobs of 'marin' and 1 job of 'eos' are", to be continued."""
    parts = [
        f"{count(len(sequence), 'job')} of '{cluster}'"
        for cluster, sequence in sorted(jobs.items())
        if sequence
    ]
    is_one = sum(len(job) for job in jobs.values()) == 1
    return f"{' and '.join(parts)} {'is' if is_one else 'are'}"


def _job_fields(jobs: Jobs) -> tuple[tuple[str, str], ...]:
    """The first jobs of each cluster, by name."""
    fields = []
    for cluster, watched in sorted(jobs.items()):
        shown = ", ".join(watched[:MAX_JOBS_SHOWN])
        if watched:
            fields.append(
                (
                    f"Jobs of '{cluster}'",
                    strip_control_characters(shown + (", ..." if watched[MAX_JOBS_SHOWN:] else "")),
                )
            )
    return tuple(fields)


def _reason(text: str) -> str:
    return strip_control_characters(redact(text))[:MAX_REASON_CHARS].rstrip(". ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
