"""The lines of watched jobs and the changes of their phases, printed while a command waits for their end."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import typer

from babysitter.errors import BabysitError, StorageUnavailable

if TYPE_CHECKING:
    from babysitter.engine.app import App
    from babysitter.model.ids import JobId, WatchId
    from babysitter.model.watch import Watch

PHASE_INTERVAL_S = 1.0


async def print_beside(
    app: "App", watches: "Sequence[Watch]", ended: Coroutine[Any, Any, int], *, children: bool = True
) -> int:
    """Print the lines of the jobs, and their phases on standard error, until `ended` returns the exit code.

    `children`: lines of child jobs too. After a restart the lines of the new job follow.
    """
    from babysitter.waits import hidden_waits

    has_ended = asyncio.Event()
    names = {watch.id: watch.root if len(watches) > 1 else "" for watch in watches}
    beside = [
        *(asyncio.create_task(_print_lines(app, watch, has_ended, children=children)) for watch in watches),
        *(
            asyncio.create_task(print_phases(app, watch.id, has_ended, job=names[watch.id]))
            for watch in watches
        ),
    ]
    try:
        with hidden_waits():
            code = await ended
            has_ended.set()
            await asyncio.gather(*beside)
    finally:
        for task in beside:
            task.cancel()
    return code


async def print_phases(app: "App", watch: "WatchId", has_ended: asyncio.Event, *, job: str = "") -> None:
    """A line for every change of the phase or of the job's state, after the name of the `job`, if given."""
    printed = ""
    name = f"{job}: " if job else ""
    while True:
        is_last = has_ended.is_set()
        found = await _newest(app, watch)
        if found is not None:
            state = (found.outlook.job_state if found.outlook else None) or "unknown"
            line = f"{name}phase: {found.phase}, job: {state}"
            if line != printed:
                typer.echo(line, err=True)
                printed = line
        if is_last:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(has_ended.wait(), PHASE_INTERVAL_S)


async def _newest(app: "App", watch: "WatchId") -> "Watch | None":
    """The watch as it is stored now; None while the database cannot be read, so that printing goes on."""
    from babysitter.usecases.watching.manage_watches import watch_status

    try:
        return (await watch_status(app, watch)).watch
    except StorageUnavailable:
        return None


async def _print_lines(app: "App", watch: "Watch", has_ended: asyncio.Event, *, children: bool) -> None:
    """The lines of the job that is watched, and after each restart those of the job that replaces it."""
    job = watch.root
    while True:
        is_over = asyncio.Event()
        lines = asyncio.create_task(_print_job(app, watch.cluster, job, is_over, children=children))
        try:
            while job == watch.root and not has_ended.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(has_ended.wait(), PHASE_INTERVAL_S)
                watch = await _newest(app, watch.id) or watch
            is_over.set()
            await lines
        finally:
            lines.cancel()
        if job == watch.root:
            return
        job = watch.root


async def _print_job(
    app: "App", cluster: str, job: "JobId", is_over: asyncio.Event, *, children: bool
) -> None:
    """Lines of one job until it is over. What cannot be read is said; the watch goes on without lines."""
    from babysitter.clock import SystemClock
    from babysitter.surfaces.cli.watching.logs import print_lines
    from babysitter.usecases.looking.job_logs import LogsRequest, show_logs

    request = LogsRequest(job, include_children=children)
    try:
        spec = await app.clusters.spec(cluster)
        await show_logs(request, spec, SystemClock(), print_lines, follows=True, has_ended=is_over)
    except BabysitError as fault:
        typer.echo(f"The lines of {job} cannot be shown: {fault.sentence}", err=True)
