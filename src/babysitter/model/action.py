"""An approved proposal being carried out, as written, repeatable steps."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import TypeAlias

from babysitter.model.ids import JobId, ProposalId, WatchId


class ActionStep(StrEnum):
    """In the order in which they are taken."""

    EVIDENCE = "evidence-saved"  # what would be lost with the old job
    STOP = "stop-requested"
    TERMINAL = "terminal-confirmed"
    SUBMIT = "submitted"
    RECORD = "recorded"


class StepState(StrEnum):
    INTENDED = "intended"  # written before it is done
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StepRecord:
    step: ActionStep
    state: StepState
    at: datetime
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StoredAction:
    """An approved proposal being carried out."""

    proposal: ProposalId
    watch: WatchId
    begun_at: datetime
    ended_at: datetime | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class ActionSucceeded:
    """The old job is over and the new one exists."""

    job: JobId


@dataclass(frozen=True, slots=True)
class ActionStopped:
    """The job is over, as approved, and nothing was submitted."""

    job: JobId


@dataclass(frozen=True, slots=True)
class ActionCancelled:
    """The facts had moved before anything was touched; nothing was done."""

    because: str


@dataclass(frozen=True, slots=True)
class ActionFailed:
    """A step could not be completed. `done` says what was, `not_done` what was not."""

    step: ActionStep
    because: str
    done: tuple[ActionStep, ...]

    @property
    def not_done(self) -> tuple[ActionStep, ...]:
        return tuple(action_step for action_step in ActionStep if action_step not in self.done)


class SubmissionFailure(Enum):
    """Why a stopped job has no successor yet."""

    FAILED = "a step failed"
    OLD_JOB_UNKNOWN = "the cluster does not know the old job any more, so its end cannot be confirmed"
    NAME_TAKEN = "the computed name belongs to another job"


@dataclass(frozen=True, slots=True)
class NotSubmitted:
    """The old job was stopped, since `since_at`, and has no successor: it is tried again until `until`,
    None = until the approval expires.

    `step`: the one that failed. An earlier one than SUBMIT: the old job was asked to stop, and is not known
    to have ended. `by_hand_as`: the name under which a person may submit it, where that is not the computed
    one.
    """

    because: str
    since_at: datetime
    step: ActionStep = ActionStep.SUBMIT
    until: datetime | None = None
    failure: SubmissionFailure = SubmissionFailure.FAILED
    by_hand_as: JobId | None = None


Concluded: TypeAlias = ActionSucceeded | ActionStopped | ActionCancelled | ActionFailed
Outcome: TypeAlias = Concluded | NotSubmitted
