"""A recording judged step by step, and the same recording as a text that is judged at once."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import yaml

from babysitter.backends.recording.format import TimeScale, read_recording
from babysitter.backends.recording.player import RecordedReader
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import line_at
from babysitter.errors import BadConfig, ExternalError, NoSuchJob
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.job import JobState, JobTree, Task, TaskState
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import LogLine, LogSource
from babysitter.usecases.looking.classify_text import examine
from babysitter.workbench.replay import replay
from tests.support.recordings import FIXTURES, labelled, rules

DRILLS = "iris-2026-05-drills"
GENERATIONS = ("iris-2026-04", "iris-2026-05", DRILLS)
DRILL_LABELS = yaml.safe_load((FIXTURES / DRILLS / "labels.yaml").read_text())
ENOUGH = 1_000_000
BAD = (TaskState.FAILED, TaskState.WORKER_FAILED)


@dataclass(frozen=True)
class TextOfRecording:
    """The log of a whole recording, its final states, and every thread dump."""

    text: str
    facts: JobFacts
    dumps: tuple[str, ...]


def playable() -> tuple[str, ...]:
    """Names of the recordings that end with a job in sight."""
    names = [f"{era}/{path.name}" for era in GENERATIONS for path in sorted((FIXTURES / era).iterdir())]
    return tuple(name for name in names if (FIXTURES / name / "index.jsonl").exists() and _has_a_job(name))


def time_scale(name: str) -> float:
    if name.startswith(DRILLS):
        return float(DRILL_LABELS[name.rpartition("/")[2]]["time_scale"])
    return next((candidate.time_scale for candidate in labelled() if candidate.name == name), 1.0)


def step_by_step(name: str) -> tuple[Cause, ActionKind]:
    last = asyncio.run(replay(FIXTURES / name, rules(), time_scale=time_scale(name)))[-1]
    return last.cause, last.action


def at_once(name: str, *, named: bool) -> tuple[Cause, ActionKind]:
    """`named`: every line begins with the task that printed it."""
    told = asyncio.run(_text_of(FIXTURES / name, time_scale(name), named=named))
    found = examine(told.text, rules(), told.facts, dumps=told.dumps).diagnosis
    return found.cause, found.action


def _has_a_job(name: str) -> bool:
    try:
        asyncio.run(_text_of(FIXTURES / name, 1.0, named=False))
    except (BadConfig, NoSuchJob, ExternalError):
        return False
    return True


async def _text_of(folder: Path, scale: float, *, named: bool) -> TextOfRecording:
    recording = read_recording(folder)
    stretch = TimeScale(recording.started_ms, scale)
    reader = RecordedReader(recording, stretch)
    dumps: list[str] = []
    for step in recording.steps:
        reader.show(step)
    tree = await reader.tree(recording.root)
    batch = await reader.lines(LogSource(recording.root), after=None, at_most=ENOUGH)
    lines = sorted(batch.lines, key=lambda line: line.at_ms)
    for job in tree:
        for task in await reader.tasks(job.id):
            try:
                dumps.append((await reader.dump(task.id)).text)
            except ExternalError:
                continue
    prefixed = [f"task={line.task} | {line.text}" if named else line.text for line in lines]
    now_s = stretch.moment(recording.steps[-1].at_ms).timestamp()
    return TextOfRecording("\n".join(prefixed), _facts(tree, lines, now_s), tuple(dumps))


def _facts(tree: JobTree, lines: list[LogLine], now_s: float) -> JobFacts:
    """What a person would copy from the cluster's page of the job."""
    root = tree.root
    tasks = [*(root.tasks or ()), *(task for job in tree for task in job.tasks or ())]
    ended = next((task for task in tasks if task.state in BAD and (task.exit_code or task.error)), None)
    texts = [root.error, *(task.error for task in root.tasks or ())]
    printed = [at.timestamp() for line in lines if (at := line_at(line)) is not None]
    return JobFacts(
        state=root.state,
        exit_code=ended.exit_code if ended else None,
        error=(ended.error if ended else "") or root.error,
        pending_reason="" if root.state.is_terminal else root.pending_reason,
        failure_count=root.failure_count,
        preemption_count=root.preemption_count,
        memory_peak_bytes=_peak(tasks),
        memory_limit_bytes=max((job.resources.memory_bytes for job in tree), default=0) or None,
        last_line_age_s=now_s - max(printed) if printed else None,
        stopped_at_root=root.state is JobState.KILLED and any("Terminated by user" in word for word in texts),
    )


def _peak(tasks: list[Task]) -> int | None:
    return max((task.memory_peak_bytes or 0 for task in tasks), default=0) or None
