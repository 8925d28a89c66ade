"""Slack's buttons for as long as a service runs, in whatever process that is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import structlog

from babysitter.clock import Clock
from babysitter.config import secret
from babysitter.engine.app import App
from babysitter.errors import UserError
from babysitter.model.proposal import Surface
from babysitter.slack.approval_adapter import ApprovalAdapter
from babysitter.slack.interactivity import SlackInteractivity

REPORT_EVERY = timedelta(seconds=2)
FIRST_PAUSE, MAX_PAUSE = timedelta(seconds=5), timedelta(minutes=1)

log = structlog.get_logger(__name__)


@asynccontextmanager
async def run_interactivity(
    app: App, *, wall_clock: Clock | None = None
) -> AsyncIterator[SlackInteractivity | None]:
    """Take presses while the block lasts, where Slack is configured for them; None where it is not.

    What goes wrong meanwhile ends nothing: it is told in `app.troubles`, and answers are still taken in
    the terminal. `wall_clock`: the real time, where the app's is compressed.
    """
    wall_clock = wall_clock or app.wall_clock
    surface = _surface(app, wall_clock)
    if surface is None:
        yield None
        return
    running = asyncio.create_task(_run(surface, app, wall_clock))
    try:
        yield surface
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        app.approval_checks.pop(Surface.SLACK, None)


def _surface(app: App, wall_clock: Clock) -> SlackInteractivity | None:
    from babysitter.slack.posting import SlackNotifier

    slack, notifier = app.settings.slack, app.notifier("slack")
    app_token = secret(slack.app_token, slack.app_token_file, what="Slack app token")
    signing_secret = secret(slack.signing_secret, slack.signing_secret_file, what="Slack signing secret")
    if not isinstance(notifier, SlackNotifier) or not (app_token or signing_secret):
        return None
    host, _, port = slack.listen.rpartition(":")
    reception = ApprovalAdapter(app)
    surface = SlackInteractivity(
        notifier.client,
        notifier,
        reception,
        app.clock,
        app_token=app_token,
        signing_secret=signing_secret,
        listen=(host.strip("[]"), int(port)),
        wall_clock=wall_clock,
    )
    reception.members_of = surface.people.members_of
    reception.objection_to = surface.people.objection_to
    app.approval_checks[Surface.SLACK] = reception.vouch
    return surface


async def _run(surface: SlackInteractivity, app: App, wall_clock: Clock) -> None:
    """Take presses until cancelled. What breaks is shown in `status` and begun again after a pause."""
    pause = FIRST_PAUSE
    while True:
        began = wall_clock.now()
        trouble = await _run_once(surface, app, wall_clock)
        app.troubles["slack"] = f"{trouble} Answer in the terminal meanwhile; it is tried again."
        if abs(wall_clock.now() - began) > MAX_PAUSE:
            pause = FIRST_PAUSE  # it worked for a while
        await wall_clock.sleep_until(wall_clock.now() + pause)
        pause = min(MAX_PAUSE, pause * 2)


async def _run_once(surface: SlackInteractivity, app: App, wall_clock: Clock) -> str:
    """Why it ended, in a sentence; it ends by a fault only."""
    reporting = asyncio.create_task(_report(surface, app, wall_clock))
    try:
        await surface.run()
    except UserError as fault:
        log.error("slack_clicks_not_received", because=fault.sentence)
        return str(fault)
    except Exception as fault:  # the top of Slack's door: the watches are looked after without it
        log.exception("slack_surface_crashed")
        return f"Slack's buttons are not heard: a fault of babysit's own ({type(fault).__name__})."
    finally:
        reporting.cancel()
        await asyncio.gather(reporting, return_exceptions=True)
    return "Slack's buttons are not heard: the connection was given up."


async def _report(surface: SlackInteractivity, app: App, wall_clock: Clock) -> None:
    """Keep what is wrong with the socket where `status` finds it."""
    while surface.socket is not None:
        if surface.trouble:
            app.troubles["slack"] = surface.trouble
        else:
            app.troubles.pop("slack", None)
        await wall_clock.sleep_until(wall_clock.now() + REPORT_EVERY)
