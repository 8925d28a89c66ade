"""The same tools over memory, standard input and output, and HTTP, in every version of the protocol."""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp.client._memory import InMemoryTransport
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    ClientCapabilities,
    Implementation,
    InitializedNotification,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
)
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.errors import UserError
from babysitter.sim.iris.controller import Simulator
from babysitter.surfaces.cli.commands import run
from babysitter.surfaces.mcp.tool_context import ToolContext
from babysitter.surfaces.mcp.tool_server import Server, build_server
from babysitter.surfaces.mcp.transports import serve_http
from babysitter.wiring import open_app
from tests.support.waiting import HANG_S
from tests.surfaces.mcp.rig import ADA
from tests.surfaces.mcp.test_tools import TOOLS

OLD, NEWEST_OLD = HANDSHAKE_PROTOCOL_VERSIONS[0], HANDSHAKE_PROTOCOL_VERSIONS[-1]
ME = Implementation(name="tests", version="1")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with open_app(Settings(state_dir=tmp_path)) as app:
        yield build_server(ToolContext(app, ADA))


@contextlib.asynccontextmanager
async def http(server: Server, token: str = "") -> AsyncIterator[str]:
    """Served on a free port of this machine; gives the address."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_http(server, "127.0.0.1", 0, token=token, ready=address.set_result))
    try:
        yield await asyncio.wait_for(address, HANG_S)
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


@contextlib.asynccontextmanager
async def session_at(version: str, transport: Any) -> AsyncIterator[ClientSession]:
    """A client that offers this older version and gets it."""
    async with transport as (read, write), ClientSession(read, write) as session:
        offer = InitializeRequestParams(
            protocol_version=version, capabilities=ClientCapabilities(), client_info=ME
        )
        agreed = await session.send_request(InitializeRequest(params=offer), InitializeResult)
        assert agreed.protocol_version == version
        session.adopt(agreed)
        await session.send_notification(InitializedNotification())
        yield session


async def speaks(session: ClientSession | Client) -> None:
    """Everything that the server has works in this conversation: list, answer, refuse."""
    assert {tool.name for tool in (await session.list_tools()).tools} == set(TOOLS)
    answer = await session.call_tool("list_watches", {})
    assert not answer.is_error
    assert '"watches":[]' in answer.content[0].text
    refusal = await session.call_tool("watch_status", {"job": "/ada/none"})
    assert refusal.is_error
    assert "Nothing named" in refusal.content[0].text


async def test_every_version_works_in_memory(server: Server):
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        async with session_at(version, InMemoryTransport(server)) as session:
            await speaks(session)
    for mode in ("legacy", "auto", LATEST_MODERN_VERSION):
        async with Client(server, mode=mode) as client:
            await speaks(client)
            assert client.protocol_version == (NEWEST_OLD if mode == "legacy" else LATEST_MODERN_VERSION)


async def test_every_version_works_over_http(server: Server):
    async with http(server) as url:
        for version in HANDSHAKE_PROTOCOL_VERSIONS:
            async with session_at(version, streamable_http_client(url)) as session:
                await speaks(session)
        for mode in ("auto", LATEST_MODERN_VERSION):
            async with Client(url, mode=mode) as client:
                assert client.protocol_version == LATEST_MODERN_VERSION
                await speaks(client)


def still_cluster() -> Simulator:
    """One in which nothing happens, however long a busy machine takes to ask."""
    now = SystemClock().now()
    return Simulator("healthy", lambda: now)


def child(folder: Path, sim: Simulator) -> StdioServerParameters:
    """The real command as a client starts it; its process id is written into the folder."""
    command = shlex.join(
        [sys.executable, "-m", "babysitter", "mcp", "--state-dir", str(folder), "--controller-url", sim.url]
    )
    pid = shlex.quote(str(folder / "pid"))
    return StdioServerParameters(command="/bin/sh", args=["-c", f"echo $$ > {pid}; exec {command}"])


async def test_the_command_serves_standard_input_and_output_in_the_oldest_version(tmp_path: Path):
    async with (
        still_cluster() as sim,
        session_at(OLD, stdio_client(child(tmp_path, sim))) as client,
    ):
        await speaks(client)
        jobs = await client.call_tool("list_jobs", {"prefix": "/ada"})  # the named cluster is the default
        assert f'"{sim.root_job}"' in jobs.content[0].text


async def test_killed_in_the_middle_of_a_wait_it_loses_nothing(tmp_path: Path):
    async with (
        still_cluster() as sim,
        open_app(Settings(state_dir=tmp_path)) as app,
        Service(app),  # so that the children find one and start none
    ):
        started = await first_agent(child(tmp_path, sim), tmp_path, sim.root_job)
        async with Client(child(tmp_path, sim)) as client:
            assert client.protocol_version == LATEST_MODERN_VERSION
            again = (await client.call_tool("start_watch", {"job": sim.root_job})).structured_content
            assert again is not None
            assert (again["is_new"], again["watch"]["id"]) == (False, started["watch"]["id"])
            waited = await client.call_tool("wait", {"job": sim.root_job, "for": 0})
            assert waited.structured_content is not None
            assert waited.structured_content["reason"] == "time-limit"


async def first_agent(command: StdioServerParameters, folder: Path, job: str) -> dict[str, Any]:
    """Starts a watch and waits, until its server is killed under it; gives what it knew of the watch."""
    async with Client(command) as client:
        started = (await client.call_tool("start_watch", {"job": job})).structured_content
        assert started is not None
        waiting = asyncio.create_task(client.call_tool("wait", {"job": job}))
        done, _ = await asyncio.wait({waiting}, timeout=0.2)
        assert not done
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        with pytest.raises(MCPError):
            await waiting
    return started


REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": NEWEST_OLD,
        "capabilities": {},
        "clientInfo": {"name": "page", "version": "1"},
    },
}
MODERN = {"MCP-Protocol-Version": LATEST_MODERN_VERSION}


@pytest.mark.parametrize("era", [{}, MODERN], ids=["older", "modern"])
async def test_a_page_in_a_browser_cannot_reach_it(server: Server, era: dict[str, str]):
    async with http(server) as url, aiohttp.ClientSession() as browser:
        port = url.split(":")[2].partition("/")[0]
        accept = {"Accept": "application/json, text/event-stream"} | era

        async def status(**headers: str) -> int:
            async with browser.post(url, json=REQUEST, headers=accept | headers) as answer:
                return answer.status

        assert await status(Host=f"evil.example:{port}") == 421
        assert await status(Host=f"127.0.0.1.evil.example:{port}") == 421
        assert await status(Host="127.0.0.1:1") == 421
        assert await status(Origin="http://evil.example") == 403
        assert await status(Origin="null") == 403
        assert await status(Origin=f"http://localhost.evil.example:{port}") == 403
        if not era:
            assert await status(Origin=f"http://localhost:{port}") == 200


async def test_with_a_token_only_who_bears_it_is_let_in(server: Server):
    async with http(server, token="made-up-token") as url, aiohttp.ClientSession() as client:
        accept = {"Accept": "application/json, text/event-stream"}

        async def status(**headers: str) -> int:
            async with client.post(url, json=REQUEST, headers=accept | headers) as answer:
                return answer.status

        assert await status() == 401
        assert await status(Authorization="Bearer another") == 401
        assert await status(Authorization="Bearer made-up-token") == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "localhost", "example.org", ""])
def test_it_binds_to_addresses_of_this_machine_alone(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["mcp", "--http", "--host", host, "--port", "0", "--state-dir", str(tmp_path)]) == 2
    assert "no address of this machine alone" in capsys.readouterr().err


async def test_a_port_in_use_is_named(server: Server):
    async with http(server) as url:
        port = int(url.split(":")[2].partition("/")[0])
        with pytest.raises(UserError, match=f"Port {port} of 127.0.0.1 cannot be used"):
            await serve_http(server, "127.0.0.1", port, ready=print)
