"""What a run printed, as counts and times of line templates: bounded in size, and not a log.

A profile grows from look to look. That of a run that ended well is stored; later runs are compared with it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from babysitter.model.finding import Evidence
from babysitter.model.log import LogLevel


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """A line's wording without what changes, with how often, where and when it was printed.

    Places count lines from 0, times are seconds since 1970 (0 = not known). `example`: its first line, which
    is kept for a run under way only.
    """

    words: tuple[str, ...]
    count: int = 1
    first_place: int = 0
    last_place: int = 0
    first_at_s: float = 0.0
    last_at_s: float = 0.0
    longest_gap_s: float = 0.0
    longest_gap_places: int = 0
    level: LogLevel = LogLevel.UNKNOWN
    example: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class StageDuration:
    """How long a named stage of a pipeline took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StartupPhase:
    """How long a phase of the start took, such as the installation of an environment."""

    phase: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RunProfile:
    """The profile of one run of a program."""

    program: str = ""  # the job's name without what changes from run to run
    job: str = ""
    kind: str = ""
    ended_at: datetime | None = None  # None = under way
    lines: int = 0
    first_at_s: float = 0.0
    last_at_s: float = 0.0
    templates: tuple[LineTemplate, ...] = ()
    closing: tuple[tuple[str, ...], ...] = ()  # wordings of the last lines, oldest first
    stages: tuple[StageDuration, ...] = ()
    startup: tuple[StartupPhase, ...] = ()

    @property
    def lasted_s(self) -> float:
        return max(0.0, self.last_at_s - self.first_at_s)


class DifferenceKind(StrEnum):
    """How a run differs from the good ones."""

    NEW = "new"  # a line that no good run printed
    MISSING = "missing"  # lines that the good runs printed
    STOPPED = "stopped"  # lines that came regularly, and come no more
    COUNT = "count"
    DURATION = "duration"
    NOT_REACHED = "not-reached"  # the usual last lines


@dataclass(frozen=True, slots=True)
class RunDifference:
    """One difference from the good runs. `text`: a quoted line or template, as the job prints it.

    `comparison`: the values compared, in words; redact the text before it is shown.
    """

    kind: DifferenceKind
    text: str
    comparison: str = ""
    evidence: Evidence | None = None
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class RunComparison:
    """A run beside its good runs: the differences that matter, the most telling first."""

    good_runs: int
    differences: tuple[RunDifference, ...] = ()
    has_ended_as_usual: bool = True
