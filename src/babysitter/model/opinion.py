"""A second opinion on a verdict, and what is displayed when rules and opinion meet."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from babysitter.model.advisor_spend import AdvisorDay
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import IncidentId, Person


@dataclass(frozen=True, slots=True)
class Quote:
    """A part of a line of the evidence, redacted. `line`: its label in the pack, such as L12 or F1."""

    line: str
    text: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a reader says, with at least one true quote. Its words are data, shown escaped and redacted."""

    cause: Cause
    confidence: float
    explanation: str
    quotes: tuple[Quote, ...]
    action: ActionKind  # what the reader would do; never done because of it
    would_change_mind: str = ""
    check_next: tuple[str, ...] = ()
    dropped_quotes: int = 0  # untrue ones
    fingerprint: str = ""  # of the question


@dataclass(frozen=True, slots=True)
class NoOpinion:
    """Why there is none: one sentence for a person."""

    reason: str


class Weighing(StrEnum):
    """How rules and opinion were weighed."""

    NO_OPINION = "no-opinion"
    AGREED = "agreed"
    PROOF_STANDS = "proof-stands"
    UNDECIDED = "undecided"  # the opinion says that the evidence does not decide
    SUSPECTED = "suspected"  # the opinion's cause is displayed
    WATCHING = "watching"  # the opinion denies the alarm


@dataclass(frozen=True, slots=True)
class Combined:
    """What is displayed. `second`: the rules' cause where the opinion's stands first."""

    weighing: Weighing
    cause: Cause
    action: ActionKind
    second: Cause | None = None
    opinion: Opinion | None = None
    no_opinion: str = ""  # why there is none


@dataclass(frozen=True, slots=True)
class OpinionRecord:
    """What came of asking about an incident. `transcript`: what was said for it, redacted.

    `incident` None = about a watch that has none. `day`: what 24 hours had cost by then, this included.
    """

    incident: IncidentId | None
    at: datetime
    fingerprint: str  # of the question
    combined: Combined
    calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0  # None = the model has no price
    transcript: str = ""
    day: AdvisorDay | None = None


@dataclass(frozen=True, slots=True)
class OpinionRequest:
    """A person asked for an opinion on an incident, and nobody has answered yet."""

    incident: IncidentId
    person: Person
    asked_at: datetime
