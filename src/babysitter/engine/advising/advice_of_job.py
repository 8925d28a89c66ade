"""What the advisor is given of a watched or visited job: its tree, its course, its lines, its dumps."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from babysitter.advisor.combine import is_proven
from babysitter.advisor.material import Candidate, LineMarks, Material, Remark, RulesVerdict
from babysitter.engine.advising.advice_material import mark_lines, objections_to
from babysitter.model.finding import Evidence, Finding
from babysitter.model.ids import job_of
from babysitter.model.job import Job, JobTree, Task
from babysitter.model.log import LogLine
from babysitter.model.observation import Observation
from babysitter.model.seen import Seen
from babysitter.model.verdict import Diagnosis, Verdict

MAX_JOBS = 24  # of the tree that are listed
MAX_TASKS = 12  # that ended badly
MAX_ERROR_CHARACTERS = 1_000


def material_of_job(
    verdict: Verdict,
    lines: Sequence[LogLine],
    newest: Observation | None,
    *,
    remarks: Sequence[Remark] = (),
) -> Material:
    """The material of a job: its last verdict, the lines that were read, and the newest observation."""
    every = _each_once(lines)
    texts = tuple(_row(line) for line in every)
    places: dict[str, list[int]] = {}
    for index, line in enumerate(every):
        places.setdefault(line.text.strip(), []).append(index)
    marks = mark_lines(texts)
    new = frozenset(index for evidence in _quoted(verdict) for index in places.get(evidence.text.strip(), []))
    seen = newest.dumps.values() if newest is not None else ()
    return Material(
        facts=tuple(_facts(verdict, newest)),
        lines=texts,
        marks=LineMarks(marks.tracebacks, marks.failing, new, marks.templates),
        candidates=tuple(_candidate(finding, places) for finding in verdict.memory.findings),
        dumps=tuple(sight.value for sight in seen if isinstance(sight, Seen)),
        remarks=tuple(remarks),
    )


def verdict_of_rules(verdict: Verdict, diagnosis: Diagnosis | None) -> RulesVerdict:
    """What the rules alone conclude, for `combine`. `diagnosis`: what is displayed of the verdict."""
    state = verdict.memory.root_state
    ended_badly = state is not None and state.ended_badly
    if diagnosis is None:
        return RulesVerdict(verdict.cause, verdict.action, is_proven=False, has_ended_badly=ended_badly)
    return RulesVerdict(diagnosis.cause, diagnosis.action, is_proven(diagnosis), ended_badly)


def _each_once(lines: Sequence[LogLine]) -> tuple[LogLine, ...]:
    """The lines in the order of their times; of lines that were read again, one."""
    return tuple(sorted(dict.fromkeys(lines), key=lambda line: line.at_ms))


def _row(line: LogLine) -> str:
    """A line with the end of its task's id, and the time of the log service where it says none itself."""
    at = datetime.fromtimestamp(line.at_ms / 1000, UTC).strftime("%H:%M:%S ") if line.at_ms else ""
    job = job_of(line.task).rpartition("/")[2] if line.task else ""
    return f"{at}[{job}/{line.task.rpartition('/')[2]}] {line.text}" if line.task else f"{at}{line.text}"


def _facts(verdict: Verdict, newest: Observation | None) -> Iterator[str]:
    tree = newest.seen_tree if newest is not None else None
    memory, outlook = verdict.memory, verdict.outlook
    if tree is not None:
        yield from _jobs(tree)
    elif memory.root_state is not None:
        yield f"job state when last seen: {memory.root_state.value}"
    if outlook.summary:
        yield f"progress: {outlook.summary}"
    for stage in outlook.stages:
        ended = f", ended {stage.ended_at:%H:%M:%S}" if stage.ended_at else ""
        began = f", began {stage.started_at:%H:%M:%S}" if stage.started_at else ""
        yield f"stage {stage.label}: {stage.done}/{stage.total}{began}{ended}"
    if memory.last_line_at is not None:
        yield f"newest line: {memory.last_line_at:%H:%M:%S} UTC"
        if newest is not None and not (tree is not None and tree.root.state.is_terminal):
            yield f"looked at: {newest.taken_at:%H:%M:%S} UTC"  # of an ended job it would say nothing
    for loss in memory.losses[-4:]:
        yield f"workers of {loss.job} lost until {loss.at:%H:%M:%S}: {loss.total}"
    if outlook.peak_memory_bytes is not None:
        yield f"peak memory of a task: {outlook.peak_memory_bytes:,} bytes"
    for signal in verdict.signals:
        yield f"since {signal.since_at:%H:%M:%S}: {signal.explanation}"


def _jobs(tree: JobTree) -> Iterator[str]:
    jobs = list(tree)
    for job in jobs[:MAX_JOBS]:
        yield _job(job)
    if len(jobs) > MAX_JOBS:
        yield f"{len(jobs) - MAX_JOBS} further jobs"
    bad = [task for job in jobs for task in job.tasks or () if task.exit_code or task.error]
    for task in bad[-MAX_TASKS:]:
        yield _task(task)


def _job(job: Job) -> str:
    parts = [f"job {job.id}: state {job.state.value}"]
    if job.task_states:
        counts = (f"{count} {state.value}" for state, count in job.task_states.items())
        parts.append("tasks " + ", ".join(counts))
    if job.failure_count:
        parts.append(f"failures {job.failure_count}")
    if job.preemption_count:
        parts.append(f"preemptions {job.preemption_count}")
    if job.pending_reason:
        parts.append(f"not placed because: {job.pending_reason[:MAX_ERROR_CHARACTERS]}")
    if job.error:
        parts.append(f"error: {job.error[:MAX_ERROR_CHARACTERS]}")
    for name, at in (("started", job.started_at), ("finished", job.finished_at)):
        if at is not None:
            parts.append(f"{name} {at:%H:%M:%S}")
    return "; ".join(parts)


def _task(task: Task) -> str:
    error = task.error[:MAX_ERROR_CHARACTERS]
    return f"task {task.id}: {task.state.value}, exit code {task.exit_code}; {error}"


def _quoted(verdict: Verdict) -> Iterator[Evidence]:
    """Lines that the verdict quotes."""
    if verdict.diagnosis is not None:
        yield from verdict.diagnosis.evidence
    for signal in verdict.signals:
        yield from signal.evidence


def _candidate(finding: Finding, places: dict[str, list[int]]) -> Candidate:
    lines = [index for line in finding.evidence for index in places.get(line.text.strip(), [])[-2:]]
    against = tuple(objections_to(finding))
    return Candidate(finding.cause, finding.explanation, tuple(dict.fromkeys(lines)), against)
