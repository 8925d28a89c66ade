"""`serve`: the service in this terminal, or in the background where `start` needs one."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from babysitter.surfaces.cli.terminal.options import SettingsFile, StateDir, settings_from
from babysitter.waits import hidden_waits, waiting_for

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.app import App
    from babysitter.errors import ExternalError
    from babysitter.notify.notifier import Notifier

LOG_NAME = "service.log"
THIS_PROGRAM = (sys.executable, "-m", "babysitter")  # as a command that starts it anew
BEGINS_TIMEOUT_S = 60.0  # a machine that is busy with jobs starts a process in seconds; a hang is for ever
ENDS_TIMEOUT_S = 30.0
SERVED_EVERY = timedelta(seconds=10)  # between checks that the service still runs
NEXT_CHECK = "next check of the service"  # name of the task that waits for it
T = TypeVar("T")


def serve(
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    background: Annotated[
        bool, typer.Option("--background", help="Detached from this terminal, as `start` does it.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="End the running service instead; watches are kept.")
    ] = False,
) -> None:
    """Run the service in this terminal, until Ctrl+C.

    A running service keeps the settings it began with: after a change, --stop it and begin anew.
    """
    from babysitter.surfaces.cli.serving.log_output import log_to_stderr
    from babysitter.surfaces.cli.terminal.run_async import run_async

    log_to_stderr()
    chosen = settings_from(settings, state_dir)
    if stop:
        typer.echo(_stop(chosen))
    elif background:
        typer.echo(run_async(_begin(chosen, settings)))
    else:
        run_async(_serve(chosen))


async def _serve(settings: "Settings") -> None:
    from babysitter.engine.service import Service
    from babysitter.slack.run_interactivity import run_interactivity
    from babysitter.surfaces.web.web_server import serve_http
    from babysitter.usecases.answering.terminal_answers import deciding_terminal_answers
    from babysitter.wiring import open_app

    async with (
        open_app(settings, notifiers=own_notifiers(settings)) as app,
        Service(app) as service,
        run_interactivity(app) as slack,
        serve_http(app, slack),
        deciding_terminal_answers(app),
    ):
        typer.echo("babysit serves; Ctrl+C ends it. Watches are kept.", err=True)
        loop = asyncio.get_running_loop()
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signal_number, service.stop)
        with hidden_waits(), finding_jobs(app):  # a service waits all the time
            await service.until_stopped()


@contextlib.contextmanager
def finding_jobs(app: "App") -> Iterator[None]:
    """Meanwhile watches begin by themselves: of followed jobs, and of submissions that were interrupted."""
    from babysitter.usecases.following.keep_following import keep_following
    from babysitter.usecases.submitting.expected_jobs import keep_watching_expected

    beside = [
        asyncio.create_task(keep_watching_expected(app), name="expected jobs"),
        asyncio.create_task(keep_following(app), name="follow"),
    ]
    try:
        yield
    finally:
        for task in beside:
            task.cancel()


async def served_here(app: "App", work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` returns; meanwhile this process is the service.

    Raises AlreadyServed, and what ends the service before the work: FactsChanged when it was taken over.
    """
    from babysitter.engine.service import Service
    from babysitter.slack.run_interactivity import run_interactivity
    from babysitter.surfaces.web.web_server import serve_http
    from babysitter.usecases.answering.terminal_answers import deciding_terminal_answers

    working: asyncio.Future[T] | None = None
    try:
        async with (
            Service(app) as service,
            run_interactivity(app) as slack,
            serve_http(app, slack),
            deciding_terminal_answers(app),
        ):
            serving = asyncio.create_task(service.until_stopped())
            try:
                with finding_jobs(app):
                    working = asyncio.ensure_future(work)
                    result = await _unless_ended(working, serving)
                service.stop()
                await serving
            finally:
                # Also when interrupted: an activity that goes on finds the database closed.
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)
        return result
    finally:
        if working is None:
            work.close()


async def _unless_ended(working: asyncio.Future[T], serving: "asyncio.Task[None]") -> T:
    try:
        await asyncio.wait((working, serving), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        return await working
    finally:
        working.cancel()


def own_notifiers(settings: "Settings", *, is_json: bool = False) -> "tuple[Notifier, ...]":
    """Notifiers of this machine (terminal, desktop), for the serving process."""
    from babysitter.clock import SystemClock
    from babysitter.wiring import local_notifiers

    return local_notifiers(settings, SystemClock(), os.environ, None if is_json else sys.stdout)


def _stop(settings: "Settings") -> str:
    """Ask the service of this state folder to end, and wait until it has."""
    from babysitter.engine.service_lock import is_served, serving_process
    from babysitter.errors import UserError
    from babysitter.wiring import state_folder_of

    folder = state_folder_of(settings)
    process = serving_process(folder)
    if process is None:
        raise UserError(
            f"No service of this machine serves {folder}.",
            next_step="`babysit status` says whether one runs elsewhere.",
        )
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + ENDS_TIMEOUT_S
    with waiting_for(f"the service to end (process {process})"):
        while is_served(folder):
            if time.monotonic() > deadline:
                raise UserError(
                    f"The service (process {process}) was asked to end and still works on something.",
                    next_step="Wait a little; its log is service.log in the state folder.",
                )
            time.sleep(0.05)
    return "The service has ended. Watches are kept; nothing is looked at until it runs again."


async def _begin(settings: "Settings", file: Path | None) -> str:
    from babysitter.errors import AlreadyServed, UserError
    from babysitter.wiring import open_app, state_folder_of

    async with open_app(settings) as app:
        if await app.leadership.somebody_serves():
            raise AlreadyServed(
                "The service runs already.", next_step="`babysit serve --stop` ends it, for new settings."
            )
        await keep_served(app, file)
        if not await app.leadership.somebody_serves():
            raise UserError(
                "The service did not begin.", next_step=f"See {state_folder_of(settings) / LOG_NAME}."
            )
    return "The service runs in the background. Watches are looked after."


async def keep_served(app: "App", file: Path | None) -> bool:
    """Start the service in the background where none runs: without it nothing is looked at.

    Return True if this call started it, so that it has the settings of this process.
    """
    if await app.leadership.somebody_serves():
        return False
    service = in_background(app.settings, file)
    deadline = time.monotonic() + BEGINS_TIMEOUT_S
    # Else `status` would say for a moment that nothing is looked at. A service that ended will not begin.
    with waiting_for("the service to begin"):
        while not await app.leadership.somebody_serves() and time.monotonic() < deadline:
            if service.poll() is not None:
                return False
            await asyncio.sleep(0.05)
    return True


async def while_served(app: "App", file: Path | None, work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` returns; meanwhile start the service, and start it again whenever it has ended.

    Raises WorldError when the service does not begin: nothing would ever happen.
    """
    working = asyncio.create_task(work)
    is_again = False
    try:
        while not working.done():
            began = await keep_served(app, file)
            if began and is_again:
                typer.echo("The service had ended; it was started again.", err=True)
            if not began and not working.done() and not await app.leadership.somebody_serves():
                raise _not_begun(app)
            is_again = True
            next_check = app.clock.sleep_until(app.clock.now() + SERVED_EVERY)
            pause = asyncio.create_task(next_check, name=NEXT_CHECK)
            await asyncio.wait({working, pause}, return_when=asyncio.FIRST_COMPLETED)
            pause.cancel()
        return await working
    finally:
        working.cancel()


def _not_begun(app: "App") -> "ExternalError":
    from babysitter.errors import ExternalError
    from babysitter.wiring import state_folder_of

    return ExternalError(
        "The service that looks after the jobs did not begin.",
        next_step=f"See {state_folder_of(app.settings) / LOG_NAME}, or start it with `babysit serve`, "
        "which says what is wrong.",
    )


def in_background(settings: "Settings", file: Path | None) -> "subprocess.Popen[bytes]":
    """Start a service of its own, detached from this terminal; its words go to a file in the state folder."""
    from babysitter.private_files import make_private_folder, open_private_bytes
    from babysitter.wiring import state_folder_of

    folder = state_folder_of(settings)
    make_private_folder(folder)
    command = [*THIS_PROGRAM, "serve", "--state-dir", str(folder)]
    if file is not None:
        command += ["--settings", str(file.resolve())]
    with open_private_bytes(folder / LOG_NAME, "ab") as log:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
