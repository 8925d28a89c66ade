"""`mcp`: babysit's tools for coding agents, over standard input and output or HTTP on this machine."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    Iris,
    Ray,
    SettingsFile,
    StateDir,
    Url,
    cluster_if_named,
    me,
    settings_from,
)
from babysitter.waits import hidden_waits

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.cluster_pool import ClusterSpec

DEFAULT_PORT = 8791


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdio.")] = False,
    host: Annotated[str, typer.Option(help="A loopback address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free one.")] = DEFAULT_PORT,
    token_file: Annotated[
        Path | None, typer.Option(help="With --http: a file with the token that clients must send.")
    ] = None,
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Serve babysit's tools to coding agents (MCP). They look, wait and ask; only people approve.

    The cluster named here is the default of every tool.
    """
    chosen = settings_from(settings, state_dir)
    spec = cluster_if_named(chosen, ClusterOptions(cluster, controller_url, config, iris_command, ray=ray))
    try:
        import mcp as sdk  # noqa: F401  an extra; a second of import time
    except ImportError as missing:
        raise UserError(
            "The MCP server needs the package `mcp`.", next_step="Run `pip install 'babysitter[mcp]'`."
        ) from missing
    if http:
        from babysitter.surfaces.mcp.transports import must_be_loopback

        must_be_loopback(host)
    token = _token(token_file)
    with hidden_waits():
        asyncio.run(_serve(chosen, settings, spec, host=host, port=port if http else None, token=token))


def _token(file: Path | None) -> str:
    from babysitter.config import secret

    token = secret(None, file, what="MCP token")
    if file is not None and not token:
        raise UserError(f"The file with the MCP token, {file}, is empty.")
    return token


async def _serve(
    settings: "Settings",
    settings_file: Path | None,
    spec: "ClusterSpec | None",
    *,
    host: str,
    port: int | None,
    token: str,
) -> None:
    """`port` None = standard input and output."""
    from babysitter.engine.service_lock import is_served
    from babysitter.surfaces.cli.serving.log_output import log_to_stderr
    from babysitter.surfaces.cli.serving.serve import in_background
    from babysitter.surfaces.mcp.tool_context import ToolContext
    from babysitter.surfaces.mcp.tool_server import build_server
    from babysitter.surfaces.mcp.transports import serve_http, serve_stdio
    from babysitter.wiring import open_app

    log_to_stderr()  # stdout is the protocol's
    async with open_app(settings) as app:
        if spec is not None:
            await app.clusters.remember(spec, keeps_client=True)

        def ensure_served() -> bool:
            if is_served(app.state_folder):
                return False
            in_background(settings, settings_file)
            return True

        server = build_server(ToolContext(app, me(), spec.name if spec else "", ensure_served))
        if port is None:
            await serve_stdio(server)
        else:
            await serve_http(
                server, host, port, token=token, ready=lambda url: typer.echo(f"MCP at {url}", err=True)
            )
