"""`start`, `status`, `list`, `stop`, `wait`: promises to look after jobs."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.options import (
    Cluster,
    ClusterFile,
    Iris,
    Json,
    SettingsFile,
    StateDir,
    Transport,
    Url,
    cluster_from,
    me,
    settings_from,
)

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.model.ids import WatchId
    from babysitter.model.submission import Submission
    from babysitter.service.clusters import ClusterSpec
    from babysitter.service.hall import Hall
    from babysitter.service.watching import Standing
    from babysitter.surfaces.views import StatusReply, WatchView

EXIT_OF_STATE = {"succeeded": 0, "killed": 10, "unschedulable": 11, "worker_failed": 12}
REDRAW_EVERY_S = 1.0
Name = Annotated[str, typer.Argument(help="Job id or watch id.")]


def start(
    jobs: Annotated[list[str], typer.Argument(help="Full ids of the jobs, /user/name.")],
    cluster: Cluster = "",
    controller_url: Url = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    transport: Transport = "rpc",
    resubmit: Annotated[
        str, typer.Option(help="The command that starts the job again, as one shell-quoted string.")
    ] = "",
    owner: Annotated[str, typer.Option(help="Who may approve: a Slack user id or user@host.")] = "",
    wait: Annotated[bool, typer.Option("--wait", help="Stay, and exit with the jobs' outcome.")] = False,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Run the service in this process, until the jobs end.")
    ] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Watch one or more jobs.

    Exit codes with --wait or --foreground: 0 the jobs succeeded, 1 failed, 10 stopped by a person,
    11 can never be scheduled, 12 lost its machines.
    """
    chosen = settings_from(settings, state_dir)
    spec = cluster_from(chosen, cluster, controller_url, config, iris_command, transport)
    code = asyncio.run(
        _start(
            chosen,
            settings,
            jobs,
            spec,
            _submission(resubmit),
            owner,
            as_json=as_json,
            stays=wait or foreground,
            serves=foreground,
        )
    )
    raise typer.Exit(code)


def status(
    name: Annotated[str, typer.Argument(help="Job id or watch id; all watches when left out.")] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Keep showing it, live.")] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Show how a watched job is doing."""
    chosen = settings_from(settings, state_dir)
    if watch and not as_json:
        asyncio.run(_live(chosen, name))
        return
    reply = asyncio.run(_reply(chosen, name))
    if as_json:
        _print(reply)
        return
    from babysitter.surfaces.cli import render

    console, now = render.console(), datetime.now(UTC)
    if name:
        for view in reply.watches:
            console.print(render.watch_page(view, now=now))
    else:
        console.print(render.watch_table(reply.watches, now=now))
    console.print(*render.service_lines(reply), sep="\n", end="")


def list_watches(
    everything: Annotated[bool, typer.Option("--all", help="Also those no longer watched.")] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """List everything that is being watched."""
    reply = asyncio.run(_reply(settings_from(settings, state_dir), "", with_stopped=everything))
    if as_json:
        _print(reply)
        return
    from babysitter.surfaces.cli import render

    console = render.console()
    console.print(render.watch_table(reply.watches, now=datetime.now(UTC)))
    console.print(*render.service_lines(reply), sep="\n", end="")


def stop(name: Name, settings: SettingsFile = None, state_dir: StateDir = None) -> None:
    """Stop watching; the job itself is left alone."""

    async def stopping() -> str:
        from babysitter.service.watching import stop_watching
        from babysitter.service.wiring import open_hall

        async with open_hall(settings_from(settings, state_dir)) as hall:
            return (await stop_watching(hall, name, by=me())).root

    typer.echo(f"{asyncio.run(stopping())} is not watched any more. The job itself was left alone.")


def wait(
    name: Name,
    until: Annotated[
        list[str] | None,
        typer.Option("--until", help="incident, stage or terminal; all three when left out."),
    ] = None,
    cursor: Annotated[int | None, typer.Option(help="From the previous answer: nothing is missed.")] = None,
    at_most: Annotated[float, typer.Option("--for", min=0.0, help="Seconds to wait at most.")] = 1800.0,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Block until an incident, a stage change or the end."""
    known = ("incident", "stage", "terminal")
    for word in until or ():
        if word not in known:
            raise UserError(
                f"--until takes {', '.join(known)}, not '{word}'.", next_step="Leave it out to wait for any."
            )

    async def waiting() -> str:
        from babysitter.service.waiting import Until, wait_for
        from babysitter.service.watching import find_watch, standing_of
        from babysitter.service.wiring import open_hall
        from babysitter.surfaces.views import WaitReply

        async with open_hall(settings_from(settings, state_dir)) as hall:
            found = await find_watch(hall, name)
            waited = await wait_for(
                hall,
                found.id,
                until=[Until(word) for word in until] if until else frozenset(Until),
                cursor=cursor,
                at_most_s=at_most,
            )
            reply = WaitReply(
                reason=waited.woken.value,
                cursor=waited.cursor,
                watch=view_of(await standing_of(hall, found.id)),
                news=[each.kind for each in waited.news],
            )
        if as_json:
            return reply.model_dump_json()
        outlook = reply.watch.outlook
        return (
            f"{reply.reason}: {reply.watch.job} is {reply.watch.phase}. {outlook.summary if outlook else ''}"
        )

    typer.echo(asyncio.run(waiting()))


def view_of(standing: "Standing") -> "WatchView":
    """A watch and its open incidents, as every program sees them."""
    from babysitter.surfaces.views import IncidentView, WatchView

    incidents = [
        IncidentView.of(each, standing.watch.root, standing.proposal_of(each)) for each in standing.incidents
    ]
    return WatchView.of(standing.watch, incidents)


async def _start(
    settings: "Settings",
    settings_file: Path | None,
    jobs: Sequence[str],
    spec: "ClusterSpec",
    resubmit: "Submission | None",
    owner: str,
    *,
    as_json: bool,
    stays: bool,
    serves: bool,
) -> int:
    from babysitter.model.ids import Person
    from babysitter.service.replicas import is_served
    from babysitter.service.run import Service
    from babysitter.service.watching import standing_of, start_watching
    from babysitter.service.wiring import open_hall
    from babysitter.surfaces.cli.serve import console_notifier, in_background
    from babysitter.surfaces.slack.serving import hearing
    from babysitter.surfaces.views import ServiceView, StatusReply

    notifiers = (console_notifier(),) if serves and not as_json else ()
    async with open_hall(settings, notifiers=notifiers) as hall:
        watches = [
            await start_watching(
                hall, job, spec, by=me(), resubmit=resubmit, owner=Person(owner) if owner else None
            )
            for job in jobs
        ]
        if as_json:
            views = [view_of(await standing_of(hall, each.id)) for each in watches]
            runs = serves or is_served(hall.state_folder)
            _print(StatusReply(watches=views, service=ServiceView(runs=runs)))
        if serves:
            async with Service(hall) as service, hearing(hall):
                serving = asyncio.create_task(service.until_stopped())
                code = await _until_ended(hall, [each.id for each in watches])
                service.stop()
                await serving
            return code
        if not is_served(hall.state_folder):
            in_background(settings, settings_file)
        if not as_json:
            for each in watches:
                typer.echo(f"Watching {each.root} (as {each.id}). See: babysit status {each.root} --watch")
        return await _until_ended(hall, [each.id for each in watches]) if stays else 0


async def _until_ended(hall: "Hall", watches: "Sequence[WatchId]") -> int:
    """The exit code of the worst outcome, once every watch has ended."""
    from babysitter.service.waiting import Until, Woken, wait_for

    worst = 0
    for each in watches:
        while True:
            waited = await wait_for(hall, each, until=(Until.TERMINAL,), at_most_s=3600.0)
            if waited.woken is Woken.TERMINAL:
                break
        outlook = waited.watch.outlook
        state = outlook.job_state if outlook else None
        worst = max(worst, EXIT_OF_STATE.get(state or "", 1))
    return worst


async def _reply(settings: "Settings", name: str, *, with_stopped: bool = False) -> "StatusReply":
    from babysitter.service.replicas import is_served, troubles_of
    from babysitter.service.watching import all_standing, find_watch, standing_of
    from babysitter.service.wiring import open_hall
    from babysitter.surfaces.views import ServiceView, StatusReply

    async with open_hall(settings) as hall:
        if name:
            shown = [await standing_of(hall, (await find_watch(hall, name)).id)]
        else:
            shown = list(await all_standing(hall, with_stopped=with_stopped))
        service = ServiceView(
            runs=is_served(hall.state_folder), troubles=await troubles_of(hall.store, now=hall.world.now())
        )
    return StatusReply(watches=[view_of(each) for each in shown], service=service)


async def _live(settings: "Settings", name: str) -> None:
    """Redraw once a second until interrupted; ends by itself when everything shown has finished."""
    from rich.console import Group
    from rich.live import Live

    from babysitter.surfaces.cli import render

    with Live(console=render.console(), refresh_per_second=4) as live:
        while True:
            reply, now = await _reply(settings, name), datetime.now(UTC)
            pages = [render.watch_page(each, now=now) for each in reply.watches]
            live.update(Group(*pages, *render.service_lines(reply)))
            if all(each.phase == "finished" for each in reply.watches):
                return
            await asyncio.sleep(REDRAW_EVERY_S)


def _submission(command: str) -> "Submission | None":
    if not command:
        return None
    from babysitter.service.command import submission_of

    return submission_of(command)


def _print(reply: "StatusReply") -> None:
    sys.stdout.write(reply.model_dump_json() + "\n")
