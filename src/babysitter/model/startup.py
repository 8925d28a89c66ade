"""The start of a program in phases: what its lines have said, and where it stands."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class StartupNote:
    """A phase, or a step of it, as one process told of it. `phase`, `step`: numbers from 0; -1 = no step."""

    phase: int
    step: int
    speaker: str  # class of the actor; "" = the driver
    process: str  # task, or pid and node
    node: str
    first_at: datetime
    last_at: datetime  # of the newest line that told something new
    percent: float | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class UsualDuration:
    """How long a phase took in earlier good runs."""

    phase: str
    least_s: float
    most_s: float
    runs: int


@dataclass(frozen=True, slots=True)
class StartupState:
    """What is known of a start. `ended`: when the driver said that a phase is over."""

    program: str = ""  # "" = not a program with a table
    notes: tuple[StartupNote, ...] = ()
    ended: tuple[tuple[int, datetime], ...] = ()
    usual: tuple[UsualDuration, ...] = field(default=())  # learned


@dataclass(frozen=True, slots=True)
class StartupStanding:
    """Where a start stands now. `phase`: from 1. `quiet_s`: since the newest line of the phase."""

    phase: int
    phases: int
    name: str
    sentence: str
    quiet_s: float = 0.0
    quiet_limit_s: float | None = None  # None = any silence is normal here
    advice: str = ""
    node: str = ""
    process: str = ""
    since_at: datetime | None = None

    @property
    def is_suspect(self) -> bool:
        """Whether it has been quiet for longer than is normal."""
        return self.quiet_limit_s is not None and self.quiet_s > self.quiet_limit_s
