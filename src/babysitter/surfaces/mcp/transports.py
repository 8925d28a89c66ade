"""The two transports: standard input and output, and streamable HTTP on this machine only."""

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Callable

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from babysitter.errors import UserError
from babysitter.surfaces.mcp.tool_server import Server

PATH = "/mcp"
SHUTDOWN_TIMEOUT_S = 2  # a client that keeps its stream open does not keep us


async def serve_stdio(server: Server) -> None:
    """Until the client closes our standard input, or is gone without a word."""
    try:
        await server.run_stdio_async()
    except* ConnectionError:
        pass


async def serve_http(
    server: Server, host: str, port: int, *, token: str = "", ready: Callable[[str], None]
) -> None:
    """Until interrupted or cancelled. `ready` hears the address. Raises UserError for a wrong one.

    `token`: what every request must bear; "" = whoever is on this machine may ask.
    """
    must_be_loopback(host)
    with _bound(host, port) as listening:
        bound_port = int(listening.getsockname()[1])
        config = uvicorn.Config(
            http_app(server, host, bound_port, token),
            log_level="warning",
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
        )
        ready(f"http://{_in_url(host)}:{bound_port}{PATH}")
        running = uvicorn.Server(config)
        serving = asyncio.create_task(running.serve(sockets=[listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            running.should_exit = True  # end in good order: answers under way are finished
            await serving
            raise


def http_app(server: Server, host: str, port: int, token: str = "") -> Starlette:
    """The ASGI application, for one address.

    Refuses foreign Host and Origin headers, so that no page in a browser reaches it by a name of its own
    (DNS rebinding).
    """
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]", _in_url(host))]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{text}" for text in hosts],
        ),
    )
    if token:
        app.add_middleware(Bearer, token=token)
    return app


class Bearer:
    """Lets through who bears the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        borne = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(borne, self._expected):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse("This server wants its token.\n", 401, {"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)


def must_be_loopback(host: str) -> None:
    """Raise UserError unless only this machine reaches the address.

    Names are refused too: what a name means is decided elsewhere.
    """
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise UserError(
            f"'{host}' is no address of this machine alone.",
            next_step="Use 127.0.0.1 or ::1; from elsewhere, forward the port over SSH.",
        )


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen()
    except OSError as fault:
        bound.close()
        raise UserError(
            f"Port {port} of {host} cannot be used: {fault.strerror}.",
            next_step="Give another --port; 0 takes any free one.",
        ) from fault
    return bound


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
