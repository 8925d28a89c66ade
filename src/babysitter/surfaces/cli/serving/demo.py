"""`demo`: the whole story on a simulated cluster."""

import asyncio
import contextlib
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from babysitter.errors import BabysitError
from babysitter.surfaces.cli.serving.sim import STAND_IN
from babysitter.surfaces.cli.terminal.options import me
from babysitter.waits import hidden_waits

if TYPE_CHECKING:
    from rich.console import Console

    from babysitter.config import Settings
    from babysitter.engine.app import App
    from babysitter.model.ids import WatchId
    from babysitter.sim.slack import SlackServer
    from babysitter.surfaces.views import WatchView

T = TypeVar("T")

SPEED = 15.0
SUBMITTED_FOR_S = 8.0  # the job runs, and has completed nothing: the smoke check can be seen
MAX_S = 900.0  # real seconds; half a minute where nothing else runs
LOOK_INTERVAL_S = 0.3
PRESSER = "U0ADA"  # of the simulated workspace


def demo(
    yes: Annotated[bool, typer.Option("--yes", help="Approve without waiting for an answer.")] = False,
    speed: Annotated[
        float, typer.Option(min=1.0, max=60.0, help="Cluster seconds in one real second.")
    ] = SPEED,
    slack_sim: Annotated[
        bool,
        typer.Option("--slack-sim", help="Also show a simulated Slack in your browser, with buttons."),
    ] = False,
) -> None:
    """Show the life of a job on a simulated cluster, in half a minute: it works, hangs, and is restarted.

    babysit asks you to approve the restart. Nothing outside this machine is touched.
    """
    asks = not yes and sys.stdin.isatty()
    with tempfile.TemporaryDirectory(prefix="babysit-demo-") as folder, hidden_waits():
        asyncio.run(_demo(Path(folder), speed, asks=asks, in_slack=slack_sim))


async def _demo(folder: Path, speed: float, *, asks: bool, in_slack: bool) -> None:
    from babysitter.clock import PacedClock, SystemClock
    from babysitter.engine.cluster_pool import spec_from_options
    from babysitter.engine.service import Service
    from babysitter.sim.iris.command import BUILT_ON
    from babysitter.sim.iris.controller import Simulator
    from babysitter.sim.slack import SlackServer
    from babysitter.slack.run_interactivity import run_interactivity
    from babysitter.surfaces.cli.serving.log_output import log_to_stderr
    from babysitter.surfaces.cli.terminal import terminal_view
    from babysitter.usecases.answering.terminal_answers import deciding_terminal_answers
    from babysitter.usecases.incidents.report import report
    from babysitter.usecases.watching.manage_watches import start_watch
    from babysitter.wiring import open_app

    log_to_stderr(errors_only=True)
    console, clock, wall_clock = terminal_view.console(), PacedClock(speed=speed), SystemClock()
    async with (
        SlackServer() as slack,
        open_app(_settings(folder, slack if in_slack else None), clock=clock, wall_clock=wall_clock) as app,
        _ready(app),  # before the cluster's quick clock runs
        Simulator("zombie", clock.now) as cluster,
        Service(app) as service,
        run_interactivity(app),
        deciding_terminal_answers(app),
    ):
        console.rule(f"{cluster.root_job} on a simulated cluster, {speed:g} times as fast")
        if in_slack:
            console.print(f"The channel is at {slack.address}")
        spec = spec_from_options(controller_url=cluster.url, iris_command=STAND_IN)
        spec = replace(spec, client_revision_date=BUILT_ON)
        await clock.sleep_until(clock.now() + timedelta(seconds=SUBMITTED_FOR_S))
        clock.keep_behind(lambda: service.schedule.undone_at)
        watch = await start_watch(app, cluster.root_job, spec, by=me())
        serving = asyncio.create_task(service.until_stopped())
        try:
            # Somebody who may answer may think for as long as they like.
            async with asyncio.timeout(None if asks else MAX_S):
                await _story(console, app, watch.id, asks=asks, slack=slack if in_slack else None)
        except TimeoutError as late:
            raise BabysitError("The demo did not come to its end in time.") from late
        finally:
            service.stop()
            await serving
        console.rule("the timeline: babysit report")
        console.print(await report(app, watch.id), markup=False)
        others = [job for job in cluster.cluster.runs if job not in (cluster.root_job, *cluster.launched)]
        console.print(
            f"Submitted: {', '.join(cluster.launched) or 'nothing'}. Left alone: {', '.join(others)}."
        )
        if in_slack:
            await service.deliverer.settled()
            console.print(f"Said in Slack: {len(slack.messages)} messages, each once.")
            if asks:
                await _asked(lambda: input(f"The channel stays at {slack.address} until you press Enter. "))


@contextlib.asynccontextmanager
async def _ready(app: "App") -> AsyncIterator[None]:
    """The rules read and compiled: the first time ever that takes seconds."""
    from babysitter.engine.rules.reload_rules import load_rules, prepare_rules

    await load_rules(app)
    await prepare_rules(app)
    yield


def _settings(folder: Path, slack: "SlackServer | None") -> "Settings":
    """Those of a state folder of its own; with Slack, those of the simulated workspace too."""
    from babysitter.config import Settings

    if slack is None:
        return Settings(state_dir=folder)
    return Settings.model_validate(
        {
            "state_dir": folder,
            "approvers": [[PRESSER, me()]],
            "slack": {
                "bot_token": slack.bot_token,
                "app_token": slack.app_token,
                "channel": slack.channel.id,
                "api_url": slack.base_url,
            },
        }
    )


async def _story(
    console: "Console", app: "App", watch: "WatchId", *, asks: bool, slack: "SlackServer | None"
) -> None:
    """Show every change until the restarted job has ended; answer the offer when it comes."""
    from babysitter.surfaces.cli.terminal import terminal_view
    from babysitter.surfaces.cli.watching.phase_line import phase_line
    from babysitter.surfaces.watch_view import watch_view
    from babysitter.usecases.watching.manage_watches import watch_status

    shown = ""
    answered: set[str] = set()
    while True:
        view = watch_view(await watch_status(app, watch))
        now = app.clock.now()
        if (summary := _summary(view)) != shown:
            shown = summary
            console.print(f"[dim]{now:%H:%M:%S}[/dim]", phase_line(view))
        offer = next((incident.proposal for incident in view.incidents if incident.proposal), None)
        if offer is not None and offer.status == "open" and offer.id not in answered:
            answered.add(offer.id)
            console.print(terminal_view.watch_page(view, now=now))
            if slack is None:
                await _approve(console, app, offer.id, offer.successor, asks=asks)
            else:
                await _approve_in_slack(console, slack, asks=asks)
        if offer is not None and offer.status == "denied":
            console.print("The job is left alone, and this restart is not proposed again.")
            return
        if view.phase == "finished":
            console.print(terminal_view.watch_page(view, now=now))
            return
        await asyncio.sleep(LOOK_INTERVAL_S)


async def _approve(console: "Console", app: "App", proposal: str, successor: str, *, asks: bool) -> None:
    """The viewer's answer; where nobody can answer, the demo does, on its own cluster only."""
    from babysitter.model.ids import ProposalId
    from babysitter.model.proposal import Answer, Surface
    from babysitter.usecases.answering.approvals import decide

    question = f"Approve the restart as {successor}?"
    if asks:
        said = await _asked(lambda: typer.confirm(question))
    else:
        console.print(f"{question} [y/N]: y   (the demo answers for you)", markup=False)
        said = True
    ruling = await decide(
        app, ProposalId(proposal), me(), Answer.YES if said else Answer.NO, Surface.TERMINAL
    )
    console.print(ruling.sentence)


async def _approve_in_slack(console: "Console", slack: "SlackServer", *, asks: bool) -> None:
    """The viewer presses the button on the page; where nobody can, the demo does."""
    await slack.until(
        lambda: any("approve" in str(message.buttons) for message in slack.messages), within_s=20.0
    )
    if asks:
        console.print(f"[bold]Press Approve restart at {slack.address}[/bold]")
        return
    console.print("Approve restart: pressed in Slack   (the demo presses for you)", markup=False)
    await slack.click(PRESSER, "approve")


async def _asked(question: Callable[[], T]) -> T:
    """What somebody types, while everything else goes on. Ctrl+C does not wait for them."""
    answer: Future[T] = Future()

    def ask() -> None:
        with contextlib.suppress(InvalidStateError):  # nobody waits any more
            try:
                answer.set_result(question())
            except BaseException as gone:  # noqa: BLE001  Ctrl+D, a closed terminal: for who asked
                answer.set_exception(gone)

    threading.Thread(target=ask, daemon=True).start()  # the loop waits for its own threads at its end
    return await asyncio.wrap_future(answer)


def _summary(view: "WatchView") -> str:
    stage = (
        next(
            (stage_progress.label for stage_progress in view.outlook.stages if stage_progress.is_current), ""
        )
        if view.outlook
        else ""
    )
    return f"{view.job} {view.phase} {view.is_blind} {stage}"
