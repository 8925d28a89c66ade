"""What a look at a quiet plain job may leave out: the list of its jobs, and its log while that is slow.

The states of a kept tree's jobs are asked at every look all the same (backends/batching.py), and its log is
read. What states do not show is a new child, and a try that ended and began again: both print lines under
a name of their own, or are found when the tree is listed anew.

Where the cluster takes seconds for each log request, many watches would wait for each other, and a failed
state would be noticed late. A look does not wait long for a log that was read not long ago.
"""

from collections.abc import Iterable
from datetime import datetime

from babysitter.diagnosis.timeline.job_kinds import kind_named
from babysitter.model.ids import job_of
from babysitter.model.job import JobTree
from babysitter.model.log import LogLine
from babysitter.model.phase import Phase
from babysitter.model.verdict import SignalKind
from babysitter.model.watch import Watch

OF_SILENCE = frozenset({SignalKind.QUIET, SignalKind.LINGERING})  # looked into, and then kept in mind
MAX_WAIT_SHARE = 1 / 8  # of the time since the log was last read, a look waits for its turn


def max_tree_age_s(watch: Watch) -> float:
    """Return how old the tree of this look may be; 0 = it must be listed now."""
    return watch.limits.tree_interval_s if is_quiet_plain(watch) else 0.0


def is_quiet_plain(watch: Watch) -> bool:
    """Return True for a steady job without children of its own that is at most suspected of being silent."""
    memory = watch.memory
    is_calm = memory.phase is Phase.STEADY and not (
        memory.wants or memory.blind_since or memory.gone_since or set(memory.suspicious_since) - OF_SILENCE
    )
    return is_calm and memory.newest_attempt == watch.root and not kind_named(memory.kind).has_crew


def shows_another_process(lines: Iterable[LogLine], tree: JobTree) -> bool:
    """Return True if a line comes from a job or a try that this tree does not hold yet."""
    tries = {job.id: job.failure_count + job.preemption_count + job.task_restarts for job in tree}
    return any(line.task and line.attempt > tries.get(job_of(line.task), -2) for line in lines)


def longest_log_wait_s(watch: Watch, now: datetime) -> float | None:
    """Return how long this look may wait for its turn at the log before it leaves the log out; None = always.

    The longer ago the log was read, the longer a look waits, so that all watches get their turn.
    """
    read_at = watch.memory.log_read_at
    if read_at is None or not is_quiet_plain(watch):
        return None
    age_s = (now - read_at).total_seconds()
    return age_s * MAX_WAIT_SHARE if 0 <= age_s < watch.limits.busy_log_interval_s else None
