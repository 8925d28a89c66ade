"""Socket Mode: greeting, envelopes, acknowledgements, pings, and every way of going wrong on command."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

MAX_CONNECTIONS = 10
HANG_S = 300.0  # for what surely comes: a busy machine is slow


@dataclass(frozen=True)
class Ack:
    """What became of one delivery."""

    acked: bool
    after_s: float
    payload: dict[str, Any] = field(default_factory=dict)  # what the app answered with
    status: int | None = None  # of an HTTP delivery


@dataclass(eq=False)
class Connection:
    socket: web.WebSocketResponse
    transport: asyncio.Transport | None
    is_deaf: bool = False  # hears no events
    is_mute: bool = False  # its pings and answers lead nowhere


class Sockets:
    """The open connections of one app."""

    def __init__(self, app_id: str, next_id: Callable[[str], str]) -> None:
        self._app_id = app_id
        self._next_id = next_id
        self._open: list[Connection] = []
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._connected = asyncio.Event()
        self._births = (False, False)  # deaf, mute: how new connections begin
        self.connections_made = 0
        self.pings_heard = 0

    @property
    def count(self) -> int:
        return len(self._open)

    async def connected(self) -> None:
        """Return once at least one socket is open."""
        await asyncio.wait_for(self._connected.wait(), HANG_S)

    def go_deaf(self, *, pongs_too: bool = True, new_ones_too: bool = False) -> None:
        """From now on the open connections hear no events, and get no pongs either unless told otherwise."""
        for connection in self._open:
            connection.is_deaf, connection.is_mute = True, pongs_too
        self._births = (True, pongs_too) if new_ones_too else (False, False)

    def recover(self) -> None:
        """Every connection, open or to come, is well again."""
        self._births = (False, False)
        for connection in self._open:
            connection.is_deaf, connection.is_mute = self._births

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from greeting to end."""
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        if len(self._open) >= MAX_CONNECTIONS:
            await socket.send_json(self._farewell("too_many_websockets"))
            await socket.close()
            return socket
        connection = Connection(socket, request.transport, *self._births)
        self._open.append(connection)
        self.connections_made += 1
        try:
            await socket.send_json(self._greeting())
            self._connected.set()
            await self._listen(connection)
        finally:
            self._open.remove(connection)
            if not self._open:
                self._connected.clear()
        return socket

    async def _listen(self, connection: Connection) -> None:
        async for frame in connection.socket:
            if connection.is_mute:
                continue
            if frame.type is WSMsgType.PING:
                self.pings_heard += 1
                await connection.socket.pong(frame.data)
            elif frame.type is WSMsgType.TEXT:
                answer = frame.json()
                waiting = self._waiting.get(answer.get("envelope_id", ""))
                if waiting and not waiting.done():
                    waiting.set_result(answer)

    async def deliver(self, kind: str, payload: dict[str, Any], *, wait_s: float, **more: Any) -> Ack:
        """Send one envelope to the newest connection and wait for its acknowledgement."""
        began = time.monotonic()
        envelope = self._next_id("E")
        acked: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[envelope] = acked
        try:
            await self._send({"envelope_id": envelope, "type": kind, "payload": payload, **more})
            answer = await asyncio.wait_for(acked, wait_s)
        except TimeoutError:
            return Ack(False, time.monotonic() - began)
        finally:
            del self._waiting[envelope]
        return Ack(True, time.monotonic() - began, answer.get("payload") or {})

    async def push(self, kind: str, payload: dict[str, Any], **more: Any) -> None:
        """Send one envelope without waiting for its acknowledgement."""
        await self._send({"envelope_id": self._next_id("E"), "type": kind, "payload": payload, **more})

    async def disconnect(self, reason: str = "refresh_requested", *, closes: bool = True) -> None:
        """Ask every connection to reconnect, as Slack does every few hours."""
        for connection in tuple(self._open):
            await connection.socket.send_json(self._farewell(reason))
            if closes:
                await connection.socket.close()

    def cut(self) -> None:
        """Lose every connection without a farewell, as a failing network does."""
        for connection in tuple(self._open):
            if connection.transport is not None:
                connection.transport.abort()

    async def close(self) -> None:
        for connection in tuple(self._open):
            with contextlib.suppress(ConnectionError, TimeoutError):
                await asyncio.wait_for(connection.socket.close(), 1.0)

    async def _send(self, message: dict[str, Any]) -> None:
        if self._open and not self._open[-1].is_deaf:
            with contextlib.suppress(ConnectionError):
                await self._open[-1].socket.send_json(message)

    def _greeting(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "num_connections": len(self._open),
            "debug_info": {"host": "applink-sim", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._app_id},
        }

    @staticmethod
    def _farewell(reason: str) -> dict[str, Any]:
        return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-sim"}}
