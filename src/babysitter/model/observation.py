"""Everything seen of a watch at one moment, and what could not be seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import JobTree
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import Cursor, LogLine
from babysitter.model.seen import Gone, Seen, Sight, Unseen
from babysitter.model.thread_dump import ThreadDump


class Want(StrEnum):
    """What the verdict asks the next observation to contain, beyond the tree and new lines."""

    TASKS = "tasks"  # tasks of every living job of the newest attempt
    COORDINATOR_DUMP = "coordinator-dump"
    ROOT_DUMP = "root-dump"  # of the job's own process
    WORKER_DUMPS = "worker-dumps"  # of workers that hold shards
    OLDER_LINES = "older-lines"  # a tail before the cursor: the first look, or after a gap
    WORKER_LINES = "worker-lines"  # the newest warnings and tracebacks of workers


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A log text and what a person tells beside it, where no cluster was asked: all that there will ever be.

    `first_line`: how many lines of the text stand before those of the observation. `dumps`: thread dumps of
    processes that nobody named.
    """

    text: bytes
    facts: JobFacts = field(default_factory=JobFacts)
    dumps: tuple[ThreadDump, ...] = ()
    source: str = "log"
    first_line: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """What one look brought. None = not asked for; Unseen = asked for and not seen.

    `lines`: new lines of the whole tree since the last look, oldest first; with `is_reread`, all that the
    log service still has (within a limit), so that what was read before comes again.
    `cursors`: where to continue, by the name of the question (engine/observe.py names them).
    """

    root: JobId
    taken_at: datetime  # UTC
    tree: Sight[JobTree] | Gone
    lines: Sight[tuple[LogLine, ...]] | None = None
    dumps: Mapping[TaskId, Sight[ThreadDump]] = field(default_factory=dict)
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    skipped_lines: int = 0
    is_reread: bool = False
    generation: str = ""
    excerpt: Excerpt | None = None  # this is not a cluster's answer but a text

    @property
    def blind_spots(self) -> tuple[Unseen, ...]:
        """Everything that was asked for and could not be seen."""
        sights: list[Sight[JobTree] | Gone | Sight[tuple[LogLine, ...]] | Sight[ThreadDump] | None]
        sights = [self.tree, self.lines, *self.dumps.values()]
        return tuple(sight for sight in sights if isinstance(sight, Unseen))

    @property
    def seen_tree(self) -> JobTree | None:
        return self.tree.value if isinstance(self.tree, Seen) else None

    @property
    def seen_lines(self) -> tuple[LogLine, ...]:
        return self.lines.value if isinstance(self.lines, Seen) else ()
