"""What the decision wants done: values, not yet deeds (engine/commit.py does them)."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.incident import IncidentKey, IncidentStatus
from babysitter.model.message import MessageKind
from babysitter.model.proposal import Proposal
from babysitter.model.verdict import Diagnosis


@dataclass(frozen=True, slots=True)
class OpenIncident:
    incident: IncidentId  # computed from the key and a running number, so a repeat finds it
    key: IncidentKey
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class RepeatIncident:
    """Seen again, or with better evidence; counts, speaks only if it got worse."""

    incident: IncidentId
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class EndIncident:
    incident: IncidentId
    status: IncidentStatus  # resolved, self-resolved, failed, expired
    outcome: str


@dataclass(frozen=True, slots=True)
class Propose:
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Withdraw:
    proposal: ProposalId
    because: str  # the difference, fit for a person


@dataclass(frozen=True, slots=True)
class Remind:
    """Nobody answered yet: remind once, without renewing the expiry."""

    proposal: ProposalId


@dataclass(frozen=True, slots=True)
class Reassign:
    """Nobody answered in time: ask the next approvers, with a fresh expiry."""

    proposal: ProposalId
    to: tuple[Person, ...]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Expire:
    """Nobody answered and nobody is left to ask. Unanswered is not denied."""

    proposal: ProposalId


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Tell people. `because` is the named reason why this is worth a message.

    `key`: the same key is told once, ever; a check repeated after a crash says nothing twice.
    `hold_until`: quiet hours; None = now.
    """

    occasion: MessageKind
    because: str
    key: str
    incident: IncidentId | None = None
    proposal: ProposalId | None = None
    mentions_on_call: bool = False
    mentions: tuple[Person, ...] = ()  # further people to call by name
    hold_until: datetime | None = None


Intent: TypeAlias = (
    OpenIncident
    | RepeatIncident
    | EndIncident
    | Propose
    | Withdraw
    | Remind
    | Reassign
    | Expire
    | SendMessage
)
