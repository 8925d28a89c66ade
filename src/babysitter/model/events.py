"""Every event that can be recorded: what happened, in the past tense, with who and when.

The table stores `kind` and JSON. A kind is never renamed, only joined by a successor; added fields
have defaults. `report`, the timeline and the audit are folds over these.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from babysitter.model.ids import IncidentId, JobId, MessageId, Person, ProposalId, WatchId


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    kind: ClassVar[str] = ""
    at: datetime
    watch: WatchId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchStarted(Event):
    kind: ClassVar[str] = "watch-started"
    root: JobId
    by: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchStopped(Event):
    kind: ClassVar[str] = "watch-stopped"
    by: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseChanged(Event):
    kind: ClassVar[str] = "phase-changed"
    before: str
    after: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageChanged(Event):
    kind: ClassVar[str] = "stage-changed"
    stage: str
    pipeline: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WentBlind(Event):
    kind: ClassVar[str] = "went-blind"
    source: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SawAgain(Event):
    kind: ClassVar[str] = "saw-again"
    source: str
    blind_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVanished(Event):
    """The cluster answered and does not know the job any more."""

    kind: ClassVar[str] = "job-vanished"
    root: JobId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReappeared(Event):
    kind: ClassVar[str] = "job-reappeared"
    root: JobId
    gone_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOpened(Event):
    kind: ClassVar[str] = "incident-opened"
    incident: IncidentId
    cause: str
    severity: str
    explanation: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentWorsened(Event):
    kind: ClassVar[str] = "incident-worsened"
    incident: IncidentId
    severity: str
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentEnded(Event):
    kind: ClassVar[str] = "incident-ended"
    incident: IncidentId
    status: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartProposed(Event):
    kind: ClassVar[str] = "restart-proposed"
    incident: IncidentId
    proposal: ProposalId
    job: JobId
    command: str
    change: str = ""
    asked_by: str = "babysit"
    asked_because: str = ""
    act: str = "restart"  # or stop: nothing is submitted


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalWithdrawn(Event):
    kind: ClassVar[str] = "proposal-withdrawn"
    proposal: ProposalId
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalReminded(Event):
    kind: ClassVar[str] = "proposal-reminded"
    proposal: ProposalId
    handed_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalDecided(Event):
    """A person's answer that took effect."""

    kind: ClassVar[str] = "proposal-decided"
    proposal: ProposalId
    answer: str  # yes, no, snooze
    by: Person
    through: str  # slack, terminal
    facts: str = ""  # the digest the person saw
    answer_id: str = ""  # of the row in the inbox that it came as, "" = decided directly


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRefused(Event):
    """An attempt to decide that did not count: a stranger, a bot, too late, facts moved."""

    kind: ClassVar[str] = "decision-refused"
    proposal: ProposalId
    by: str
    through: str
    because: str
    answer_id: str = ""  # as above


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTaken(Event):
    """A step of an action, before (`intended`) or after (`done`) it was carried out."""

    kind: ClassVar[str] = "step-taken"
    proposal: ProposalId
    step: str
    state: str  # intended, done, failed
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFinished(Event):
    kind: ClassVar[str] = "job-finished"
    root: JobId
    state: str
    cause: str
    summary: str
    duration_s: float | None = None
    retries: int = 0
    peak_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackGiven(Event):
    """A person said whether a diagnosis was right."""

    kind: ClassVar[str] = "feedback-given"
    incident: IncidentId
    by: Person
    was_right: bool
    rules: tuple[str, ...] = field(default=())
    cause: str = ""  # the true one, where the person said it


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackWithdrawn(Event):
    """A person took back what they said of a diagnosis."""

    kind: ClassVar[str] = "feedback-withdrawn"
    incident: IncidentId
    by: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped(Event):
    """A message that could never be delivered; nobody was told this way."""

    kind: ClassVar[str] = "message-dropped"
    message: MessageId
    notifier: str
    occasion: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFailed(Event):
    """A check of ours broke; the watch goes on with the next one."""

    kind: ClassVar[str] = "check-failed"
    sentence: str


EVENT_KINDS: dict[str, type[Event]] = {subclass.kind: subclass for subclass in Event.__subclasses__()}
