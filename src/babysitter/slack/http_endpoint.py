"""The alternative to the socket: Slack posts presses to a public URL, behind which this listens."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import structlog

from babysitter.clock import Clock
from babysitter.config.listen_address import cannot_listen_reason
from babysitter.errors import UserError
from babysitter.slack.click_handler import Take
from babysitter.slack.request_signature import SignatureCheck

if TYPE_CHECKING:
    from aiohttp import web

PATH = "/slack/interactivity"
MAX_BODY_BYTES = 256 * 1024  # a press carries its message: 50 blocks of 3,000 characters at the very most
READ_TIMEOUT_S = 10.0

log = structlog.get_logger(__name__)


class HttpEndpoint:
    """Checks, acknowledges with an empty 200, and passes the press on. `clock` must be the world's own."""

    def __init__(self, secret: str, take: Take, clock: Clock) -> None:
        self._check = SignatureCheck(secret)
        self._take = take
        self._clock = clock

    @asynccontextmanager
    async def listening(self, host: str, port: int) -> AsyncIterator[int]:
        """Serve while the block lasts; gives the port. Raises UserError when it cannot be used."""
        from aiohttp import web

        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post(PATH, self._receive)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=5.0)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, host, port).start()
            except (OSError, OverflowError) as fault:
                raise UserError(
                    f"Slack's presses cannot be taken at {host}:{port}: {cannot_listen_reason(fault)}.",
                    next_step="Choose another address with slack.listen in the settings.",
                ) from fault
            yield runner.addresses[0][1]
        finally:
            await runner.cleanup()

    async def _receive(self, request: "web.Request") -> "web.Response":
        from aiohttp import web

        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            log.warning("slack request refused", because="the body is too large")
            return web.Response(status=413)
        except TimeoutError:
            log.warning("slack request refused", because="the body did not come")
            return web.Response(status=408)
        status, payload = self._read(request, body)
        if payload is not None:
            await self._take(payload, _nothing)  # starts the work: this answer does not wait for it
        return web.Response(status=status)

    def _read(self, request: "web.Request", body: bytes) -> tuple[int, object | None]:
        """The status to answer with, and the payload of a genuine press."""
        fault = self._check.fault(
            request.headers.get("x-slack-request-timestamp", ""),
            request.headers.get("x-slack-signature", ""),
            body,
            now=self._clock.now(),
        )
        if fault:
            log.warning("slack request refused", because=fault)
            return 401, None
        try:
            form = parse_qs(body.decode(), max_num_fields=20)
            return (200, json.loads(form["payload"][0])) if "payload" in form else (200, None)
        except (ValueError, RecursionError):
            return 400, None


async def _nothing() -> None:
    """The answer to the request is the acknowledgement."""
