"""What to ask now, and the answers as one Observation. Asks little while all is well.

In steady state a look at a plain job costs one question, its log by cursor; its state comes with those of all
other watched jobs, and its tree is listed every ten minutes. A look at a pipeline costs two or three: the job
tree, the warnings and tracebacks of the whole tree by cursor, and every other time the coordinator's own
lines. Everything else is asked because the last verdict wants it, or because the root has ended and its
whole story is needed once.

A WorldError becomes an Unseen here and NoSuchJob becomes a Gone; neither travels further.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from babysitter.backends.backend import ClusterReader
from babysitter.clock import Clock
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.engine.observation_plan import LogQuery, QueryPlan, plan_of
from babysitter.engine.quiet_checks import (
    longest_log_wait_s,
    max_tree_age_s,
    shows_another_process,
)
from babysitter.errors import ExternalError, NoSuchJob, TooBusy
from babysitter.model.ids import JobId, TaskId, group_of
from babysitter.model.job import Job, JobTree, Task, TaskState
from babysitter.model.log import Cursor, LogBatch, LogLine
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.seen import Gone, Seen, Sight, Source, Unseen
from babysitter.model.thread_dump import ThreadDump
from babysitter.model.watch import Watch

FIRST_LINES = 300
MAX_PAGES = 3  # more waits for the next look; errors come by their own question
MAX_WORKER_DUMPS = 4
MAX_MEMBER_DUMPS = 16  # processes of one job that wait for each other

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Read:
    lines: tuple[LogLine, ...] = ()
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    skipped: int = 0
    is_flood: bool = False


async def observe(watch: Watch, reader: ClusterReader, clock: Clock) -> Observation:
    """Everything that this look of the watch needs. A job that the cluster does not know is `Gone`."""
    memory, now = watch.memory, clock.now()
    max_age_s = max_tree_age_s(watch)
    try:
        tree = await reader.tree(watch.root, max_age_s=max_age_s)
        plan = plan_of(tree, memory, now)
        tasks, read = await asyncio.gather(
            _tasks(plan.tasks_of, reader), _read_log(plan, watch, reader, clock)
        )
        if max_age_s and isinstance(read, Seen) and shows_another_process(read.value.lines, tree):
            tree = await reader.tree(watch.root)
    except NoSuchJob as fault:
        return Observation(watch.root, now, Gone(fault.sentence, now, (watch.root,)))
    except ExternalError as fault:
        return blind_observation(watch, now, fault.sentence)
    tree = _with_tasks(tree, tasks)
    targets = dict.fromkeys((*plan.dumps, *_holders(tree, plan.worker_dumps_of)))
    dumps = await _dumps(tuple(targets), reader, memory, clock)
    seen = read.value if isinstance(read, Seen) else _Read()
    return Observation(
        root=watch.root,
        taken_at=clock.now(),
        tree=Seen(tree, now),
        lines=Seen(seen.lines, read.at) if isinstance(read, Seen) else read,
        dumps=dumps,
        cursors=seen.cursors,
        skipped_lines=seen.skipped,
        is_reread=plan.is_reread and isinstance(read, Seen),
        generation=memory.generation or (await _generation(reader)),
    )


async def _read_log(plan: QueryPlan, watch: Watch, reader: ClusterReader, clock: Clock) -> "Sight[_Read]":
    """The lines that the plan asks for; none, as of the last reading, where the log is slow."""
    memory, read_at = watch.memory, watch.memory.log_read_at
    may_wait_s = None if plan.is_reread else longest_log_wait_s(watch, clock.now())
    try:
        lines = _lines(plan, memory, reader, may_wait_s)
        return await _see(lines, Source.LOGS, memory, clock)
    except TooBusy:
        assert read_at is not None, "else it may wait"
        return Seen(_Read(), read_at)


async def _lines(plan: QueryPlan, memory: Memory, reader: ClusterReader, may_wait_s: float | None) -> _Read:
    """The answers to all questions, each line once, in the order of their arrival."""
    asked = (_answer(question, memory, reader, may_wait_s) for question in plan.questions)
    reads = await asyncio.gather(*asked)
    if plan.in_flood is not None and any(read.is_flood for read in reads):
        reads.append(await _answer(plan.in_flood, memory, reader, None))
    merged: list[LogLine] = []
    counted: Counter[tuple[object, ...]] = Counter()
    for read in reads:
        here: Counter[tuple[object, ...]] = Counter()
        for line in read.lines:
            key = (line.task, line.attempt, line.at_ms, line.text)
            here[key] += 1
            if here[key] > counted[key]:
                counted[key] += 1
                merged.append(line)
    merged.sort(key=lambda line: line.at_ms)
    cursors = {name: cursor for read in reads for name, cursor in read.cursors.items()}
    cursors |= dict.fromkeys(plan.outdated, Cursor(""))
    return _Read(tuple(merged), cursors, sum(read.skipped for read in reads))


async def _answer(
    question: LogQuery, memory: Memory, reader: ClusterReader, may_wait_s: float | None
) -> _Read:
    """New lines of one source: by cursor, page after page; at first, and after a gap, the newest."""
    after = None if question.is_fresh else memory.cursors.get(question.name) or None
    if after is None:
        at_most = question.at_most if question.is_fresh else min(question.at_most, FIRST_LINES)
        batch = await reader.lines(
            question.source, after=None, at_most=at_most, newest=True, may_wait_s=may_wait_s
        )
        lines = batch.lines
        if question.only_later and memory.last_line_at is not None:
            lines = _later_than(lines, memory.last_line_at)
        return _Read(lines, _kept(question, batch), batch.skipped)
    lines, skipped, is_flood = (), 0, False
    for page in range(MAX_PAGES):
        wait_s = may_wait_s if page == 0 else None
        batch = await reader.lines(question.source, after=after, at_most=question.at_most, may_wait_s=wait_s)
        lines += batch.lines
        skipped += batch.skipped
        after = batch.cursor or after
        if not batch.is_full:
            break
    else:  # a flood: go on from the newest lines, and say how much is known to be missing
        batch = await reader.lines(question.source, after=after, at_most=question.at_most, newest=True)
        lines += batch.lines
        skipped += max(batch.skipped, 1) if batch.is_full else batch.skipped
        after = batch.cursor or after
        is_flood = True
    return _Read(lines, {question.name: after}, skipped, is_flood)


def _kept(question: LogQuery, batch: LogBatch) -> dict[str, Cursor]:
    """Where to go on; none when the answer does not say."""
    return {} if batch.cursor is None else {question.name: batch.cursor}


def _later_than(lines: Sequence[LogLine], moment: datetime) -> tuple[LogLine, ...]:
    return tuple(line for line in lines if line.at_ms > moment.timestamp() * 1000)


async def _tasks(jobs: Sequence[JobId], reader: ClusterReader) -> dict[JobId, tuple[Task, ...]]:
    """Tasks of the jobs whose tasks could be read; what cannot is simply not known at this look."""

    async def tasks_of(job: JobId) -> tuple[Task, ...] | None:
        try:
            return await reader.tasks(job)
        except (ExternalError, NoSuchJob):
            return None

    answers = await asyncio.gather(*(tasks_of(job) for job in jobs))
    return {job: tasks for job, tasks in zip(jobs, answers, strict=True) if tasks}


def _with_tasks(tree: JobTree, tasks: Mapping[JobId, tuple[Task, ...]]) -> JobTree:
    def filled(job: Job) -> Job:
        return replace(job, tasks=tasks[job.id]) if job.id in tasks else job

    return JobTree(filled(tree.root), tuple(filled(job) for job in tree.descendants))


def _holders(tree: JobTree, workers: JobId | None) -> tuple[TaskId, ...]:
    """Running workers that probably hold a shard: those whose status does not say idle come first.

    Of a job without a pipeline its processes; those of which it has most come first.
    """
    job = tree.find(workers) if workers is not None else None
    running = [task for task in (job.tasks or ()) if task.state is TaskState.RUNNING] if job else []
    if job is not None and job.id == tree.root.id:
        groups = Counter(group_of(task.id) for task in running)
        running.sort(key=lambda task: -groups[group_of(task.id)])
        return tuple(task.id for task in running[:MAX_MEMBER_DUMPS])
    running.sort(key=lambda task: task.status_text.strip().lower() == "idle")
    return tuple(task.id for task in running[:MAX_WORKER_DUMPS])


async def _dumps(
    targets: Sequence[TaskId], reader: ClusterReader, memory: Memory, clock: Clock
) -> dict[TaskId, Sight[ThreadDump]]:
    async def dump(task: TaskId) -> Sight[ThreadDump]:
        sight = await _see(reader.dump(task), Source.DUMP, memory, clock)
        if isinstance(sight, Unseen) or sight.value.processes:
            return sight
        return Seen(read_dump(sight.value.text, task, sight.value.taken_at), sight.at)

    found = await asyncio.gather(*(dump(task) for task in targets))
    return dict(zip(targets, found, strict=True))


async def _see(looking: Awaitable[T], source: Source, memory: Memory, clock: Clock) -> Sight[T]:
    try:
        return Seen(await looking, clock.now())
    except TooBusy:
        raise
    except (ExternalError, NoSuchJob) as fault:
        return Unseen(source, fault.sentence, memory.blind_since.get(source, clock.now()))


async def _generation(reader: ClusterReader) -> str:
    try:
        return str((await reader.about()).generation)
    except ExternalError:
        return ""


def blind_observation(watch: Watch, now: datetime, reason: str) -> Observation:
    """The observation of a check that could not see the cluster."""
    since = watch.memory.blind_since.get(Source.CONTROLLER, now)
    return Observation(watch.root, now, Unseen(Source.CONTROLLER, reason, since))
