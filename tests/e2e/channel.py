"""A channel in which a babysit speaks: service, Slack and cluster are real, time is the only made-up part."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.config.settings import SlackSettings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.model.ids import JobId, Person
from babysitter.model.message import ButtonKind
from babysitter.model.proposal import ProposalStatus
from babysitter.model.submission import Submission
from babysitter.sim.iris.controller import Simulator
from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.sockets import Ack
from babysitter.sim.slack.workspace import Message
from babysitter.slack.http_endpoint import PATH
from babysitter.slack.interactivity import SlackInteractivity
from babysitter.slack.run_interactivity import run_interactivity
from babysitter.usecases.watching.manage_watches import start_watch, watch_status
from babysitter.wiring import open_app
from tests.support.clock import FakeClock
from tests.support.sim_app import opener

IRIS_COMMAND = (sys.executable, "-m", "babysitter.sim.iris", "--as", "may")
CARD_TITLES = ("Zombie", "Over: Zombie")
ADA, BOB, EVE = Person("U0ADA"), Person("U0BOB"), Person("U0EVE")


@dataclass
class Channel:
    """A job, its babysitter, and the channel in which it speaks."""

    slack: SlackServer
    sim: Simulator
    clock: FakeClock
    app: App
    service: Service
    surface: SlackInteractivity
    watch: Any

    async def pass_s(self, seconds: float, step_s: float = 10.0) -> None:
        for _ in range(int(seconds / step_s)):
            self.clock.advance(step_s)
            await self.service.tick()
            await self.service.settled()

    async def offer(self) -> None:
        await self.pass_s(300, 20.0)
        assert (await self.proposal()).status is ProposalStatus.OPEN

    async def proposal(self):
        return (await watch_status(self.app, self.watch.id)).proposals[-1]

    async def press(self, user: str, button: ButtonKind = ButtonKind.APPROVE, **how: Any) -> tuple[Ack, str]:
        """The acknowledgement, and what this person alone was told."""
        before = len(self.slack.ephemerals)
        ack = await self.slack.click(user, str(button), **how)
        await self.surface.door.settled()
        told = " ".join(
            ephemeral.text for ephemeral in self.slack.ephemerals[before:] if ephemeral.user == user
        )
        return ack, told

    async def events(self, kind: type) -> list[Any]:
        async with self.app.store.reading() as tx:
            happened = [stored.event for stored in await tx.events.after(0, at_most=10_000)]
        return [event for event in happened if isinstance(event, kind)]

    def card(self) -> Message:
        """The newest message about an incident, as it looks now."""
        cards = [message for message in self.slack.messages if "Evidence" in str(message.blocks)]
        return next(message for message in reversed(cards) if message.text.startswith(CARD_TITLES))

    def shown(self, message: Message) -> str:
        return str(message.blocks) + message.text


@asynccontextmanager
async def channel(
    folder: Path,
    *,
    scenario: str = "zombie",
    over_http: bool = False,
    resubmit: Submission | None = None,
    **settings: Any,
) -> AsyncIterator[Channel]:
    clock = FakeClock()
    async with SlackServer() as slack, Simulator(scenario, clock.now) as sim:
        given = SlackSettings(
            bot_token=slack.bot_token,
            app_token=None if over_http else slack.app_token,
            signing_secret=slack.signing_secret if over_http else None,
            listen="127.0.0.1:0",
            channel="C0JOBS",
            api_url=slack.base_url,
        )
        wanted = Settings(state_dir=folder, slack=given, **({"approvers": ((ADA, BOB),)} | settings))
        async with (
            open_app(wanted, clock=clock, opener=opener(clock, sim)) as app,
            Service(app) as service,
            # Slack's own seconds are real: signatures and pings know no compressed clock.
            run_interactivity(app, wall_clock=SystemClock()) as surface,
        ):
            assert surface is not None
            await slack.until(lambda: surface.port if over_http else not surface.trouble)
            slack.interactivity_url = f"http://127.0.0.1:{surface.port}{PATH}" if over_http else ""
            spec = ClusterSpec(
                "marin", url=sim.url, iris_command=IRIS_COMMAND, client_revision_date="2026-11-20"
            )
            watch = await start_watch(app, JobId(sim.root_job), spec, by=ADA, resubmit=resubmit)
            yield Channel(slack, sim, clock, app, service, surface, watch)
