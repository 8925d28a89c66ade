"""`status`, `list`, `stop`, `wait`: how watched jobs are doing."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import (
    Json,
    OfCluster,
    SettingsFile,
    StateDir,
    me,
    settings_from,
)
from babysitter.surfaces.duration_option import parse_duration
from babysitter.waits import hidden_waits

if TYPE_CHECKING:
    from babysitter.surfaces.views import StatusReply

REDRAW_INTERVAL_S = 1.0
EXIT_TIME_LIMIT = 6
MAX_WAIT = timedelta(days=30)
Job = Annotated[str, typer.Argument(help="Job id or watch id.")]


def status(
    job: Annotated[str, typer.Argument(help="Job id or watch id; all watches when left out.")] = "",
    watch: Annotated[
        bool, typer.Option("--watch", help="Show it live until it has ended or Ctrl+C.")
    ] = False,
    cluster: OfCluster = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Show how a watched job is doing: phase, stages, pace, workers, open incidents and proposals."""
    from babysitter.surfaces.cli.watching.status_reply import status_reply

    def read() -> "StatusReply":
        return status_reply(settings, state_dir, job, cluster)

    if watch and not as_json:
        _live(read)
        return
    reply = read()
    if as_json:
        _print(reply)
        return
    from babysitter.surfaces.cli.terminal import terminal_view

    console, now = terminal_view.console(), datetime.now(UTC)
    if job:
        for view in reply.watches:
            console.print(terminal_view.watch_page(view, now=now))
    else:
        console.print(terminal_view.watch_table(reply.watches, now=now))
    for line in terminal_view.service_lines(reply):
        console.print(line)


def list_watches(
    everything: Annotated[
        bool, typer.Option("--all", help="Show ended jobs and stopped watches too.")
    ] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """List everything that is being watched."""
    from babysitter.surfaces.cli.watching.status_reply import status_reply

    reply = status_reply(settings, state_dir, with_stopped=everything)
    if as_json:
        _print(reply)
        return
    from babysitter.surfaces.cli.terminal import terminal_view

    console = terminal_view.console()
    console.print(terminal_view.watch_table(reply.watches, now=datetime.now(UTC), with_ended=everything))
    for line in terminal_view.service_lines(reply):
        console.print(line)


def stop(
    job: Job,
    cluster: OfCluster = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Stop watching; the job itself is left alone. Open proposals about it are withdrawn."""

    async def stopping() -> str:
        from babysitter.surfaces.cli.terminal.json_replies import StopReply
        from babysitter.usecases.watching.manage_watches import stop_watch
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as app:
            stopped = await stop_watch(app, job, by=me(), cluster=cluster)
        if as_json:
            return StopReply(job=stopped.root, watch=stopped.id).model_dump_json()
        return f"{stopped.root} is not watched any more. The job itself was left alone."

    import asyncio

    typer.echo(asyncio.run(stopping()))


def wait(
    job: Job,
    until: Annotated[
        list[str] | None,
        typer.Option("--until", help="incident, stage or terminal; all three when left out."),
    ] = None,
    cursor: Annotated[
        int | None,
        typer.Option(help="`cursor` of the previous answer, so that nothing in between is missed."),
    ] = None,
    longest: Annotated[
        str, typer.Option("--for", help="How long to wait at most: seconds, or 30m, 2h, 1d.")
    ] = "30m",
    cluster: OfCluster = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Block until an incident, a stage change or the end.

    Prints why it returned: incident, stage, terminal (the job or its watch ended) or time-limit (exit 6).
    Returns at once for an open incident or an ended job, unless a cursor says that it is known. Starts the
    service if none runs, and again if it ends meanwhile.
    """
    known = ("incident", "stage", "terminal")
    for word in until or ():
        if word not in known:
            raise UserError(
                f"--until takes {', '.join(known)}, not '{word}'.", next_step="Leave it out to wait for any."
            )

    from babysitter.surfaces.views import WaitReply

    at_most = parse_duration(longest, at_most=MAX_WAIT, option="--for")
    chosen = settings_from(settings, state_dir)

    async def waiting() -> WaitReply:
        from babysitter.surfaces.cli.serving.serve import while_served
        from babysitter.surfaces.watch_view import watch_view
        from babysitter.usecases.watching.manage_watches import find_watch, watch_status
        from babysitter.usecases.watching.wait_for import WaitCondition, wait_for
        from babysitter.wiring import open_app

        async with open_app(chosen) as app:
            found = await find_watch(app, job, cluster=cluster)
            work = wait_for(
                app,
                found.id,
                until=[WaitCondition(word) for word in until] if until else frozenset(WaitCondition),
                cursor=cursor,
                at_most_s=at_most.total_seconds(),
            )
            is_looked_after = found.due_at is not None
            waited = await (while_served(app, settings, work) if is_looked_after else work)
            return WaitReply(
                reason=waited.woken.value,
                cursor=waited.cursor,
                watch=watch_view(await watch_status(app, found.id)),
                news=[event.kind for event in waited.news],
            )

    import asyncio

    reply = asyncio.run(waiting())
    outlook = reply.watch.outlook.summary if reply.watch.outlook else ""
    shown = f"{reply.reason}: {reply.watch.job} is {reply.watch.phase}. {outlook}"
    typer.echo(reply.model_dump_json() if as_json else shown)
    if reply.reason == "time-limit":
        raise typer.Exit(EXIT_TIME_LIMIT)


def _live(read: "Callable[[], StatusReply]") -> None:
    """Redraw once a second until interrupted; ends by itself when everything shown has finished."""
    from rich.console import Group
    from rich.live import Live

    from babysitter.surfaces.cli.terminal import terminal_view

    with hidden_waits(), Live(console=terminal_view.console(), refresh_per_second=4) as live:
        while True:
            reply, now = read(), datetime.now(UTC)
            pages = [terminal_view.watch_page(watch, now=now) for watch in reply.watches]
            pages = pages or [terminal_view.watch_table((), now=now)]
            live.update(Group(*pages, *terminal_view.service_lines(reply)))
            if all(watch.phase == "finished" for watch in reply.watches):
                return
            time.sleep(REDRAW_INTERVAL_S)


def _print(reply: "StatusReply") -> None:
    sys.stdout.write(reply.model_dump_json() + "\n")
