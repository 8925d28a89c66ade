"""Log lines, where they come from, and where to continue reading."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, NewType

from babysitter.model.ids import JobId, TaskId

Cursor = NewType("Cursor", str)  # opaque: where to continue reading


class Role(StrEnum):
    """Which process of a pipeline a line, a dump or a job belongs to."""

    PARENT = "parent"
    COORDINATOR = "coordinator"
    WORKER = "worker"
    OTHER = "other"


class LogLevel(StrEnum):
    """Severity the logger wrote. UNKNOWN: a print, a traceback line, another format."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"
    UNKNOWN = "unknown"

    @property
    def is_severe(self) -> bool:
        """Whether the logger calls the line an error or worse."""
        return self in (LogLevel.ERROR, LogLevel.CRITICAL)

    @property
    def is_mild(self) -> bool:
        """Whether the logger calls the line a warning or less."""
        return self in (LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING)


@dataclass(frozen=True, slots=True)
class LogSource:
    """Whose lines to read.

    `job`: the lines of a job and all its descendants, or of the job's own tasks only. `task`: one
    task, all attempts unless `attempt` says which. `containing`: only lines with this literal text.
    `at_least`: drop lines of a known lower level (lines of unknown level always stay). `since`: only
    lines after this moment.
    """

    job: JobId
    include_children: bool = True
    task: TaskId | None = None
    attempt: int | None = None
    containing: str = ""
    at_least: LogLevel | None = None
    since: datetime | None = None


class LogLine(NamedTuple):
    """One line as the log service keeps it (a NamedTuple because thousands are made at a time).

    `at_ms`: epoch milliseconds of the entry, 0 when the service did not say; the time *inside* the
    text is more exact. `task`: full task id; `attempt`: -1 when unknown.
    """

    text: str
    at_ms: int = 0
    task: TaskId = TaskId("")
    attempt: int = -1
    level: LogLevel = LogLevel.UNKNOWN
    stream: str = ""  # stdout, stderr, build, error, process


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Lines of one source, oldest first, and the cursor to continue from."""

    lines: tuple[LogLine, ...]
    cursor: Cursor | None
    skipped: int = 0  # lines known to exist between the cursor asked for and the first line here
    is_full: bool = False  # as many lines as asked for came back: more may wait
