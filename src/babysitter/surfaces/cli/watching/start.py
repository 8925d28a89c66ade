"""`start`: watch jobs."""

import asyncio
import os
import shlex
import sys
from collections.abc import Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    DriverLog,
    IrisOfWatch,
    Json,
    Ray,
    RaySession,
    SettingsFile,
    Ssh,
    StateDir,
    Transport,
    Url,
    cluster_from,
    me,
    session_from,
    settings_from,
)
from babysitter.waits import hidden_waits

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.app import App
    from babysitter.engine.cluster_pool import ClusterSpec
    from babysitter.errors import BabysitError
    from babysitter.model.ids import WatchId
    from babysitter.model.submission import Submission
    from babysitter.model.watch import Watch

EXIT_OF_STATE = {"succeeded": 0, "killed": 10, "unschedulable": 11, "worker_failed": 12}


def start(
    jobs: Annotated[
        list[str] | None, typer.Argument(help="Full ids of the jobs: /user/name, or ids of Ray.")
    ] = None,
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    ray_session: RaySession = None,
    ssh: Ssh = "",
    log: DriverLog = None,
    config: ClusterFile = "",
    iris_command: IrisOfWatch = "",
    transport: Transport = "rpc",
    resubmit: Annotated[
        str | None, typer.Option(help="Command of a restart, in quotes. Default: what the cluster stored.")
    ] = None,
    workdir: Annotated[
        Path | None,
        typer.Option(help="Folder that a restart runs in; its files are sent. Default: this folder."),
    ] = None,
    env_from: Annotated[
        str,
        typer.Option(
            help="Variables that a restart may take from the environment, e.g. HF_TOKEN,WANDB_API_KEY."
        ),
    ] = "",
    owner: Annotated[str, typer.Option(help="Who may approve: a Slack user id or user@host.")] = "",
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the jobs and exit with their status.")
    ] = False,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Run the service in this terminal until the jobs end.")
    ] = False,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines/--no-lines",
            help="With --foreground: also print the logs of the jobs and their children (default).",
        ),
    ] = True,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Watch one or more jobs: report what goes wrong, and propose a restart where it helps.

    A background service does the watching, also after this command has ended. It is started if none runs.

    Exit codes with --wait or --foreground: 0 the jobs succeeded, 1 failed, 10 stopped by a person,
    11 can never be scheduled, 12 lost its machines.
    """
    from babysitter.surfaces.cli.serving.log_output import log_to_stderr
    from babysitter.surfaces.cli.terminal.run_async import run_async

    if foreground:
        log_to_stderr(warnings_only=True)
    chosen = settings_from(settings, state_dir)
    session = session_from(ray_session, log, jobs, must_run=True, ssh=ssh)
    if session is not None:
        spec, jobs = session[0], [session[1]]
    else:
        spec = cluster_from(
            chosen, ClusterOptions(cluster, controller_url, config, iris_command, transport, ray)
        )
    again = _Again(_submission(resubmit, spec), workdir, env_from)
    code = run_async(
        _start(
            chosen,
            settings,
            jobs or (),
            spec,
            again,
            owner,
            as_json=as_json,
            stays=wait or foreground,
            serves=foreground,
            prints_lines=lines,
        )
    )
    raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class _Again:
    """How the jobs would be submitted again, as the command line says."""

    resubmit: "Submission | None"
    workdir: Path | None
    env_from: str

    @property
    def is_default(self) -> bool:
        """Whether nothing was said: then a job that is watched already needs no new watch."""
        return self.resubmit is None and self.workdir is None and not self.env_from


async def _start(
    settings: "Settings",
    settings_file: Path | None,
    jobs: Sequence[str],
    spec: "ClusterSpec",
    again: _Again,
    owner: str,
    *,
    as_json: bool,
    stays: bool,
    serves: bool,
    prints_lines: bool,
) -> int:
    from babysitter.errors import AlreadyWatched, BabysitError
    from babysitter.model.ids import Person
    from babysitter.surfaces.cli.serving.serve import keep_served, own_notifiers, while_served
    from babysitter.usecases.submitting.resubmit_command import context_of
    from babysitter.usecases.watching.manage_watches import set_client_command, start_watch
    from babysitter.wiring import open_app, state_folder_of

    context = await context_of(
        again.workdir,
        here=Path.cwd(),
        state_folder=state_folder_of(settings),
        env_from=again.env_from,
        is_needed=again.resubmit is not None,
    )
    for name in context.env_from:
        if name not in os.environ:
            typer.echo(
                f"{name} is not set here: a restart takes it from the service's environment.", err=True
            )
    notifiers = own_notifiers(settings, is_json=as_json) if serves else ()
    async with open_app(settings, notifiers=notifiers) as app:
        watches: list[Watch] = []
        known: set[WatchId] = set()
        faults: list[BabysitError] = []
        for job in jobs:
            try:
                if again.is_default and (changed := await set_client_command(app, job, spec)) is not None:
                    watches.append(changed)
                    known.add(changed.id)
                    continue
                watches.append(
                    await start_watch(
                        app,
                        job,
                        spec,
                        by=me(),
                        resubmit=again.resubmit,
                        context=context,
                        owner=Person(owner) if owner else None,
                        replaces_finished=True,
                    )
                )
            except BabysitError as fault:
                faults.append(fault)
        # A job that was watched already is a promise too: it is kept, whatever else went wrong here.
        began_here = serves
        if not serves and (
            watches or any(isinstance(babysit_error, AlreadyWatched) for babysit_error in faults)
        ):
            with when_interrupted(_left_to_begin(watches)):
                began_here = await keep_served(app, settings_file)
        # Begun before the first line is printed: whoever reads it may press Ctrl+C at once.
        with when_interrupted(_left_behind(watches, stays=stays, serves=serves)):
            await _print_begun(
                app, watches, known, began_here=began_here, serves=serves, as_json=as_json, faults=faults
            )
            if faults:
                raise _all_of(faults)
            if serves:
                return await _in_foreground(app, watches, prints_lines=prints_lines and not as_json)
            if not stays:
                return 0
            waiting = while_served(app, settings_file, exit_code_of(app, [watch.id for watch in watches]))
            is_looked_at = sys.stdout.isatty() and not as_json
            return await (_shown(app, [watch.id for watch in watches], waiting) if is_looked_at else waiting)


def _left_behind(watches: "Sequence[Watch]", *, stays: bool, serves: bool) -> str:
    """What becomes of the watches when this command is interrupted; empty where it would not have stayed."""
    if not watches or not stays:
        return ""
    if serves:
        return "Nothing is looked at any more. To go on: babysit serve"
    return f"The watch goes on without you. See: babysit status {shlex.quote(watches[0].root)}"


def _left_to_begin(watches: "Sequence[Watch]") -> str:
    """What becomes of the watches when this command is interrupted before the service runs."""
    job = f" {shlex.quote(watches[0].root)}" if watches else ""
    return f"What is watched is stored. See whether the service runs: babysit status{job}"


async def _print_begun(
    app: "App",
    watches: "Sequence[Watch]",
    known: "Collection[WatchId]",
    *,
    began_here: bool,
    serves: bool,
    as_json: bool,
    faults: "Sequence[BabysitError]",
) -> None:
    """Print what is watched from now on, who is told of incidents, and what a restart will lack.

    `known`: the watches that were there already.
    """
    from babysitter.redact import redact
    from babysitter.surfaces.notified_channels import channels_of, told_sentence
    from babysitter.surfaces.views import ServiceView, StatusReply
    from babysitter.surfaces.watch_view import watch_view
    from babysitter.usecases.submitting.start_checks import already_ended, begun_sentence, restart_warnings
    from babysitter.usecases.watching.manage_watches import watch_status

    ended = {watch.id: await already_ended(app, watch) for watch in watches}
    channels = await channels_of(app, began_here=began_here)
    warnings = [redact(warning) for watch in watches for warning in await restart_warnings(app, watch)]
    if as_json and (watches or not faults):
        views = [watch_view(await watch_status(app, watch.id)) for watch in watches]
        runs = serves or await app.leadership.somebody_serves()
        service = ServiceView(runs=runs, channels=list(channels))
        reply = StatusReply(watches=views, service=service, resubmit_warnings=warnings)
        typer.echo(reply.model_dump_json())
    if as_json:
        return
    for warning in warnings:
        typer.echo(f"Warning: {warning}", err=True)
    for watch in () if serves else watches:
        typer.echo(begun_sentence(watch, ended[watch.id], was_watched=watch.id in known))
    if watches:
        typer.echo(told_sentence(channels))


async def _in_foreground(app: "App", watches: "Sequence[Watch]", *, prints_lines: bool) -> int:
    """Serve in this process until the jobs have ended; meanwhile print their lines and phases."""
    from babysitter.surfaces.cli.serving.serve import served_here
    from babysitter.surfaces.cli.watching.job_output import print_beside

    ended = exit_code_of(app, [watch.id for watch in watches])
    with hidden_waits():
        try:
            code = await served_here(app, print_beside(app, watches, ended) if prints_lines else ended)
        finally:
            ended.close()  # interrupted before anybody awaited it
    async with app.store.reading() as tx:
        others = {unfinished_watch.id for unfinished_watch in await tx.watches.unfinished()} - {
            watch.id for watch in watches
        }
    if others:
        typer.echo(f"Other watches go on when a service runs ({len(others)}): babysit serve", err=True)
    return code


async def _shown(app: "App", watches: "Sequence[WatchId]", ended: Coroutine[Any, Any, int]) -> int:
    """Draw how the jobs are doing for as long as somebody waits for them."""
    from rich.console import Group
    from rich.live import Live

    from babysitter.surfaces.cli.terminal import terminal_view
    from babysitter.surfaces.cli.watching.status import REDRAW_INTERVAL_S
    from babysitter.surfaces.watch_view import watch_view
    from babysitter.usecases.watching.manage_watches import watch_status

    waiting = asyncio.create_task(ended)
    try:
        with hidden_waits(), Live(console=terminal_view.console(), refresh_per_second=4) as live:
            while not waiting.done():
                await asyncio.wait((waiting,), timeout=REDRAW_INTERVAL_S)
                views = [watch_view(await watch_status(app, watch)) for watch in watches]
                live.update(Group(*(terminal_view.watch_page(view, now=app.clock.now()) for view in views)))
        return await waiting
    finally:
        waiting.cancel()


@contextmanager
def when_interrupted(sentence: str) -> Iterator[None]:
    """Print what becomes of the watches when Ctrl+C ends this; an empty sentence prints nothing."""
    try:
        yield
    except asyncio.CancelledError:
        if sentence:
            typer.echo(f"\n{sentence}", err=True)
        raise


def _all_of(faults: "Sequence[BabysitError]") -> "BabysitError":
    """One error that names everything that went wrong; of the kind of the first."""
    sentences = dict.fromkeys(fault.sentence for fault in faults)
    steps = dict.fromkeys(fault.next_step for fault in faults if fault.next_step)
    return type(faults[0])(" ".join(sentences), next_step=" ".join(steps))


async def exit_code_of(app: "App", watches: "Sequence[WatchId]") -> int:
    """The exit code of the worst outcome, once every watch has ended."""
    from babysitter.usecases.watching.wait_for import WaitCondition, WakeReason, wait_for

    worst = 0
    for watch in watches:
        while True:
            waited = await wait_for(app, watch, until=(WaitCondition.TERMINAL,), at_most_s=3600.0)
            if waited.woken is WakeReason.TERMINAL:
                break
        outlook = waited.watch.outlook
        state = outlook.job_state if outlook else None
        worst = max(worst, EXIT_OF_STATE.get(state or "", 1))
    return worst


def _submission(command: str | None, spec: "ClusterSpec") -> "Submission | None":
    if command is None:
        return None
    from babysitter.engine.cluster_pool import runs_programs
    from babysitter.usecases.submitting.resubmit_command import submission_of

    return submission_of(command, is_program=runs_programs(spec))
