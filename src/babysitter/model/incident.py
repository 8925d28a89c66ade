"""One trouble of one watch, from first notice to end."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, JobId, WatchId
from babysitter.model.message import Told
from babysitter.model.proposal import Decision, Proposal
from babysitter.model.verdict import Diagnosis


class IncidentStatus(StrEnum):
    OPEN = "open"
    PROPOSED = "proposed"
    APPROVED = "approved"
    ACTING = "acting"
    VERIFYING = "verifying"
    SNOOZED = "snoozed"
    DENIED = "denied"
    EXPIRED = "expired"
    RESOLVED = "resolved"
    SELF_RESOLVED = "self-resolved"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        return self.is_resolved or self is IncidentStatus.FAILED

    @property
    def is_resolved(self) -> bool:
        """Over, and the trouble is not there any more."""
        return self in (IncidentStatus.RESOLVED, IncidentStatus.SELF_RESOLVED)


@dataclass(frozen=True, slots=True)
class IncidentKey:
    """The same key never opens twice while one is open; repeats count."""

    watch: WatchId
    cause: Cause
    attempt: JobId


@dataclass(frozen=True, slots=True)
class Incident:
    id: IncidentId
    key: IncidentKey
    status: IncidentStatus
    diagnosis: Diagnosis
    opened_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None
    count: int = 1
    group: IncidentId | None = None  # the parent, where one outage hits many watches
    snoozed_until: datetime | None = None
    outcome: str = ""  # how it ended, one sentence


BUDGET_WINDOW = timedelta(hours=24)  # in which restarts count against the budget


@dataclass(frozen=True, slots=True)
class Restart:
    """One restart that was carried out for a watch."""

    at: datetime
    cause: Cause
    old: JobId
    new: JobId
    high_water: int = 0  # shards done, over all stages, when the old one was stopped


@dataclass(frozen=True, slots=True)
class Ledger:
    """The incidents, proposals and decisions of one watch so far, newest last.

    `restarts`: with those of earlier watches of the same job, as far as they count against its budget.
    """

    incidents: tuple[Incident, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    decisions: tuple[Decision, ...] = ()
    restarts: tuple[Restart, ...] = ()
    told: tuple[Told, ...] = ()  # about incidents that are open, or ended lately

    @property
    def open_incidents(self) -> tuple[Incident, ...]:
        return tuple(incident for incident in self.incidents if not incident.status.is_over)

    def proposal_of(self, incident: IncidentId) -> Proposal | None:
        """The newest proposal for this incident."""
        return next(
            (proposal for proposal in reversed(self.proposals) if proposal.incident == incident), None
        )
