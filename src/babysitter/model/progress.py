"""How far a job is: one sample of its own report, in numbers."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from babysitter.model.ids import JobId
from babysitter.model.log import LogLine


class Motion(StrEnum):
    """What the samples of a stage say over time."""

    NOT_STARTED = "not-started"
    ADVANCING = "advancing"
    SLOW = "slow"
    STRAGGLING = "straggling"
    STUCK = "stuck"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CheckpointNote:
    """A checkpoint that a trainer's log speaks of. `is_done`: the line says that it was saved completely.

    `at`: when the line was logged, None where the log service does not say.
    """

    text: str
    at: datetime | None = None
    step: int | None = None
    is_done: bool = True


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


@dataclass(frozen=True, slots=True)
class StagePace:
    """The course of one stage, folded from its reports. All times are those inside the lines.

    `gaps_s`: seconds per completed shard, newest last; `longest_gap_s`: the longest wait for a completion
    that the stage has survived.
    """

    label: str
    owner: JobId  # the coordinator (or plain job) that reports
    execution: str = ""
    number: int | None = None
    done: int = 0
    total: int = 0
    started_at: datetime | None = None  # first report or announcement
    first_done_at: datetime | None = None
    last_done_at: datetime | None = None
    reported_at: datetime | None = None  # newest report
    drained_at: datetime | None = None  # since when nothing is queued; None = something is, or not told
    gaps_s: tuple[float, ...] = ()
    longest_gap_s: float = 0.0
    in_flight: int | None = None
    queued: int | None = None
    alive: int | None = None
    workers: int | None = None
    gone: int | None = None
    ended_at: datetime | None = None  # a later stage reports, or its coordinator ended

    @property
    def is_under_way(self) -> bool:
        """Whether more is to come; a run that tells no total goes on until it ends."""
        return self.ended_at is None and (self.done < self.total or (not self.total and self.done > 0))

    @property
    def reached(self) -> str:
        """How far it is, in words."""
        return f"{self.done} of {self.total}" if self.total else f"{self.done}"


@dataclass(frozen=True, slots=True)
class StillCount:
    """A count that was reported again and again and did not rise. `first` and `last`: two of the reports."""

    value: float
    reports: int
    still_s: float
    last_at: datetime | None
    first: LogLine
    first_position: int = 0
    last: LogLine | None = None  # None = it stands in an earlier look
    last_position: int = 0
    total: float | None = None
    is_training_step: bool = False


@dataclass(frozen=True, slots=True)
class OnlyPolls:
    """A line, and behind it only lines that show no work: a server's polls, or lines that wait."""

    began: LogLine
    began_position: int
    began_at: datetime | None
    polls: int = 0
    last: LogLine | None = None
    last_position: int = 0
    last_at: datetime | None = None

    @property
    def polled_s(self) -> float:
        if self.began_at is None or self.last_at is None:
            return 0.0
        return (self.last_at - self.began_at).total_seconds()


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """What a job has printed, to tell new lines from repeated ones. Times are seconds on the lines' clock.

    `marks`: checksums of messages, of the one printed longest ago first. `new_at_s`: of the newest line that
    was new, None = none was. `longest_gap_s`: between two of those. `repeats`: lines since the newest.
    """

    marks: tuple[int, ...] = ()
    new_at_s: float | None = None
    longest_gap_s: float = 0.0
    repeats: int = 0
    last_at_s: float = 0.0  # of the newest line
    since_new: tuple[int, ...] = ()  # which of them were repeated since the newest

    @property
    def repeated_for_s(self) -> float:
        """From the newest line that was new to the newest line."""
        return 0.0 if self.new_at_s is None else self.last_at_s - self.new_at_s


@dataclass(frozen=True, slots=True)
class StandStill:
    """Since when a count has not risen. `place` and `text`: the line that reported it first."""

    place: int
    at_s: float | None
    text: str
    value: float
    reports: int  # that first line included


@dataclass(frozen=True, slots=True)
class CountAt:
    """What a count had reached: the time is seconds on the lines' clock, the place that of the line."""

    value: float
    at_s: float
    place: int


@dataclass(frozen=True, slots=True)
class CountNote:
    """How far one number of one wording is, of one speaker.

    `kind`: why it counts work (see diagnosis/timeline/counts/numbers.py). `highest`: since it began (again).
    `longest_gap_s`: the longest time between two values. `course`: reports of work that have a time, since
    it began (again), oldest first; of many those at which the pace changed.
    """

    template: str
    slot: int
    kind: str
    speaker: str
    total: float | None  # None = not a fraction
    value: float
    highest: float
    still: StandStill
    last_place: int
    last_at_s: float | None
    reports: int = 1
    has_counted: bool = False  # it rose at least once
    is_monotone: bool = True  # it rose at every report
    longest_gap_s: float = 0.0
    course: tuple[CountAt, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedWork:
    """What the numbers in a job's lines have counted so far. Times are seconds on the lines' clock.

    `gaps_s`: between the newest rises, newest last; `longest_gap_s`: the longest pause that the job survived.
    """

    counts: tuple[CountNote, ...] = ()
    rises: int = 0
    risen_at_s: float | None = None
    gaps_s: tuple[float, ...] = ()
    longest_gap_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ToldQuiet:
    """A line that says for how long no work was done."""

    quiet_s: float
    line: LogLine
    position: int


@dataclass(frozen=True, slots=True)
class MeasureNote:
    """A measured value, such as a loss, as one speaker reports it.

    `bad_reports`: at the end, unbroken, that were NaN or infinite; places and texts are of the first and the
    last of them. `finite_place`: of the last finite one.
    """

    name: str
    speaker: str = ""
    finite_reports: int = 0
    finite_place: int = -1
    bad_reports: int = 0
    first_place: int = -1
    first_text: str = ""
    last_place: int = -1
    last_text: str = ""


@dataclass(frozen=True, slots=True)
class LossReport:
    """One finite value of a loss, of a perplexity its logarithm. `step`: None where the line names none."""

    place: int
    value: float
    text: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class LossCourse:
    """The newest reports of one loss or gradient norm, oldest first. `series`: the wording, "|", the name."""

    series: str
    speaker: str = ""
    reports: tuple[LossReport, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemNote:
    """How often failures have named one thing: shard 1, worker w-7, exit code -9."""

    kind: str
    name: str
    failures: int = 0

    @property
    def label(self) -> str:
        """As a person says it: "shard 1", "exit code -9"."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class LostMember:
    """A line that reports a member of the job lost. `form`: its words without names and numbers.

    `name`: "" where the line says that the job itself ends. `at_s`: on the lines' clock;
    None where they have no time.
    """

    form: str
    name: str
    place: int
    at_s: float | None
    text: str


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A listing of pods in which some still run and the others are done.

    `names`: the first of those that run. `age_s`: of the youngest pod. `rows`: the first places and texts, of
    those that run first. `running`: how many run.
    """

    names: tuple[str, ...]
    done: int
    age_s: float
    rows: tuple[tuple[int, str], ...]
    running: int = 0
