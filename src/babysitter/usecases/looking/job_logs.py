"""What a job printed: its newest lines, or every new line until it ends."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from babysitter.backends.backend import ClusterReader
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import open_cluster, unknown_job
from babysitter.clock import Clock
from babysitter.errors import ExternalError, UserError
from babysitter.launch.clients.follow_logs import POLL_INTERVAL_S, LineFormat, follow_lines, newest_lines
from babysitter.model.ids import JobId, TaskId
from babysitter.model.log import LogSource

DEFAULT_LINES = 1000


@dataclass(frozen=True, slots=True)
class LogsRequest:
    """`task`: a number of the job's own tasks or any id. `since`: how far back. `containing`: a text."""

    job: JobId
    task: str = ""
    since: timedelta | None = None
    containing: str = ""
    lines: int = DEFAULT_LINES
    include_children: bool = True
    is_raw: bool = False


async def show_logs(
    request: LogsRequest,
    cluster: ClusterSpec,
    clock: Clock,
    on_lines: Callable[[Sequence[str]], None],
    *,
    follows: bool,
    has_ended: asyncio.Event | None = None,
) -> None:
    """Hand the newest lines to `on_lines`, and with `follows` every further one until the job has ended.

    `has_ended`: who knows the end otherwise; None = the job's state is asked for. Raises NoSuchJob.
    """
    source = _source(request, clock)
    style = LineFormat(request.job, is_raw=request.is_raw)
    opened = open_cluster(cluster, clock=clock)
    try:
        if has_ended is None and await opened.reader.find(request.job) is None:
            raise unknown_job(cluster, request.job)
        if not follows:
            on_lines(await newest_lines(opened.reader, source, style, at_most=request.lines))
            return
        ended = has_ended or asyncio.Event()
        asking = (
            None if has_ended else asyncio.create_task(_tell_end(opened.reader, request.job, clock, ended))
        )
        try:
            async for lines in follow_lines(
                opened.reader, source, style, clock, has_ended=ended, first=request.lines
            ):
                on_lines(lines)
        finally:
            if asking is not None:
                asking.cancel()
    finally:
        await opened.close()


async def _tell_end(reader: ClusterReader, job: JobId, clock: Clock, ended: asyncio.Event) -> None:
    """Set the event once the job has ended. A cluster that does not answer is asked again."""
    while not ended.is_set():
        try:
            state = (await reader.states([job])).get(job)
        except ExternalError:
            state = None
        if state is not None and state.is_terminal:
            ended.set()
            return
        await clock.sleep_until(clock.now() + timedelta(seconds=POLL_INTERVAL_S))


def _source(request: LogsRequest, clock: Clock) -> LogSource:
    task = request.task
    if task.isdigit():
        task = f"{request.job}/{task}"
    if task and not task.startswith(f"{request.job}/"):
        raise UserError(
            f"{request.task} is not a task of {request.job}.",
            next_step=f"Give its number, or its id: {request.job}/0.",
        )
    return LogSource(
        request.job,
        include_children=request.include_children and not task,
        task=TaskId(task) if task else None,
        containing=request.containing,
        since=clock.now() - request.since if request.since else None,
    )
