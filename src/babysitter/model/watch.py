"""Our promise to look after one root job; outlives crashes and restarts."""

from dataclasses import dataclass, field
from datetime import datetime

from babysitter.model.ids import JobId, Person, WatchId
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.submission import Submission, SubmitContext
from babysitter.model.verdict import ProgressSummary


@dataclass(frozen=True, slots=True)
class UnfinishedWatch:
    """As much of a watch that is still to be checked as a list of all of them needs."""

    id: WatchId
    root: JobId
    cluster: str
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Watch:
    """`root` is the job being watched now; after a restart it is the successor, and `first_root` stays."""

    id: WatchId
    root: JobId
    first_root: JobId
    cluster: str  # a key of the clusters that engine/cluster_pool.py opens
    kind: str  # zephyr, plain, training, ...; "auto" until recognised
    created_at: datetime
    due_at: datetime | None  # None = nothing to do any more
    memory: Memory = field(default_factory=Memory)
    limits: Limits = field(default_factory=Limits)
    resubmit: Submission | None = None  # the command that a person gave
    submit_context: SubmitContext = field(default_factory=SubmitContext)
    owner: Person | None = None
    outlook: ProgressSummary | None = None
    last_checked_at: datetime | None = None
    restarts: int = 0
    stopped_at: datetime | None = None  # a person said: stop watching
    trouble: str = ""  # why the last check itself failed, one sentence
    fence: int = 0
    follow: str = ""  # the follow that began it; "" = a person or a program did
    revision: int = 0  # of the stored row; a writer that read an older one is refused

    @property
    def phase(self) -> Phase:
        return self.memory.phase


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another active watch of the same cluster, and what it last saw of the cluster."""

    id: WatchId
    root: JobId
    phase: Phase
    clear_at: datetime | None  # its last check to which the cluster answered everything
    gone_since: datetime | None  # its job is missing since then
