"""What one look asks beside the job tree. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import (
    newest_pipeline_attempt,
    pipeline_attempts,
)
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Job, JobState, JobTree
from babysitter.model.log import LogLevel, LogSource
from babysitter.model.memory import Memory
from babysitter.model.observation import Want
from babysitter.model.phase import Phase

MAX_LINES = 500  # of one question
REREAD_LINES = 1000
MAX_JOBS_WITH_TASKS = 8
LOST_CURSOR_S = 600.0  # silent for so long: the log service may have forgotten our cursor


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Lines of one source under the name by which their cursor is kept."""

    name: str
    source: LogSource
    at_most: int = MAX_LINES
    is_fresh: bool = False  # from the newest lines, whatever was read before
    only_later: bool = False  # drop lines older than the newest one read so far


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What to ask beside the tree."""

    tasks_of: tuple[JobId, ...] = ()
    questions: tuple[LogQuery, ...] = ()
    dumps: tuple[TaskId, ...] = ()
    worker_dumps_of: JobId | None = None
    is_reread: bool = False
    in_flood: LogQuery | None = None  # asked as well when more lines came than were read
    outdated: tuple[str, ...] = ()  # cursors that must not be gone on from: their lines are read another way


def plan_of(tree: JobTree, memory: Memory, now: datetime) -> QueryPlan:
    """What this look asks, given the tree and what the last verdict wants. Pure."""
    root, pipeline, wants = tree.root, newest_pipeline_attempt(tree), memory.wants
    has_ended = root.state.is_terminal
    is_reread = has_ended or Want.OLDER_LINES in wants
    is_first = memory.seen_at is None
    wants_tasks = has_ended or is_first or Want.TASKS in wants or Want.WORKER_DUMPS in wants
    coordinator = pipeline.coordinator if pipeline is not None else None
    is_up = coordinator is not None and coordinator.state is JobState.RUNNING
    questions, in_flood = _questions(tree, memory, now, is_reread=is_reread)
    dumps = [f"{coordinator.id}/0"] if coordinator and is_up and Want.COORDINATOR_DUMP in wants else []
    if Want.ROOT_DUMP in wants and root.state is JobState.RUNNING:
        dumps.append(f"{root.id}/0")
    return QueryPlan(
        tasks_of=_worth_their_tasks(tree, has_ended) if wants_tasks else (),
        questions=questions,
        in_flood=in_flood,
        outdated=("trouble",) if in_flood is not None else (),
        dumps=tuple(TaskId(dump) for dump in dumps),
        worker_dumps_of=_dumped(tree) if Want.WORKER_DUMPS in wants else None,
        is_reread=is_reread,
    )


def _dumped(tree: JobTree) -> JobId | None:
    """The job whose tasks do the work: the newest workers of a pipeline, else the root."""
    pipeline = newest_pipeline_attempt(tree)
    if pipeline is None:
        return tree.root.id if tree.root.state is JobState.RUNNING else None
    return pipeline.workers.id if pipeline.workers is not None else None


def _worth_their_tasks(tree: JobTree, has_ended: bool) -> tuple[JobId, ...]:
    """The root and the newest pipeline attempt; after the end every coordinator too, newest first."""
    jobs = [tree.root.id]
    for pipeline in reversed(pipeline_attempts(tree)):
        jobs.append(pipeline.coordinator.id)
        if pipeline.workers is not None:
            jobs.append(pipeline.workers.id)
        if not has_ended:
            break
    return tuple(dict.fromkeys(jobs))[:MAX_JOBS_WITH_TASKS]


def _questions(
    tree: JobTree, memory: Memory, now: datetime, *, is_reread: bool
) -> tuple[tuple[LogQuery, ...], LogQuery | None]:
    """What to read, and what to read beside it when that is too much.

    A job without a pipeline is read as a whole, in which its warnings and tracebacks are. Of a pipeline's
    logs only those and the coordinator's own lines are read.
    """
    root, pipeline = tree.root, newest_pipeline_attempt(tree)
    # Lines of an earlier run stay under the same keys when its name is used again.
    since = root.submitted_at - timedelta(seconds=1) if root.submitted_at else None
    trouble = LogSource(root.id, at_least=LogLevel.WARNING, since=since)
    everything = LogSource(root.id, since=since)
    if is_reread:
        return (
            LogQuery("trouble", trouble, REREAD_LINES, is_fresh=True),
            LogQuery("all", everything, REREAD_LINES, is_fresh=True),
        ), None
    is_fresh = _may_have_lost_cursors(root, memory, now)
    is_first = memory.seen_at is None
    newest_trouble = LogQuery("trouble", trouble, is_fresh=True, only_later=True)
    all_lines = LogQuery("all", everything, is_fresh=is_fresh, only_later=is_fresh)
    if pipeline is None and not is_first:
        return (all_lines,), newest_trouble
    was_whole = not is_first and not memory.cursors.get("trouble")  # until now all lines were read
    questions = [newest_trouble if is_fresh or was_whole else LogQuery("trouble", trouble)]
    if pipeline is not None:
        is_calm = memory.phase is Phase.STEADY and not memory.wants and not memory.blind_since
        is_resting = is_calm and memory.checks_in_phase % 2 == 1
        name = f"coordinator:{pipeline.coordinator.id}"
        if not is_resting or name not in memory.cursors:
            # The coordinator's own loggers, and not the thousand lines around them.
            source = LogSource(
                pipeline.coordinator.id,
                task=TaskId(f"{pipeline.coordinator.id}/0"),
                containing=" zephyr.",
                since=since,
            )
            questions.append(LogQuery(name, source, is_fresh=is_fresh, only_later=is_fresh or was_whole))
    if is_first:
        questions.append(all_lines)
    return tuple(questions), None


def _may_have_lost_cursors(root: Job, memory: Memory, now: datetime) -> bool:
    """After a restart of the log service a kept cursor may bring nothing for ever, without an error.

    So a silence is questioned afresh once every ten minutes that it lasts.
    """
    if memory.last_line_at is None or memory.looked_at is None or root.state.is_terminal:
        return False
    silent_s = (now - memory.last_line_at).total_seconds()
    before_s = (memory.looked_at - memory.last_line_at).total_seconds()
    return silent_s // LOST_CURSOR_S > max(0.0, before_s) // LOST_CURSOR_S
