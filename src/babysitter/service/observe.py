"""What to ask now, and the answers as one Observation. Asks little while all is well.

In steady state one look costs two or three questions: the job tree, the warnings and tracebacks of the whole
tree by cursor, and every other time the coordinator's own lines. Everything else is asked because the last
verdict wants it, or because the root has ended and its whole story is needed once.

A WorldError becomes an Unseen here and NoSuchJob becomes a Gone; neither travels further.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from babysitter.backends.base import Eyes
from babysitter.clock import Clock
from babysitter.errors import NoSuchJob, WorldError
from babysitter.model.dump import ThreadDump
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import Cursor, Level, LogBatch, LogLine, LogSource
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation, Want
from babysitter.model.phase import Phase
from babysitter.model.sight import Gone, Seen, Sight, Source, Unseen
from babysitter.model.watch import Watch
from babysitter.read.names import crews, newest_crew
from babysitter.read.pyspy import read_dump

MOST_LINES = 500  # of one question
FIRST_LINES = 300
REREAD_LINES = 1000
MOST_PAGES = 3  # more waits for the next look; errors come by their own question
MOST_WORKER_DUMPS = 4
MOST_JOBS_WITH_TASKS = 8
LOST_CURSOR_S = 600.0  # silent for so long: the log service may have forgotten our cursor

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """Lines of one source under the name by which their cursor is kept."""

    name: str
    source: LogSource
    at_most: int = MOST_LINES
    is_fresh: bool = False  # from the newest lines, whatever was read before
    only_later: bool = False  # drop lines older than the newest one read so far


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask beside the tree."""

    tasks_of: tuple[JobId, ...] = ()
    questions: tuple[Question, ...] = ()
    dumps: tuple[TaskId, ...] = ()
    worker_dumps_of: JobId | None = None
    is_reread: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    lines: tuple[LogLine, ...] = ()
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    skipped: int = 0


async def observe(watch: Watch, eyes: Eyes, clock: Clock) -> Observation:
    """Everything that this look of the watch needs. A job that the cluster does not know is `Gone`."""
    memory, now = watch.memory, clock.now()
    try:
        tree = await eyes.tree(watch.root)
    except NoSuchJob as fault:
        return Observation(watch.root, now, Gone(fault.sentence, now, (watch.root,)))
    except WorldError as fault:
        return blind_observation(watch, now, fault.sentence)
    plan = plan_of(tree, memory, now)
    tasks, read = await asyncio.gather(
        _tasks(plan.tasks_of, eyes), _see(_lines(plan, memory, eyes), Source.LOGS, memory, clock)
    )
    tree = _with_tasks(tree, tasks)
    targets = (*plan.dumps, *_holders(tree, plan.worker_dumps_of))
    dumps = await _dumps(targets, eyes, memory, clock)
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
        generation=memory.generation or (await _generation(eyes)),
    )


def plan_of(tree: JobTree, memory: Memory, now: datetime) -> Plan:
    """What this look asks, given the tree and what the last verdict wants. Pure."""
    root, crew, wants = tree.root, newest_crew(tree), memory.wants
    has_ended = root.state.is_terminal
    is_reread = has_ended or Want.OLDER_LINES in wants
    is_first = memory.seen_at is None
    wants_tasks = has_ended or is_first or Want.TASKS in wants or Want.WORKER_DUMPS in wants
    coordinator = crew.coordinator if crew is not None else None
    is_up = coordinator is not None and coordinator.state is JobState.RUNNING
    dumps = [f"{coordinator.id}/0"] if coordinator and is_up and Want.COORDINATOR_DUMP in wants else []
    if Want.ROOT_DUMP in wants and root.state is JobState.RUNNING:
        dumps.append(f"{root.id}/0")
    return Plan(
        tasks_of=_worth_their_tasks(tree, has_ended) if wants_tasks else (),
        questions=_questions(tree, memory, now, is_reread=is_reread),
        dumps=tuple(TaskId(each) for each in dumps),
        worker_dumps_of=crew.workers.id if crew and crew.workers and Want.WORKER_DUMPS in wants else None,
        is_reread=is_reread,
    )


def _worth_their_tasks(tree: JobTree, has_ended: bool) -> tuple[JobId, ...]:
    """The root and the newest crew; after the end every coordinator too, newest first."""
    jobs = [tree.root.id]
    for crew in reversed(crews(tree)):
        jobs.append(crew.coordinator.id)
        if crew.workers is not None:
            jobs.append(crew.workers.id)
        if not has_ended:
            break
    return tuple(dict.fromkeys(jobs))[:MOST_JOBS_WITH_TASKS]


def _questions(tree: JobTree, memory: Memory, now: datetime, *, is_reread: bool) -> tuple[Question, ...]:
    root, crew = tree.root, newest_crew(tree)
    # Lines of an earlier run stay under the same keys when its name is used again.
    since = root.submitted_at - timedelta(seconds=1) if root.submitted_at else None
    trouble = LogSource(root.id, at_least=Level.WARNING, since=since)
    everything = LogSource(root.id, since=since)
    if is_reread:
        return (
            Question("trouble", trouble, REREAD_LINES, is_fresh=True),
            Question("all", everything, REREAD_LINES, is_fresh=True),
        )
    is_fresh = _may_have_lost_cursors(root, memory, now)
    questions = [Question("trouble", trouble, is_fresh=is_fresh, only_later=is_fresh)]
    if crew is not None:
        is_calm = memory.phase is Phase.STEADY and not memory.wants and not memory.blind_since
        is_resting = is_calm and memory.checks_in_phase % 2 == 1
        name = f"coordinator:{crew.coordinator.id}"
        if not is_resting or name not in memory.cursors:
            # The coordinator's own loggers, and not the thousand lines around them.
            source = LogSource(
                crew.coordinator.id,
                task=TaskId(f"{crew.coordinator.id}/0"),
                containing=" zephyr.",
                since=since,
            )
            questions.append(Question(name, source, is_fresh=is_fresh, only_later=is_fresh))
    if crew is None or memory.seen_at is None:
        questions.append(Question("all", everything, is_fresh=is_fresh, only_later=is_fresh))
    return tuple(questions)


def _may_have_lost_cursors(root: Job, memory: Memory, now: datetime) -> bool:
    """After a restart of the log service a kept cursor may bring nothing for ever, without an error.

    So a silence is questioned with fresh eyes once every ten minutes that it lasts.
    """
    if memory.last_line_at is None or memory.looked_at is None or root.state.is_terminal:
        return False
    silent_s = (now - memory.last_line_at).total_seconds()
    before_s = (memory.looked_at - memory.last_line_at).total_seconds()
    return silent_s // LOST_CURSOR_S > max(0.0, before_s) // LOST_CURSOR_S


async def _lines(plan: Plan, memory: Memory, eyes: Eyes) -> _Read:
    """The answers to all questions, each line once, in the order of their arrival."""
    reads = await asyncio.gather(*(_answer(question, memory, eyes) for question in plan.questions))
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
    return _Read(tuple(merged), cursors, sum(read.skipped for read in reads))


async def _answer(question: Question, memory: Memory, eyes: Eyes) -> _Read:
    """New lines of one source: by cursor, page after page; at first, and after a gap, the newest."""
    after = None if question.is_fresh else memory.cursors.get(question.name)
    if after is None:
        at_most = question.at_most if question.is_fresh else min(question.at_most, FIRST_LINES)
        batch = await eyes.lines(question.source, after=None, at_most=at_most, newest=True)
        lines = batch.lines
        if question.only_later and memory.last_line_at is not None:
            lines = _later_than(lines, memory.last_line_at)
        return _Read(lines, _kept(question, batch), batch.skipped)
    lines = ()
    skipped = 0
    for _ in range(MOST_PAGES):
        batch = await eyes.lines(question.source, after=after, at_most=question.at_most)
        lines += batch.lines
        skipped += batch.skipped
        after = batch.cursor or after
        if not batch.is_full:
            break
    else:  # a flood: go on from the newest lines, and say how much is known to be missing
        batch = await eyes.lines(question.source, after=after, at_most=question.at_most, newest=True)
        lines += batch.lines
        skipped += max(batch.skipped, 1) if batch.is_full else batch.skipped
        after = batch.cursor or after
    return _Read(lines, {question.name: after}, skipped)


def _kept(question: Question, batch: LogBatch) -> dict[str, Cursor]:
    """Where to go on; none when the answer does not say."""
    return {} if batch.cursor is None else {question.name: batch.cursor}


def _later_than(lines: Sequence[LogLine], moment: datetime) -> tuple[LogLine, ...]:
    return tuple(line for line in lines if line.at_ms > moment.timestamp() * 1000)


async def _tasks(jobs: Sequence[JobId], eyes: Eyes) -> dict[JobId, tuple[Task, ...]]:
    """Tasks of the jobs whose tasks could be read; what cannot is simply not known at this look."""

    async def tasks_of(job: JobId) -> tuple[Task, ...] | None:
        try:
            return await eyes.tasks(job)
        except (WorldError, NoSuchJob):
            return None

    answers = await asyncio.gather(*(tasks_of(job) for job in jobs))
    return {job: tasks for job, tasks in zip(jobs, answers, strict=True) if tasks}


def _with_tasks(tree: JobTree, tasks: Mapping[JobId, tuple[Task, ...]]) -> JobTree:
    def filled(job: Job) -> Job:
        return replace(job, tasks=tasks[job.id]) if job.id in tasks else job

    return JobTree(filled(tree.root), tuple(filled(job) for job in tree.descendants))


def _holders(tree: JobTree, workers: JobId | None) -> tuple[TaskId, ...]:
    """Running workers that probably hold a shard: those whose status does not say idle come first."""
    job = tree.find(workers) if workers is not None else None
    running = [task for task in (job.tasks or ()) if task.state is TaskState.RUNNING] if job else []
    running.sort(key=lambda task: task.status_text.strip().lower() == "idle")
    return tuple(task.id for task in running[:MOST_WORKER_DUMPS])


async def _dumps(
    targets: Sequence[TaskId], eyes: Eyes, memory: Memory, clock: Clock
) -> dict[TaskId, Sight[ThreadDump]]:
    async def dump(task: TaskId) -> Sight[ThreadDump]:
        sight = await _see(eyes.dump(task), Source.DUMP, memory, clock)
        if isinstance(sight, Unseen) or sight.value.processes:
            return sight
        return Seen(read_dump(sight.value.text, task, sight.value.taken_at), sight.at)

    found = await asyncio.gather(*(dump(task) for task in targets))
    return dict(zip(targets, found, strict=True))


async def _see(looking: Awaitable[T], source: Source, memory: Memory, clock: Clock) -> Sight[T]:
    try:
        return Seen(await looking, clock.now())
    except (WorldError, NoSuchJob) as fault:
        return Unseen(source, fault.sentence, memory.blind_since.get(source, clock.now()))


async def _generation(eyes: Eyes) -> str:
    try:
        return str((await eyes.about()).generation)
    except WorldError:
        return ""


def blind_observation(watch: Watch, now: datetime, reason: str) -> Observation:
    """The observation of a check that could not see the cluster."""
    since = watch.memory.blind_since.get(Source.CONTROLLER, now)
    return Observation(watch.root, now, Unseen(Source.CONTROLLER, reason, since))
