"""The alternative to the socket: Slack posts presses to a public URL. A plain ASGI app, to mount anywhere."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qs

import structlog

from babysitter.clock import Clock
from babysitter.surfaces.slack.signature import SignatureCheck

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

BODY_BYTES_MOST = 256 * 1024  # a press carries its message: 50 blocks of 3,000 characters at the very most

log = structlog.get_logger(__name__)


class TooLarge(Exception):
    """The body exceeds the limit; the rest was not read."""


class SlackEndpoint:
    """Checks, acknowledges with an empty 200, and passes the press on. `clock` must be the world's own."""

    def __init__(self, secret: str, take: Callable[[object], None], clock: Clock) -> None:
        self._check = SignatureCheck(secret)
        self._take = take
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, payload = await self._receive(scope, receive)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
        if payload is not None:
            self._take(payload)

    async def _receive(self, scope: Scope, receive: Receive) -> tuple[int, object | None]:
        """The status to answer with, and the payload of a genuine press."""
        if scope["method"] != "POST":
            return 405, None
        try:
            body = await _body_of(receive)
        except TooLarge:
            log.warning("slack request refused", because="the body is too large")
            return 413, None
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        fault = self._check.fault(
            headers.get(b"x-slack-request-timestamp", ""),
            headers.get(b"x-slack-signature", ""),
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


async def _body_of(receive: Receive) -> bytes:
    parts: list[bytes] = []
    length = 0
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            return b""
        parts.append(event.get("body", b""))
        length += len(parts[-1])
        if length > BODY_BYTES_MOST:
            raise TooLarge
        if not event.get("more_body"):
            return b"".join(parts)
