"""Takes secrets out of what a job says, before anything behind this judges it, stores it or shows it.

What is stored to act upon, a job's submission, passes as it is.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from babysitter.backends.backend import ClusterReader
from babysitter.backends.wrappers import ReaderWrapper
from babysitter.errors import BabysitError
from babysitter.model.job import Job, JobTree, Task
from babysitter.model.log import LogBatch, LogLine
from babysitter.model.thread_dump import ThreadDump
from babysitter.redact import redact, redact_lines, strip_control_characters

T = TypeVar("T")
MAX_INLINE_CHARS = 65_536  # more is redacted in a thread, so that nothing else waits for it


class RedactingReader(ReaderWrapper):
    """A reader whose answers are redacted, except the submission of a job."""

    def __init__(self, reader: ClusterReader) -> None:
        super().__init__(reader, self._redacting)

    async def _redacting(self, look: Callable[[], Awaitable[T]], question: Hashable) -> T:  # noqa: ARG002
        try:
            answer = await look()
        except BabysitError as fault:
            fault.sentence, fault.next_step = redact(fault.sentence), redact(fault.next_step)
            raise
        if _chars_of(answer) > MAX_INLINE_CHARS:
            return cast("T", await asyncio.to_thread(redacted, answer))
        return cast("T", redacted(answer))


def redacted(answer: object) -> object:
    """Return an answer of a cluster without secrets; one without words of a job is returned as it is."""
    match answer:
        case LogBatch():
            return replace(answer, lines=_lines(answer.lines))
        case JobTree():
            return JobTree(_job(answer.root), tuple(map(_job, answer.descendants)))
        case Job():
            return _job(answer)
        case Task():
            return _task(answer)
        case ThreadDump():
            processes = tuple(
                replace(process, command=_text(process.command)) for process in answer.processes
            )
            return replace(answer, processes=processes, text=_text(answer.text))
        case tuple():
            return tuple(redacted(item) for item in answer)
    return answer


def _lines(lines: Sequence[LogLine]) -> tuple[LogLine, ...]:
    """The lines of each task redacted together: a key may span several, and tasks print at the same time."""
    places: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        places[line.task, line.attempt].append(place)
    shown = list(lines)
    for of_task in places.values():
        texts = [lines[place].text for place in of_task]
        for place, text in zip(of_task, redact_lines(texts), strict=True):
            if text != strip_control_characters(lines[place].text):
                shown[place] = lines[place]._replace(text=text)
    return tuple(shown)


def _job(job: Job) -> Job:
    tasks = tuple(map(_task, job.tasks)) if job.tasks is not None else None
    return replace(job, error=_text(job.error), pending_reason=_text(job.pending_reason), tasks=tasks)


def _task(task: Task) -> Task:
    return replace(
        task,
        error=_text(task.error),
        pending_reason=_text(task.pending_reason),
        status_text=_text(task.status_text),
        attempts=tuple(replace(attempt, error=_text(attempt.error)) for attempt in task.attempts),
    )


def _text(text: str) -> str:
    """The text as it is when there is nothing to take out of it, colours and all."""
    shown = redact(text) if text else text
    return shown if shown != strip_control_characters(text) else text


def _chars_of(answer: object) -> int:
    if isinstance(answer, LogBatch):
        return sum(len(line.text) for line in answer.lines)
    return len(answer.text) if isinstance(answer, ThreadDump) else 0
