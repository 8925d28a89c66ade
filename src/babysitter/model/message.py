"""What a person reads, independent of where they read it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from babysitter.model.ids import IncidentId, MessageId, Person, ProposalId, WatchId


class MessageKind(StrEnum):
    """Why a message exists."""

    STARTED = "started"
    LIVE_STATE = "live-state"  # edits the root message; merged, never posted anew
    INCIDENT = "incident"
    WORSE = "worse"  # severity rose, or an approved action failed
    CHANGED = "changed"  # another cause of the same or a lower severity
    PROPOSAL = "proposal"
    WITHDRAWN = "withdrawn"
    REMINDER = "reminder"
    DECIDED = "decided"
    ACTING = "acting"
    NOT_SUBMITTED = "not-submitted"  # the old job has ended, the new one is not there: a person is needed
    RESOLVED = "resolved"
    WAITING = "waiting"  # preempted, or long pending; told once
    BLIND = "blind"
    FINISHED = "finished"
    DIGEST = "digest"
    ROUTINE = "routine"  # about a followed job, and needs nobody: one line
    EMERGENCY = "emergency"  # sent past the outbox, which cannot be written


class Audience(StrEnum):
    """Which channels get a message. What needs nobody is told by each in the way that disturbs least."""

    ALL = "all"
    EDITING = "editing"  # whose messages can be edited: one message a day, which grows
    PLAIN = "plain"  # which cannot edit, and disturb nobody: a line each
    DAILY = "daily"  # which disturb, as mail does: one message after the day


PEOPLE_SAY = "People say"  # the note with what people said of the cause
TAKE_BACK = "take-back"  # in the menu of causes in place of a cause: forget what I said


class ButtonKind(StrEnum):
    APPROVE = "approve"
    SHOW_COMMAND = "show-command"  # instead of APPROVE, until the whole command was shown
    DENY = "deny"
    SNOOZE_1H = "snooze-1h"
    SNOOZE_4H = "snooze-4h"
    SNOOZE_CHANGE = "snooze-until-change"
    MORE = "more-evidence"
    ADVISE = "second-opinion"
    RIGHT = "was-right"
    WRONG = "was-wrong"
    REALLY = "was-really"  # a menu of causes; its value is "<incident>|<cause>"


@dataclass(frozen=True, slots=True)
class Button:
    kind: ButtonKind
    target: str  # opaque id of a proposal or an incident; nothing else travels in a button
    stops_only: bool = False  # approving it submits nothing: for the words on the button


@dataclass(frozen=True, slots=True)
class MessageContent:
    """The content of a message, already redacted; surfaces only lay it out.

    Everything from the job is in `evidence` and `commands` (shown as code, escaped by the surface).
    """

    title: str
    sentence: str
    cause: str = ""
    severity: str = ""
    confidence: float | None = None
    evidence: tuple[str, ...] = ()
    more_evidence: tuple[str, ...] = ()
    recovery: str = ""  # what the job's own recovery is doing
    price: str = ""  # what waiting costs
    commands: tuple[str, ...] = ()  # exactly what approval would run
    commands_are: str = ""  # heading over the commands, where they are something else
    commands_shown_at: datetime | None = None  # when they were posted whole in the thread
    change: str = ""
    budget: str = ""  # restarts left
    notes: tuple[tuple[str, str], ...] = ()  # what else to weigh before answering, by name
    expires_at: datetime | None = None
    progress: tuple[str, ...] = ()  # stage bars, ETA, workers
    decided: str = ""  # who decided, when, and what followed
    footer: str = ""
    fields: tuple[tuple[str, str], ...] = ()  # further name/value pairs
    page: str = ""  # address of the job in its cluster's dashboard, added when it is delivered


@dataclass(frozen=True, slots=True)
class Told:
    """One message about an incident that was written down: which, why, when."""

    incident: IncidentId
    occasion: MessageKind
    at: datetime
    proposal: ProposalId | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A row of the outbox. `conversation` is the watch (one thread each) or a group's incident.

    `replaces`: the message that is edited instead of posting a new one.
    """

    id: MessageId
    conversation: str
    occasion: MessageKind
    words: MessageContent
    created_at: datetime
    watch: WatchId | None = None
    incident: IncidentId | None = None
    proposal: ProposalId | None = None
    buttons: tuple[Button, ...] = ()
    replaces: MessageId | None = None
    mentions_on_call: bool = False
    mentions: tuple[Person, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    audience: Audience = Audience.ALL
