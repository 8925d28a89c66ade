"""`serve`: the service in this terminal, or in the background where `start` needs one."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from babysitter.surfaces.cli.options import SettingsFile, StateDir, settings_from

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.notify.base import Notifier
    from babysitter.service.hall import Hall

LOG_NAME = "service.log"


def serve(settings: SettingsFile = None, state_dir: StateDir = None) -> None:
    """Run the service in this terminal, until Ctrl+C."""
    typer.echo("babysit serves; Ctrl+C ends it. Watches are kept.", err=True)
    asyncio.run(_serve(settings_from(settings, state_dir)))


async def _serve(settings: "Settings") -> None:
    from babysitter.service.run import Service
    from babysitter.service.wiring import open_hall

    async with open_hall(settings, notifiers=(console_notifier(),)) as hall, Service(hall) as service:
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, service.stop)
        hearing = asyncio.create_task(_hear_slack(hall))
        try:
            await service.until_stopped()
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)


async def _hear_slack(hall: "Hall") -> None:
    """Take presses of buttons for as long as the service runs, where Slack is configured for them."""
    from babysitter.config import secret

    slack = hall.settings.slack
    app_token = secret(slack.app_token, slack.app_token_file, what="Slack app token")
    notifier = hall.notifier("slack")
    if notifier is None or not app_token:
        return
    from babysitter.notify.slack import SlackNotifier
    from babysitter.surfaces.slack.reception import Reception
    from babysitter.surfaces.slack.surface import SlackSurface

    assert isinstance(notifier, SlackNotifier)
    reception = Reception(hall)
    surface = SlackSurface(
        notifier.client, notifier, reception, hall.clock, app_token=app_token, world=hall.world
    )
    reception.members_of = surface.people.members_of
    await surface.run()


def console_notifier() -> "Notifier":
    """Tells this terminal."""
    from babysitter.service.wiring import terminal_notifier

    return terminal_notifier(sys.stdout)


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
