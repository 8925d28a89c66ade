"""Shows a ladder as it is climbed: a line for every change, or the whole state as JSON."""

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

from babysitter.model.ids import JobId, WatchId
from babysitter.model.ladder_run import AttemptState, StepAttempt
from babysitter.surfaces.printable import safe

if TYPE_CHECKING:
    from babysitter.engine.app import App
    from babysitter.engine.cluster_pool import ClusterSpec
    from babysitter.engine.ladder import LadderProgress


class ProgressPrinter:
    """Progress goes to standard error, JSON to standard output. `prints_lines`: those of jobs, too."""

    def __init__(
        self, app: "App", cluster: "ClusterSpec | None", *, as_json: bool, prints_lines: bool
    ) -> None:
        self._app = app
        self._cluster = cluster
        self._as_json = as_json
        self._prints_lines = prints_lines
        self._followed = 0  # number of the attempt that is followed
        self._has_ended = asyncio.Event()
        self._tasks: list[asyncio.Task[Any]] = []

    def show(self, progress: "LadderProgress") -> None:
        """Print what has just happened, and follow the job that was just submitted."""
        from babysitter.surfaces.cli.terminal.json_replies import LadderReply, ladder_view

        if self._as_json:
            reply = LadderReply(sentence=safe(progress.sentence), ladder=ladder_view(progress))
            typer.echo(reply.model_dump_json())
            return
        typer.echo(f"{datetime.now(UTC):%H:%M:%S} {safe(progress.sentence)}", err=True)
        newest = progress.attempts[-1] if progress.attempts else None
        if newest is None or newest.state is not AttemptState.SUBMITTED:
            self._has_ended.set()
        elif newest.number != self._followed and newest.watch:
            self._follow(newest)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _follow(self, attempt: StepAttempt) -> None:
        from babysitter.clock import SystemClock
        from babysitter.surfaces.cli.watching.job_output import print_phases
        from babysitter.surfaces.cli.watching.logs import print_lines
        from babysitter.usecases.looking.job_logs import LogsRequest, show_logs

        self._followed, self._has_ended = attempt.number, asyncio.Event()
        phases = print_phases(self._app, WatchId(attempt.watch), self._has_ended)
        self._tasks.append(asyncio.create_task(phases))
        if self._prints_lines and self._cluster is not None:
            request = LogsRequest(JobId(attempt.job))
            lines = show_logs(
                request, self._cluster, SystemClock(), print_lines, follows=True, has_ended=self._has_ended
            )
            self._tasks.append(asyncio.create_task(lines))
