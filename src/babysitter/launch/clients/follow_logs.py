"""The lines of a job and its children as a person reads them: where each comes from, without poll noise."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from babysitter.backends.backend import ClusterReader
from babysitter.backends.iris.answers.log_noise import is_poll_noise
from babysitter.clock import Clock
from babysitter.errors import ExternalError
from babysitter.model.ids import JobId
from babysitter.model.log import Cursor, LogLine, LogSource
from babysitter.redact import redact_lines

POLL_INTERVAL_S = 2.0
MAX_LINES_PER_POLL = 2000
MAX_LINE_CHARS = 4000


@dataclass(frozen=True, slots=True)
class LineFormat:
    """`is_raw`: only the text of every line, poll noise included. `root`: the job that was asked for."""

    root: JobId
    is_raw: bool = False


async def newest_lines(
    reader: ClusterReader, source: LogSource, style: LineFormat, *, at_most: int
) -> Sequence[str]:
    """The last lines of a job, oldest first, ready to be printed."""
    batch = await reader.lines(source, after=None, at_most=at_most, newest=True)
    return printed_lines(batch.lines, style)


async def follow_lines(
    reader: ClusterReader,
    source: LogSource,
    style: LineFormat,
    clock: Clock,
    *,
    has_ended: asyncio.Event,
    first: int = MAX_LINES_PER_POLL,
) -> AsyncIterator[Sequence[str]]:
    """Batches of new lines, beginning with the last `first`; ends after one more look when the job has ended.

    A cluster that does not answer is asked again: a gap is filled by the next answer.
    """
    cursor: Cursor | None = None
    while True:
        is_last = has_ended.is_set()
        try:
            batch = await reader.lines(
                source,
                after=cursor,
                at_most=MAX_LINES_PER_POLL if cursor else first,
                newest=cursor is None,
            )
        except ExternalError as error:
            if not error.repeatable:
                raise
            if is_last:
                return
        else:
            cursor = batch.cursor or cursor
            if lines := printed_lines(batch.lines, style):
                yield lines
            if batch.is_full and batch.lines and cursor is not None:
                continue
            if is_last:
                return
        await _pause(clock, has_ended)


async def _pause(clock: Clock, has_ended: asyncio.Event) -> None:
    """Wait for the next poll, or for the end of the job."""
    due = clock.now() + timedelta(seconds=POLL_INTERVAL_S)
    waits = {
        asyncio.ensure_future(clock.sleep_until(due)),
        asyncio.ensure_future(has_ended.wait()),
    }
    _, left = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in left:
        wait.cancel()


def printed_lines(lines: Sequence[LogLine], style: LineFormat) -> Sequence[str]:
    """Each line with its time and task, redacted and without control characters."""
    shown = lines if style.is_raw else [line for line in lines if not is_poll_noise(line.text)]
    texts = redact_lines([line.text[:MAX_LINE_CHARS] for line in shown])
    if style.is_raw:
        return texts
    return [f"{_prefix(line, style.root)} | {text}" for line, text in zip(shown, texts, strict=True)]


def _prefix(line: LogLine, root: JobId) -> str:
    """`06:12:03 train/0`, `06:12:03 zephyr-...-workers-a0/2 (attempt 1)`."""
    at = f"{datetime.fromtimestamp(line.at_ms / 1000, UTC):%H:%M:%S} " if line.at_ms else ""
    attempt = f" (attempt {line.attempt})" if line.attempt > 0 else ""
    return f"{at}{short_task(line.task, root)}{attempt}"


def short_task(task: str, root: JobId) -> str:
    """The last two segments of a task's id: the job, and the number of the task."""
    if not task:
        return root.rpartition("/")[2]
    return "/".join(task.split("/")[-2:])
