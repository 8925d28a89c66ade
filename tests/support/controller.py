"""Servers on loopback that answer as a test says: one that speaks the protocol, one that speaks anything."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Answer = tuple[int, object]
"""HTTP status and body: bytes as they are, everything else as JSON."""


@dataclass
class ScriptedController:
    """Answers calls from a table; keeps what it was asked. A call that is not in the table does not exist.

    A value of the table is an answer, a list of answers (the last one stays), or a function of the body.
    """

    calls: dict[str, object]
    url: str = ""
    asked: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def bodies(self, method: str) -> list[dict[str, object]]:
        """What was asked with this call, in order."""
        return [body for name, body in self.asked if name == method]

    async def answer(self, request: web.Request) -> web.Response:
        path = request.path.lstrip("/")
        method = path.rpartition("/")[2]
        body = json.loads(await request.text() or "{}")
        self.asked.append((method, body))
        self.paths.append(path)
        self.headers.append(dict(request.headers))
        script = self.calls.get(path, self.calls.get(method))
        if script is None:
            return web.Response(status=404)
        if callable(script):
            script = script(body)
        elif isinstance(script, list):
            script = script.pop(0) if len(script) > 1 else script[0]
        status, content = script if isinstance(script, tuple) else (200, script)
        if isinstance(content, bytes):
            return web.Response(status=status, body=content)
        response = web.json_response(content, status=status)
        response.enable_compression()
        return response


@asynccontextmanager
async def controller(calls: dict[str, object]) -> AsyncIterator[ScriptedController]:
    """A running controller that answers these calls."""
    scripted = ScriptedController(calls)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", scripted.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    scripted.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    try:
        yield scripted
    finally:
        await runner.cleanup()


def connect_error(code: str, message: str = "") -> dict[str, object]:
    """The body of a refusal in the Connect protocol."""
    return {"code": code, "message": message}


MAY_CALLS: dict[str, object] = {"GetAuthInfo": {"provider": "", "gcpProjectId": ""}}
APRIL_CALLS: dict[str, object] = MAY_CALLS | {"GetTaskLogs": {"taskLogs": [], "cursor": "0"}}
AUGUST_CALLS: dict[str, object] = {"GetJobState": {}}

Speak = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def liar(speak: Speak) -> AsyncIterator[str]:
    """A server that does to every connection what `speak` does; its address."""
    talking: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talking.add(task)
        try:
            await speak(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            talking.discard(task)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        for task in list(talking):
            task.cancel()
        server.close()
        await server.wait_closed()


async def read_request(reader: asyncio.StreamReader) -> None:
    """Swallow one request, head and body."""
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.decode().lower().splitlines():
        if line.startswith("content-length:"):
            await reader.readexactly(int(line.partition(":")[2]))


def saying(answer: bytes) -> Speak:
    """Answers every request with exactly these bytes and hangs up."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer)
        await writer.drain()

    return speak


def http(body: bytes, *, status: str = "200 OK", head: str = "content-type: application/json") -> bytes:
    """A whole HTTP answer."""
    return f"HTTP/1.1 {status}\r\n{head}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
