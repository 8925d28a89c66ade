"""What babysit can do with a cluster: a reader reads, a writer acts.

The check holds a reader only; a writer is given to the saga and to nobody else.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Job, JobState, JobTree, Task
from babysitter.model.log import Cursor, LogBatch, LogSource
from babysitter.model.machine import Machine
from babysitter.model.submission import Submission
from babysitter.model.thread_dump import ThreadDump
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a backend can do; data, so that nobody asks for its class."""

    dumps: bool = True
    cursors: bool = True
    prefix_logs: bool = True  # one question covers a job and its descendants
    status_text: bool = False  # tasks carry a progress report
    kept_submission: bool = True  # the cluster remembers how a job was submitted
    client_constants: frozenset[str] = frozenset()  # variables that every client sets to the same value
    tree_age_most_s: float = math.inf  # a kept tree is not older: states do not show what changed inside it
    submits: bool = True  # else its jobs are only watched: no restart is ever proposed


@dataclass(frozen=True, slots=True)
class ClusterInfo:
    """Who answers: shown by `doctor`, kept with recordings."""

    url: str
    generation: str  # april, may, august, ...
    transport: str  # rpc, cli, recording
    detail: str = ""


class ClusterReader(Protocol):
    """Looks at jobs of one cluster. Never changes anything.

    Every method raises a WorldError when it could not see, within a bounded time, and may be repeated.
    """

    @property
    def abilities(self) -> Abilities: ...

    async def about(self) -> ClusterInfo:
        """Which generation answers. Probed once, then remembered."""

    async def tree(self, root: JobId, *, tasks_of: Collection[JobId] = (), max_age_s: float = 0.0) -> JobTree:
        """The job and all its descendants as of now, oldest submission first.

        Tasks are filled for the jobs named in `tasks_of` that exist. With `max_age_s` an earlier answer of at
        most that age may be given again while the states of all its jobs are what they were; counts,
        reasons and new descendants may then be missing from it. Raises NoSuchJob only when the cluster
        positively said so: an empty answer is confirmed by a second question.
        """

    async def find(self, job: JobId) -> Job | None:
        """Exactly this job, or None when the cluster positively does not know it. Raises when blind."""

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        """States of many jobs in one question; unknown ids are missing from the answer."""

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        """Tasks of one job, with whatever attempts and usage the generation tells."""

    async def task(self, task: TaskId) -> Task | None:
        """One task with all its attempts, memory use and status text, where the generation has them."""

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,
    ) -> LogBatch:
        """New lines after the cursor, oldest first; with `newest`, the last `at_most` that match.

        Never skips silently: `batch.is_full` says that more may wait, `batch.skipped` how many were left out.
        A cursor that the log service lost is noticed by the caller through `batch.cursor`. Raises TooBusy,
        with nothing asked, where the turn of this request would probably come later than `may_wait_s`; given,
        the job is quiet, and a backend of many files may read some of them at a later look.
        """

    async def dump(self, task: TaskId) -> ThreadDump:
        """What every thread of the task's process (and its children) is doing. 0.05 to 1.5 s."""

    async def submission(self, job: JobId) -> Submission | None:
        """How the job was submitted, as the cluster remembers it; None when it does not."""

    async def close(self) -> None:
        """Give back connections, tunnels, processes."""


@runtime_checkable
class Overview(Protocol):
    """Looks over a whole cluster, where a backend can: for people and programs that look around.

    The loop never needs it. Raises a WorldError when it could not see; may be repeated.
    """

    async def roots(self, prefix: str, *, since: datetime | None = None) -> tuple[Job, ...]:
        """Root jobs whose id begins with these characters, newest submission first.

        With `since`, those submitted earlier may be missing, and so may the oldest where a cluster holds
        more jobs than it lists; without it too many are an InvalidResponse.
        """

    async def workers(self) -> tuple[Machine, ...]:
        """Every machine that the cluster knows."""


class ClusterWriter(Protocol):
    """Acts on jobs of one cluster. Held by the saga only; nothing here is ever retried blindly."""

    async def stop(self, job: JobId) -> None:
        """Stop exactly this job (the cluster takes its descendants with it). Idempotent.

        Raises NoSuchJob, or a WorldError when it is not known whether it was stopped.
        """

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:
        """Faults of this submission as far as they can be known from here, without changing anything.

        Asked before a restart is proposed and again before the old job is stopped, so that no job is
        stopped that cannot be started again. Bounded in time. Never raises for a cluster that does not
        answer: what could not be asked is a finding `not-checked`.
        """

    async def by_hand(self, submission: Submission) -> str:
        """The command line with which a person makes the same submission in a shell.

        Values that come from the environment are written as variables of that shell. Never raises: "" where
        there is no such command.
        """

    async def submit(self, submission: Submission) -> JobId:
        """Start the job under `submission.job`'s name and return its id.

        Raises Refused when the cluster said no, another WorldError when it is not known
        whether the job exists now: look for it by name before trying again.
        """
