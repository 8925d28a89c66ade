"""How far a job is: one sample of its own report, in numbers."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Motion(StrEnum):
    """What the samples of a stage say over time."""

    NOT_STARTED = "not-started"
    ADVANCING = "advancing"
    SLOW = "slow"
    STRAGGLING = "straggling"
    STUCK = "stuck"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Progress:
    """One progress report: a Zephyr stage, or the steps of a training run.

    `at`: the time inside the line where it has one, else the entry's. Counts that a report does not
    give are None.
    """

    stage: str  # full label, e.g. "stage1-Reduce"
    done: int
    total: int
    at: datetime
    stage_number: int | None = None  # numbers skip
    in_flight: int | None = None
    queued: int | None = None
    alive: int | None = None
    workers: int | None = None
    gone: int | None = None  # "dead" in the line; includes workers that left normally
    execution: str = ""  # id of the pipeline execution; a new one for every pipeline attempt
    items_per_s: float | None = None
    loss: float | None = None  # training only
