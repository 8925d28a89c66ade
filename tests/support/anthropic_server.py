"""A server on loopback that speaks the Anthropic Messages protocol and says what a script tells it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Reply = Callable[[Body], "ScriptedReply"]


@dataclass(frozen=True)
class ScriptedReply:
    """One HTTP answer. `hangs`: nothing is ever sent."""

    status: int = 200
    body: Any = None
    hangs: bool = False


def message(
    *content: Body, stop_reason: str = "tool_use", tokens: tuple[int, int] = (900, 90)
) -> ScriptedReply:
    """A message of the model."""
    return ScriptedReply(
        body={
            "id": "msg_made_up",
            "type": "message",
            "role": "assistant",
            "model": "made-up-model",
            "content": list(content),
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
        }
    )


def use(name: str, given: Any, number: int = 1) -> Body:
    """A content block in which the model uses a tool."""
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}


def failure(status: int, kind: str) -> ScriptedReply:
    """An error as the service words it."""
    return ScriptedReply(status, {"type": "error", "error": {"type": kind, "message": "made up"}})


@dataclass
class ScriptedModel:
    """`replies`: functions of the request's body, one for each call; the last one goes on for ever."""

    replies: list[Reply]
    url: str = ""
    bodies: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1](self.bodies[-1])
        if reply.hangs:
            await self.closing.wait()
        if isinstance(reply.body, str):
            return web.Response(status=reply.status, text=reply.body, content_type="text/html")
        return web.json_response(reply.body, status=reply.status)


@asynccontextmanager
async def scripted_model(*replies: ScriptedReply | Reply) -> AsyncIterator[ScriptedModel]:
    """A model that gives these replies, one for each call."""
    model = ScriptedModel([reply if callable(reply) else (lambda _, value=reply: value) for reply in replies])
    app = web.Application(client_max_size=1 << 24)
    app.router.add_post("/v1/messages", model.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    address = runner.addresses[0]
    model.url = f"http://{address[0]}:{address[1]}"
    try:
        yield model
    finally:
        model.closing.set()
        await runner.cleanup()
