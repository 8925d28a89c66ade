"""Socket Mode: one connection, kept open, kept hearing. Presses go to the door, which acknowledges them."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from babysitter.clock import Clock
from babysitter.notify.notifier import NotifyError
from babysitter.slack.click_handler import Take
from babysitter.slack.socket_health import SocketActivity, SocketHealth

if TYPE_CHECKING:
    from slack_sdk.socket_mode.aiohttp import SocketModeClient
    from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

PING_INTERVAL_S = 5.0
CONNECT_TIMEOUT_S = 15.0
LOOK_EVERY = timedelta(seconds=2)
WAIT_LEAST, MAX_WAIT = timedelta(seconds=1), timedelta(seconds=60)

_NO_ECHO = (
    "Slack does not send us our own messages, so a deaf socket would go unnoticed; "
    "compare the app's event subscriptions with `babysit slack manifest`."
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SocketStatus:
    """For `status` and metrics. `trouble`: one sentence, "" when all is well."""

    ear: SocketHealth
    since_at: datetime | None
    heard_at: datetime | None
    reconnects: int
    deaf_times: int
    trouble: str


class SlackConnection:
    """Keeps one connection.

    `take` gets every press, and what acknowledges it; `poke` makes Slack send us something (see
    socket_health.py). `clock` must be the world's own, never a compressed one: Slack's seconds are real.
    """

    def __init__(
        self,
        app_token: str,
        client: "AsyncWebClient",
        take: Take,
        clock: Clock,
        *,
        poke: Callable[[], Awaitable[bool]],
        ping_every_s: float = PING_INTERVAL_S,
    ) -> None:
        self._app_token = app_token
        self._web = client
        self._take = take
        self._clock = clock
        self._poke = poke
        self._ping_every_s = ping_every_s
        self.hearing = SocketActivity()
        self._client: SocketModeClient | None = None
        self._session: object = None
        self._last_pong: float | None = None
        self._reconnects = -1  # the first connection is none
        self._deaf_times = 0
        self._trouble = "Slack is not connected yet."
        self.connections = 0  # how many the app has open, ours included, as Slack said in its greeting

    @property
    def status(self) -> SocketStatus:
        ear = self.hearing.judge(self._clock.now())
        trouble = self._trouble
        if not trouble and ear.is_deaf:
            trouble = f"The Slack socket is {ear.value}; answer in the terminal meanwhile."
        if not trouble and self.hearing.has_no_echo:
            trouble = _NO_ECHO
        return SocketStatus(
            ear,
            self.hearing.connected_at,
            self.hearing.heard_at,
            max(0, self._reconnects),
            self._deaf_times,
            trouble,
        )

    def said(self) -> None:
        """Something of ours was posted or edited. For SlackNotifier.on_said."""
        self.hearing.said(self._clock.now())

    async def run(self) -> None:
        """Connect, and stay connected and hearing, until cancelled."""
        self._client = self._make_client()
        try:
            await self._reconnect()
            while True:
                await self._clock.sleep_until(self._clock.now() + LOOK_EVERY)
                await self.look()
        finally:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.close(), CONNECT_TIMEOUT_S)  # type: ignore[no-untyped-call]

    async def look(self) -> SocketHealth:
        """Judge the connection once and do what follows."""
        assert self._client is not None, "run() comes first"
        self._note_pongs_and_sessions()
        ear = self.hearing.judge(self._clock.now())
        if not await self._client.is_connected():
            # Still open, but given up by the client because pings are not answered: deaf as well.
            ear = SocketHealth.NO_PONGS if await self._client.is_ping_pong_failing() else SocketHealth.CLOSED
            self.hearing.closed()
        if ear is SocketHealth.UNSURE:
            await self._try_to_be_heard()
        elif ear.is_deaf:
            self._deaf_times += 1
            log.warning("slack socket is deaf", ear=ear.value, heard_at=str(self.hearing.heard_at))
            self.hearing.gave_up(self._clock.now())
            await self._reconnect()
        elif ear is SocketHealth.CLOSED:
            log.warning("slack socket was lost")
            await self._reconnect()
        return ear

    def _note_pongs_and_sessions(self) -> None:
        """The client tells neither; both can be read from it."""
        assert self._client is not None
        now = self._clock.now()
        if self._client.current_session is not self._session:  # Slack asked for a new connection
            self._session = self._client.current_session
            self._reconnects += 1
            self.hearing.connected(now)
        if self._client.last_ping_pong_time != self._last_pong:
            self._last_pong = self._client.last_ping_pong_time
            self.hearing.ponged(now)

    async def _try_to_be_heard(self) -> None:
        try:
            if await self._poke():
                return
        except NotifyError as error:
            log.info("slack could not be poked", error=error.sentence)
        # Nothing to touch, or no way to: silence proves nothing. Ask again after the same while.
        self.hearing.heard_at = self._clock.now()

    async def _reconnect(self) -> None:
        """Open a new connection, however long it takes; say in the status why it takes long."""
        assert self._client is not None
        wait = WAIT_LEAST
        while True:
            trouble = await self._connect()
            self._trouble = trouble
            if not trouble:
                self._note_pongs_and_sessions()
                return
            log.warning("slack socket cannot connect", trouble=trouble)
            await self._clock.sleep_until(self._clock.now() + wait)
            wait = min(wait * 2, MAX_WAIT)

    async def _connect(self) -> str:
        """One try; the reason why it failed, or ""."""
        import aiohttp
        from slack_sdk.errors import SlackApiError, SlackClientError

        assert self._client is not None
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S), self._client.connect_operation_lock:
                # Slack may have asked for a new connection just now, and the client made it by itself;
                # a second one would be open, unread, and given presses.
                if self._client.current_session is not self._session and await self._client.is_connected():
                    return ""
                answer = await self._web.apps_connections_open(app_token=self._app_token)
                self._client.wss_uri = str(answer["url"])
                self._client.last_ping_pong_time = None
                await self._client.connect()  # type: ignore[no-untyped-call]
        except SlackApiError as error:
            code = error.response.get("error") if isinstance(error.response.data, dict) else ""
            return f"Slack opens no socket ({code or 'no reason given'}); try `babysit slack check`."
        except TimeoutError:
            return f"Slack's socket did not open within {CONNECT_TIMEOUT_S:.0f} s."
        except (SlackClientError, aiohttp.ClientError, OSError) as error:
            return f"Slack cannot be reached ({type(error).__name__})."
        except (ValueError, KeyError, TypeError):
            return "What answers in Slack's place makes no sense; is a proxy in between?"
        return ""

    def _make_client(self) -> "SocketModeClient":
        from slack_sdk.socket_mode.aiohttp import SocketModeClient

        # The client would write tracebacks for every lost connection; `status` says it in a sentence.
        quiet = logging.getLogger("babysitter.slack_sdk")
        quiet.setLevel(logging.CRITICAL)
        client = SocketModeClient(
            self._app_token,
            logger=quiet,
            web_client=self._web,
            auto_reconnect_enabled=False,  # this class does it, and says why
            ping_interval=self._ping_every_s,
        )
        client.socket_mode_request_listeners.append(self._on_request)
        client.message_listeners.append(self._on_message)
        return client

    async def _on_request(self, client: "AsyncBaseSocketModeClient", request: "SocketModeRequest") -> None:
        """Pass a press on; acknowledge everything else, and forget it."""
        from slack_sdk.socket_mode.response import SocketModeResponse

        async def acknowledge() -> None:
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

        self.hearing.heard(self._clock.now())
        if request.type == "interactive":
            await self._take(request.payload, acknowledge)
        else:
            await acknowledge()

    async def _on_message(
        self,
        _client: "AsyncBaseSocketModeClient",
        message: dict[str, object],
        _raw: str | None,
    ) -> None:
        if message.get("type") == "hello":
            count = message.get("num_connections")
            self.connections = count if isinstance(count, int) else 1
