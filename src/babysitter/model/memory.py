"""What a watch carries from check to check: enough to judge the next observation, bounded in size.

Serialised to JSON between checks, so every field has a default and old memories stay readable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from babysitter.model.finding import Cause, Finding
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import JobState
from babysitter.model.log import Cursor, LogLine, Role
from babysitter.model.member_line import MemberLine
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.progress import (
    CheckpointNote,
    CountedWork,
    ItemNote,
    KnownTexts,
    LeftOver,
    LossCourse,
    LostMember,
    MeasureNote,
    OnlyPolls,
    Progress,
    StagePace,
    StillCount,
    ToldQuiet,
)
from babysitter.model.run_profile import RunProfile
from babysitter.model.seen import Source
from babysitter.model.startup import StartupState
from babysitter.model.thread_dump import DumpSummary
from babysitter.model.value_course import ValueCourse


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """One error that ended tries of the job, told apart from others by its signature."""

    signature: str  # the text without what changes from try to try
    text: str
    tries: tuple[str, ...]  # which tries it ended: a job id, or task:attempt
    seen_at: datetime

    @property
    def count(self) -> int:
        return len(self.tries)


@dataclass(frozen=True, slots=True)
class WorkerLosses:
    """How many workers of a job had been lost at a moment (failed and preempted attempts together)."""

    job: JobId
    at: datetime
    total: int


@dataclass(frozen=True, slots=True)
class Memory:
    """The judgement's own notes. Only diagnosis/ writes it; everybody else reads the first block."""

    phase: Phase = Phase.PENDING
    phase_since_at: datetime | None = None  # None = never checked
    checks_in_phase: int = 0
    blind_since: Mapping[Source, datetime] = field(default_factory=dict)
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    wants: frozenset[Want] = frozenset()
    newest_attempt: JobId | None = None  # the coordinator (or root) job being judged
    generation: str = ""

    # the job
    kind: str = ""  # zephyr, training, plain; "" = not recognised yet
    root_state: JobState | None = None  # as last seen
    root_submitted_at: datetime | None = None  # another one = another run under the same name
    looked_at: datetime | None = None  # the last check, blind or not
    seen_at: datetime | None = None  # the last check that saw the tree
    clear_at: datetime | None = None  # the last check to which the cluster answered everything
    log_read_at: datetime | None = None  # the last answer of the log service
    gone_since: datetime | None = None  # the cluster does not know the job since then; None = it does
    seen_in_phase_s: float = 0.0  # blind time left out
    waiting_since_at: datetime | None = None  # waits for machines
    waited_at: datetime | None = None  # the last check that saw it wait for machines
    roles: Mapping[TaskId, Role] = field(default_factory=dict)  # of tasks that printed or were listed

    # its course
    stages: tuple[StagePace, ...] = ()  # oldest first, those of all pipelines
    progress: Progress | None = None  # the newest report
    advanced_at: datetime | None = None  # the last proof of progress of the newest attempt
    first_line_at: datetime | None = None
    last_line_at: datetime | None = None
    line_gap_s: float = 0.0  # the longest silence survived
    shutdown_at: datetime | None = None  # the newest coordinator said that its pipeline is over
    pipeline_tries: int = 0  # of the newest pipeline, by its own lines; 0 = the first
    shard_tries: int = 0  # of the shard that the newest coordinator gave up; 0 = none
    requeues: tuple[datetime, ...] = ()  # shards given to another worker, newest last
    losses: tuple[WorkerLosses, ...] = ()
    errors: tuple[ErrorNote, ...] = ()
    dumps: tuple[DumpSummary, ...] = ()
    peak_memory_bytes: int | None = None
    checkpoint: CheckpointNote | None = None  # the newest that its log speaks of

    # what its lines count, for programs that nobody told about
    work: CountedWork = field(default_factory=CountedWork)
    still_count: StillCount | None = None
    only_polls: OnlyPolls | None = None
    only_waits: OnlyPolls | None = None  # lines that wait for other processes, behind normal work
    only_idle: OnlyPolls | None = None  # status lines by which work waits and nothing runs
    told_quiet: ToldQuiet | None = None
    texts: KnownTexts = field(default_factory=KnownTexts)
    values: tuple[ValueCourse, ...] = ()  # named in its lines, those reported last at the end
    member_lines: tuple[MemberLine, ...] = ()  # by its members, those printed last at the end
    measures: tuple[MeasureNote, ...] = ()
    loss_courses: tuple[LossCourse, ...] = ()
    failed_items: tuple[ItemNote, ...] = ()
    lost_members: tuple[LostMember, ...] = ()  # by its lines, oldest first
    left_over: LeftOver | None = None  # by the newest listing of its pods
    startup: StartupState = field(default_factory=StartupState)

    # what is under suspicion, and what was said
    lines_read: int = 0  # positions of kept findings count from the first line ever read
    advanced_position: int | None = None  # of the last line that proves progress
    findings: tuple[Finding, ...] = ()  # worth remembering until progress overcomes them
    recent_lines: tuple[LogLine, ...] = ()  # context for rules that need several lines
    profile: RunProfile = field(
        default_factory=RunProfile
    )  # what it has printed, to be compared with other runs
    healthy_templates: tuple[str, ...] = ()  # of the lines that it printed while nothing was wrong
    suspicious_since: Mapping[str, datetime] = field(default_factory=dict)  # by signal kind
    suspected_at: Mapping[str, datetime] = field(default_factory=dict)  # the last check at which it was open
    examined_at: Mapping[str, datetime] = field(default_factory=dict)  # signals looked into without proof
    assessment_s: float = 180.0  # the rhythm in which progress is judged
    open_cause: Cause | None = None  # of the trouble that is confirmed and not over
    open_attempt: JobId | None = None
    blind_until_at: datetime | None = None  # end of the last blindness of the controller
