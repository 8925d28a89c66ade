"""One exact action offered to a person; a person's answer; and the right to act that follows from it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import Digest, IncidentId, JobId, Person, ProposalId, WatchId
from babysitter.model.job import JobState
from babysitter.model.progress import CheckpointNote
from babysitter.model.submission import Submission
from babysitter.model.verdict import Change


class ProposalStatus(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    DENIED = "denied"
    SNOOZED = "snoozed"
    UNANSWERED = "unanswered"
    WITHDRAWN = "withdrawn"


ANSWERABLE = frozenset({ProposalStatus.OPEN, ProposalStatus.SNOOZED})


class ApprovedAct(StrEnum):
    """What an approval carries out."""

    RESTART = "restart"  # stop, and submit again
    STOP = "stop"  # and submit nothing


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    SNOOZE = "snooze"


class Surface(StrEnum):
    """Where a decision came in."""

    SLACK = "slack"
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True)
class ProposalFacts:
    """What a proposal rests on. When any of these differs, the proposal is withdrawn."""

    root: JobId
    root_state: JobState
    attempt: JobId  # newest coordinator, or the root
    cause: Cause
    submission: tuple[str, ...]  # the exact command
    two_coordinators: bool = False


@dataclass(frozen=True, slots=True)
class CostOfWaiting:
    """What waiting costs; None where it is not known."""

    idle_workers: int | None = None
    since_at: datetime | None = None
    lost_s: float | None = None


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A setting by which a new run finds the work of the old one. `name`: its option or variable; "" = none.

    `is_known_before`: whether it is known how the old run was submitted.
    """

    name: str = ""
    before: str = ""
    after: str = ""
    is_known_before: bool = False


@dataclass(frozen=True, slots=True)
class RestartLoss:
    """What stopping the job loses. `step`: where a training run stands; None = not known."""

    checkpoint: CheckpointNote | None = None  # None = its log speaks of none
    step: int | None = None
    run_id: KeptValue = KeptValue()
    output_path: KeptValue = KeptValue()


@dataclass(frozen=True, slots=True)
class Proposal:
    """One exact action with everything needed to carry it out written into it. Single use."""

    id: ProposalId
    incident: IncidentId
    watch: WatchId
    cluster: str
    job: JobId  # exactly the job to stop
    successor: JobId  # the id the resubmitted job gets
    action: ActionKind  # restart or restart-with-change
    submission: Submission
    facts: ProposalFacts
    digest: Digest
    created_at: datetime
    expires_at: datetime
    status: ProposalStatus = ProposalStatus.OPEN
    change: Change | None = None
    price: CostOfWaiting = CostOfWaiting()
    may_approve: tuple[Person, ...] = ()  # empty = anybody the configuration names
    restarts_left: int = 0
    asked_by: str = "babysit"  # or the agent that asked for it, which a person is told
    asked_because: str = ""  # the agent's own words
    withdrawn_because: str = ""
    differences: tuple[str, ...] = ()  # from what the cluster stored, and of the folder since the start
    earlier_try: str = ""  # that an approval before this one was called off, and why
    further_changes: tuple[Change, ...] = ()  # beside `change`
    asked_changes: tuple[Change, ...] = ()  # as they were asked for; without the values before
    act: ApprovedAct = ApprovedAct.RESTART
    loss: RestartLoss | None = None  # None = the job is not known to save anything
    shown_whole_at: datetime | None = None  # when what does not fit on its card was posted whole

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that differs from how the job was submitted, in the order in which it is shown."""
        return (self.change, *self.further_changes) if self.change else ()

    @property
    def submits(self) -> bool:
        """Whether something is submitted after the stop."""
        return self.act is ApprovedAct.RESTART

    @property
    def is_asked_for(self) -> bool:
        """Whether an agent asked for it, rather than babysit's own judgement."""
        return self.asked_by != "babysit"


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer, as committed."""

    proposal: ProposalId
    person: Person
    answer: Answer
    door: Surface
    decided_at: datetime
    snooze_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Approved:
    """A proposal that a named person said yes to, while its facts still held.

    Made only by service.approvals, from a committed decision row. Acting takes nothing else:
    there is no way to act on a mere Proposal.
    """

    proposal: Proposal
    decided_by: Person
    decided_at: datetime
    fence: int  # lease generation; a paused replica's is too old
