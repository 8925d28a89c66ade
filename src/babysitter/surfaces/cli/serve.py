"""`serve`: the service in this terminal, or in the background where `start` needs one."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from babysitter.surfaces.cli.options import SettingsFile, StateDir, settings_from

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.notify.base import Notifier

LOG_NAME = "service.log"
BEGINS_WITHIN_S = 5.0


def serve(settings: SettingsFile = None, state_dir: StateDir = None) -> None:
    """Run the service in this terminal, until Ctrl+C."""
    from babysitter.surfaces.cli.logs import log_to_stderr

    log_to_stderr()
    asyncio.run(_serve(settings_from(settings, state_dir)))


async def _serve(settings: "Settings") -> None:
    from babysitter.service.run import Service
    from babysitter.service.wiring import open_hall
    from babysitter.surfaces.slack.serving import hearing
    from babysitter.surfaces.web.app import telling

    async with (
        open_hall(settings, notifiers=(console_notifier(),)) as hall,
        Service(hall) as service,
        hearing(hall) as slack,
        telling(hall, slack),
    ):
        typer.echo("babysit serves; Ctrl+C ends it. Watches are kept.", err=True)
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, service.stop)
        await service.until_stopped()


def console_notifier() -> "Notifier":
    """Tells this terminal."""
    from babysitter.service.wiring import terminal_notifier

    return terminal_notifier(sys.stdout)


def keep_served(settings: "Settings", file: Path | None) -> None:
    """Start the service in the background where none runs: without it nothing is looked at."""
    from babysitter.service.replicas import is_served
    from babysitter.service.wiring import state_folder_of

    folder = state_folder_of(settings)
    if is_served(folder):
        return
    in_background(settings, file)
    deadline = time.monotonic() + BEGINS_WITHIN_S
    while not is_served(folder) and time.monotonic() < deadline:
        time.sleep(0.05)  # else `status` would say for a moment that nothing is looked at


def in_background(settings: "Settings", file: Path | None) -> None:
    """Start a service of its own, detached from this terminal; its words go to a file in the state folder."""
    from babysitter.service.wiring import state_folder_of

    folder = state_folder_of(settings)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    command = [sys.executable, "-m", "babysitter", "serve", "--state-dir", str(folder)]
    if file is not None:
        command += ["--settings", str(file.resolve())]
    with (folder / LOG_NAME).open("ab") as log:
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
