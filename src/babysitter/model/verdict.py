"""The outcome of a check: phase, diagnosis or none, when to look again and at what, and why."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.ids import JobId, RuleId
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.run_profile import RunComparison, RunDifference
from babysitter.model.seen import Gone, Unseen


class SignalKind(StrEnum):
    """A fact over time that might mean trouble."""

    NOT_UP_YET = "not-up-yet"  # smoke allowance running or gone
    PENDING_LONG = "pending-long"
    NEVER_PLACED = "never-placed"  # as asked for, no machine can ever take it
    QUIET = "quiet"
    STUCK = "stuck"
    STRAGGLING = "straggling"
    CHURN = "churn"
    ZOMBIE_LIKE = "zombie-like"
    LINGERING = "lingering"  # the root's own process seems to have outlived its program
    TWO_COORDINATORS = "two-coordinators"
    RETRYING = "retrying"  # the job's own recovery is at work
    ERRORS = "errors"  # fatal-looking lines not yet confirmed


@dataclass(frozen=True, slots=True)
class Signal:
    kind: SignalKind
    since_at: datetime
    explanation: str
    evidence: tuple[Evidence, ...] = ()


# Why a change is made that corrects nothing.
MORE_DETAIL = "the evidence does not name the cause; more lines may"
UNSURE_BELOW = 0.7  # of the confidence that is shown: what a hint that names its cause has


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a restart-with-change changes."""

    what: str  # memory, disk, max-retries, region, tpu, extra, env.NAME, flag.NAME, exclude-host
    before: str  # "" = not set
    after: str
    why: str  # with the measured number that justifies it


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The one cause held responsible, and the evidence that decided."""

    cause: Cause
    severity: Severity
    action: ActionKind
    explanation: str  # one or two sentences for a person
    confidence: float = 0.8
    evidence: tuple[Evidence, ...] = ()
    cascade: tuple[Evidence, ...] = ()  # what merely followed
    retry: Retry = Retry.UNKNOWN
    rules: tuple[RuleId, ...] = ()
    change: Change | None = None
    further_changes: tuple[Change, ...] = ()  # beside `change`, where somebody asks for several
    machine: str = ""  # the machine held responsible, where one is
    look_at: tuple[str, ...] = ()
    advice: str = ""  # of the deciding rule, for a person; "" = that of the cause's row
    rivals: tuple[Cause, ...] = ()  # other causes that speak nearly as clearly and stay unexplained
    differences: tuple[RunDifference, ...] = ()  # from the last good runs, the most telling first
    likelihood: float | None = None  # by rules and lines together; None where lines were not read
    is_proven: bool = False  # a rule found what nothing but this cause prints
    exception: str = ""  # the job's own that ended it, "BadHeader: magic 0x0"; "" = see the evidence
    title: str = ""  # of its card, where the cause's own would mislead; "" = the cause's

    @property
    def needs_own_change(self) -> bool:
        """Whether it fails again until its owner changes something that no submission could express."""
        is_advised = self.action is ActionKind.RESTART_WITH_CHANGE
        return is_advised and self.change is None and about(self.cause).repeat_fails


GUESSED = "A guess, because no rule explains it: "  # begins the explanation of what only words point to
DEMOTED = ".demoted"  # ends the name of the reason that says that a rule counts as a hint


@dataclass(frozen=True, slots=True)
class Reason:
    """A named argument for a verdict or for its absence; `explain` prints them."""

    name: str  # e.g. "zombie.main-thread-in-shutdown"
    holds: bool
    text: str  # with the values compared


@dataclass(frozen=True, slots=True)
class StageProgressSummary:
    """One stage as a person sees it; `done` of a finished stage is its total."""

    label: str
    done: int
    total: int
    is_current: bool
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProgressSummary:
    """What a person sees of the job right now."""

    summary: str  # one line
    job_state: JobState | None = None  # None = not seen yet
    stages: tuple[StageProgressSummary, ...] = ()
    eta_s: float | None = None  # None = cannot tell
    rate_per_min: float | None = None  # shards (or steps) per minute
    alive: int | None = None
    workers: int | None = None
    pipeline: int | None = None  # 0-based number of the current pipeline
    retries: int = 0  # the job's own, so far
    peak_memory_bytes: int | None = None
    last_line_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    startup: str = ""  # where its start stands; "" = nobody knows its phases
    failed_children: tuple[str, ...] = ()  # of an ended job: name, state, first line of the error
    stage_count: int | None = None  # of all its pipelines so far; None = it has none


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check concluded. `memory` is what to carry to the next."""

    phase: Phase
    memory: Memory
    next_check_s: float
    outlook: ProgressSummary
    diagnosis: Diagnosis | None = None  # None = nothing is wrong
    attempt: JobId | None = None  # the attempt (coordinator or root job) the diagnosis is about
    signals: tuple[Signal, ...] = ()
    blind: tuple[Unseen, ...] = ()
    gone: Gone | None = None  # the cluster does not know the job any more
    wants: frozenset[Want] = frozenset()
    reasons: tuple[Reason, ...] = ()
    recovered: bool = False  # the job's own retry has overcome what was wrong before
    two_coordinators: bool = False  # while it holds nothing may be restarted
    healing: bool = False  # the job's own recovery is under way
    comparison: RunComparison | None = None  # with good runs; None = none is known
    trail: tuple[Phase, ...] = field(default=())  # phases passed through within this check, in order

    @property
    def is_judged(self) -> bool:
        """Whether the job was seen; else nothing about it may be concluded."""
        return not self.blind and self.gone is None

    @property
    def cause(self) -> Cause:
        return self.diagnosis.cause if self.diagnosis else Cause.HEALTHY

    @property
    def severity(self) -> Severity:
        return self.diagnosis.severity if self.diagnosis else Severity.BENIGN

    @property
    def action(self) -> ActionKind:
        return self.diagnosis.action if self.diagnosis else ActionKind.IGNORE
