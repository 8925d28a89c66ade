"""Slack's inward side, put together: who may press, what a press does, and how presses come in."""

import asyncio
import contextlib
from datetime import timedelta
from typing import TYPE_CHECKING

from babysitter.clock import Clock, SystemClock
from babysitter.slack.click_handler import ClickHandler
from babysitter.slack.click_result import Desk
from babysitter.slack.http_endpoint import HttpEndpoint
from babysitter.slack.members import MemberDirectory
from babysitter.slack.posting import SlackNotifier
from babysitter.slack.socket_mode import PING_INTERVAL_S, SlackConnection, SocketStatus

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient


RECOVERY_INTERVAL = timedelta(seconds=15)


class SlackInteractivity:
    """By socket when there is an app token, by HTTP when there is a signing secret; both are possible.

    `clock` is the product's (snoozes last by it); `wall_clock` is the real one, whatever the product's does.
    `listen`: host and port of the HTTP endpoint; a proxy with the public name stands before it.
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
        listen: tuple[str, int] = ("127.0.0.1", 0),
        wall_clock: Clock | None = None,
        ping_every_s: float = PING_INTERVAL_S,
    ) -> None:
        wall_clock = self._wall_clock = wall_clock or SystemClock()
        self.people = MemberDirectory(client, wall_clock)
        self.door = ClickHandler(notifier, desk, self.people, clock)
        self.endpoint = HttpEndpoint(signing_secret, self.door.take, wall_clock) if signing_secret else None
        self.port: int | None = None  # of the endpoint, while it is served
        self._listen = listen
        self.socket: SlackConnection | None = None
        if app_token:
            self.socket = SlackConnection(
                app_token, client, self.door.take, wall_clock, poke=notifier.poke, ping_every_s=ping_every_s
            )
            notifier.on_said = self.socket.said

    @property
    def status(self) -> SocketStatus | None:
        """How well the socket hears; None without one."""
        return self.socket.status if self.socket else None

    @property
    def trouble(self) -> str:
        """What keeps presses from being heard, in a sentence; "" when nothing does."""
        return self.socket.status.trouble if self.socket else ""

    async def run(self) -> None:
        """Keep hearing until cancelled; presses under way are finished first.

        Raises UserError when the address of the endpoint cannot be used.
        """
        taking_up = asyncio.create_task(self._take_up())
        try:
            async with contextlib.AsyncExitStack() as open_ones:
                if self.endpoint is not None:
                    self.port = await open_ones.enter_async_context(self.endpoint.listening(*self._listen))
                if self.socket is not None:
                    await self.socket.run()
                else:
                    await asyncio.Event().wait()
        finally:
            self.port = None
            taking_up.cancel()
            await asyncio.gather(taking_up, return_exceptions=True)
            await self.door.close()

    async def _take_up(self) -> None:
        """Look after presses that nobody works on: at the start those of an earlier process."""
        while True:
            await self.door.take_up()
            await self._wall_clock.sleep_until(self._wall_clock.now() + RECOVERY_INTERVAL)
