"""An approved proposal being carried out, as written, repeatable steps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from babysitter.model.ids import JobId


class Step(StrEnum):
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
    step: Step
    state: StepState
    at: datetime
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Submitted:
    """The old job is over and the new one exists."""

    job: JobId


@dataclass(frozen=True, slots=True)
class CalledOff:
    """The facts had moved before anything was touched; nothing was done."""

    because: str


@dataclass(frozen=True, slots=True)
class BrokeOff:
    """A step could not be completed. `done` says what was, `not_done` what was not."""

    step: Step
    because: str
    done: tuple[Step, ...]

    @property
    def not_done(self) -> tuple[Step, ...]:
        return tuple(each for each in Step if each not in self.done)


@dataclass(frozen=True, slots=True)
class NotSubmitted:
    """The old job has ended, at `since_at`, and the new one could not be submitted: it is tried again.

    `step`: the one that failed. An earlier one than SUBMIT: the old job was asked to stop, and is not known
    to have ended.
    """

    because: str
    since_at: datetime
    step: Step = Step.SUBMIT


Concluded: TypeAlias = Submitted | CalledOff | BrokeOff
Outcome: TypeAlias = Concluded | NotSubmitted
