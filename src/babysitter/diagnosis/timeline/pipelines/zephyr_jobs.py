"""Names of the jobs that a Zephyr run creates -> role, context, pipeline, attempt.

.../zephyr-<context>-<hash>-p<N>-a<A>                                   coordinator (April, May 2026)
.../zephyr-<context>-<hash>-p<N>-workers-a<K>                           its workers
...-<hash>-p<N>-coord-a<A>, ...-<hash>-p<N>-a<A>-coord, ...-coord       coordinators before March 2026
.../zephyr-<context>-<hash>-coordinator-<pool>[-workers]                August 2026
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState, JobTree
from babysitter.model.log import Role

_NUMBERED = re.compile(
    r"^(?P<context>.*?)-(?P<hash>[0-9a-f]{8})-p(?P<pipeline>\d+)"
    r"(?:-(?P<role>coord|workers))?-a(?P<attempt>\d+)(?:-(?P<role2>coord|workers))?$"
)
_POOLED = re.compile(
    r"^(?P<context>.*?)-(?P<hash>[0-9a-f]{8})-coordinator-(?P<pool>[0-9a-z]{4,16})(?P<workers>-workers)?$"
)
_OLD = re.compile(r"^(?P<context>zephyr-.+?)-(?P<role>coord|workers)(?:-(?P<attempt>\d+))?$")


@dataclass(frozen=True, slots=True)
class ChildName:
    """What a child job's name says. Numbers that the generation's names do not carry are None."""

    role: Role
    context: str  # of the program; a restarted parent gives the same context another hash
    hash: str = ""
    pipeline: int | None = None
    attempt: int | None = None  # of workers: the coordinator task's own attempt
    pool: str = ""


def read_name(name: str) -> ChildName | None:
    """The parts of a Zephyr job's name (its last segment); None for any other name."""
    if found := _NUMBERED.match(name):
        is_worker = "workers" in (found["role"], found["role2"])
        return ChildName(
            Role.WORKER if is_worker else Role.COORDINATOR,
            found["context"],
            found["hash"],
            int(found["pipeline"]),
            int(found["attempt"]),
        )
    if found := _POOLED.match(name):
        role = Role.WORKER if found["workers"] else Role.COORDINATOR
        return ChildName(role, found["context"], found["hash"], pool=found["pool"])
    if found := _OLD.match(name):
        role = Role.WORKER if found["role"] == "workers" else Role.COORDINATOR
        attempt = int(found["attempt"]) if found["attempt"] else None
        return ChildName(role, found["context"], attempt=attempt)
    return None


@dataclass(frozen=True, slots=True)
class PipelineAttempt:
    """A coordinator and its workers; `workers` is None before they are asked for."""

    coordinator: Job
    name: ChildName
    workers: Job | None = None

    @property
    def is_living(self) -> bool:
        return not self.coordinator.state.is_terminal


def role_of(job: JobId, root: JobId) -> Role:
    """Which part a job plays; the root is the parent unless its own name says otherwise."""
    name = read_name(job.rpartition("/")[2])
    if name is not None:
        return name.role
    return Role.PARENT if job == root else Role.OTHER


def pipeline_attempts(tree: JobTree) -> tuple[PipelineAttempt, ...]:
    """Every coordinator of a tree with its newest workers, oldest submission first."""
    named = [(job, read_name(job.name)) for job in tree]
    workers = [(job, name) for job, name in named if name is not None and name.role is Role.WORKER]
    found: list[PipelineAttempt] = []
    for job, name in named:
        if name is None or name.role is not Role.COORDINATOR:
            continue
        below = [worker for worker, _ in workers if worker.id.startswith(job.id + "/")]
        beside = [
            worker for worker, its in workers if _is_beside(worker, job) and _belong_together(its, name)
        ]
        its_workers = below or beside
        found.append(PipelineAttempt(job, name, its_workers[-1] if its_workers else None))
    return tuple(found)


def _is_beside(one: Job, other: Job) -> bool:
    return one.id.rpartition("/")[0] == other.id.rpartition("/")[0]


def _belong_together(one: ChildName, other: ChildName) -> bool:
    return (one.context, one.hash, one.pipeline, one.pool) == (
        other.context,
        other.hash,
        other.pipeline,
        other.pool,
    )


def newest_pipeline_attempt(tree: JobTree) -> PipelineAttempt | None:
    """The pipeline attempt to judge: the one submitted last."""
    found = pipeline_attempts(tree)
    return found[-1] if found else None


def tried_again(tree: JobTree) -> int:
    """How many coordinators took over from one that ended badly, where names carry no attempts but pools."""
    pools = [pipeline for pipeline in pipeline_attempts(tree) if pipeline.name.pool]
    return sum(
        older.coordinator.state.ended_badly and older.name.hash == newer.name.hash
        for older, newer in pairwise(pools)
    )


def writes_beside(older: PipelineAttempt, newer: PipelineAttempt, *, parent_was_restarted: bool) -> bool:
    """Whether both do the same work at once, if both are alive.

    The same pipeline in a newer attempt does. Another pipeline of the same run does not. Another hash is
    another context, which a program may well use beside the first, unless its parent was restarted.
    """
    if older.name.context != newer.name.context:
        return False
    if older.name.hash == newer.name.hash:
        if older.name.pool or newer.name.pool:
            return older.name.pool != newer.name.pool
        return older.name.pipeline == newer.name.pipeline
    return parent_was_restarted


def older_at_work(tree: JobTree) -> tuple[PipelineAttempt, ...]:
    """Coordinators that still run beside a newer one which does the same work."""
    found = pipeline_attempts(tree)
    if not found:
        return ()
    newest = found[-1]
    restarted = was_restarted(tree.root)
    return tuple(
        pipeline
        for pipeline in found[:-1]
        if pipeline.coordinator.state in (JobState.RUNNING, JobState.BUILDING)
        and newest.is_living
        and writes_beside(pipeline, newest, parent_was_restarted=restarted)
    )


def was_restarted(root: Job) -> bool:
    """Whether the root's own process was lost and tried again."""
    tries = max((task.current_attempt for task in root.tasks or ()), default=0)
    return root.failure_count > 0 or root.preemption_count > 0 or tries > 0
