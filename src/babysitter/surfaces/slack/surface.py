"""Slack's inward side, put together: who may press, what a press does, and how presses come in."""

import asyncio
from typing import TYPE_CHECKING

from babysitter.clock import Clock, SystemClock
from babysitter.notify.slack import SlackNotifier
from babysitter.surfaces.slack.app import SlackDoor
from babysitter.surfaces.slack.desk import Desk
from babysitter.surfaces.slack.endpoint import SlackEndpoint
from babysitter.surfaces.slack.people import SlackPeople
from babysitter.surfaces.slack.socket import PING_EVERY_S, SlackSocket, SocketStatus

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient


class SlackSurface:
    """By socket when there is an app token, by HTTP when there is a signing secret; both are possible.

    `clock` is the product's (snoozes last by it); `world` is the real one, whatever the product's does.
    `endpoint` is an ASGI app to mount at the manifest's request URL.
    """

    def __init__(
        self,
        client: "AsyncWebClient",
        notifier: SlackNotifier,
        desk: Desk,
        clock: Clock,
        *,
        app_token: str = "",
        signing_secret: str = "",
        world: Clock | None = None,
        ping_every_s: float = PING_EVERY_S,
    ) -> None:
        world = world or SystemClock()
        self.people = SlackPeople(client, world)
        self.door = SlackDoor(notifier, desk, self.people, clock)
        self.endpoint = SlackEndpoint(signing_secret, self.door.take, world) if signing_secret else None
        self.socket: SlackSocket | None = None
        if app_token:
            self.socket = SlackSocket(
                app_token, client, self.door.take, world, poke=notifier.poke, ping_every_s=ping_every_s
            )
            notifier.on_said = self.socket.said

    @property
    def status(self) -> SocketStatus | None:
        """How well the socket hears; None without one."""
        return self.socket.status if self.socket else None

    async def run(self) -> None:
        """Keep hearing until cancelled; presses under way are finished first."""
        try:
            if self.socket is not None:
                await self.socket.run()
            else:
                await asyncio.Event().wait()
        finally:
            await self.door.close()
