"""A whole babysit on a simulated cluster, with the MCP server in front of it, on a clock that tests move."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client

from babysitter.backends.registry import spec_from_options
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.model.ids import Person
from babysitter.sim.iris.controller import Simulator
from babysitter.surfaces.cli.serving.sim import STAND_IN
from babysitter.surfaces.mcp.tool_context import ToolContext
from babysitter.surfaces.mcp.tool_server import Server, build_server
from babysitter.wiring import open_app
from tests.support.app import RecordingNotifier
from tests.support.clock import FakeClock
from tests.support.waiting import HANG_S

ADA = Person("U-ada")
MAX_STEPS = 3_000

T = TypeVar("T")


@dataclass
class Rig:
    sim: Simulator
    app: App
    service: Service
    clock: FakeClock
    ear: RecordingNotifier
    server: Server
    calls: int = 0

    @property
    def job(self) -> str:
        return self.sim.root_job

    async def pass_s(self, seconds: float, step_s: float = 5.0) -> None:
        for _ in range(int(seconds / step_s)):
            await self._step(step_s)

    async def meanwhile(self, waiting: Awaitable[T], step_s: float = 5.0) -> T:
        """The outcome of something that may wait for time to pass; time passes only while it does."""
        task = asyncio.ensure_future(waiting)
        steps = 0
        async with asyncio.timeout(HANG_S):
            while not task.done():
                if self.clock.waiting:
                    steps += 1
                    assert steps < MAX_STEPS, "it waits for ever"
                    await self._step(step_s)
                else:
                    await asyncio.wait({task}, timeout=0.001)
        return task.result()

    async def call(self, client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool returns; it must not be an error."""
        self.calls += 1
        answer = await self.meanwhile(client.call_tool(tool, arguments))
        assert not answer.is_error, answer.content
        assert answer.structured_content is not None
        return answer.structured_content

    async def refusal(self, client: Client, tool: str, **arguments: Any) -> str:
        """The sentence with which a tool refuses."""
        answer = await client.call_tool(tool, arguments)
        assert answer.is_error, answer.structured_content
        return answer.content[0].text

    async def _step(self, step_s: float) -> None:
        self.clock.advance(step_s)
        await self.service.tick()
        await self.service.settled()
        await asyncio.sleep(0)


@asynccontextmanager
async def rig(scenario: str, folder: Path) -> AsyncIterator[Rig]:
    """Open on a folder; the service runs in it when the test moves the clock."""
    clock, ear = FakeClock(), RecordingNotifier()
    async with (
        Simulator(scenario, clock.now) as sim,
        open_app(Settings(state_dir=folder), clock=clock, notifiers=(ear,)) as app,
        Service(app) as service,
    ):
        spec = spec_from_options(
            controller_url=sim.url, iris_command=f"{STAND_IN} --controller-url {sim.url}"
        )
        spec = replace(spec, client_revision_date="2026-11-20")
        await app.clusters.remember(spec)
        yield Rig(sim, app, service, clock, ear, build_server(ToolContext(app, ADA, spec.name)))
