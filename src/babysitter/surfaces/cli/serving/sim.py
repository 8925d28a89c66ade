"""`sim`: a simulated cluster alone, to try things on."""

import asyncio
import shlex
import sys
from typing import Annotated

import typer

from babysitter.config.listen_address import cannot_listen_reason
from babysitter.errors import UserError

STAND_IN = f"{sys.executable} -m babysitter.sim.iris"  # the `iris` command of the simulator


def sim(
    scenario: Annotated[str, typer.Argument(help="Its name, or the path of a scenario file.")] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free one.")] = 0,
    speed: Annotated[float, typer.Option(min=0.1, help="Cluster seconds in one real second.")] = 1.0,
    generation: Annotated[str, typer.Option(help="april, may or august: whose protocol it speaks.")] = "may",
    list_all: Annotated[bool, typer.Option("--list", help="Name the scenarios and end.")] = False,
) -> None:
    """Run a simulated cluster until Ctrl+C."""
    from babysitter.sim.iris import scenario as scenarios

    if list_all or not scenario:
        for name in scenarios.names():
            typer.echo(f"{name:<20} {scenarios.load(name).about}")
        return
    try:
        asyncio.run(_serve(scenario, port, speed, generation))
    except ValueError as unknown:
        raise UserError(str(unknown), next_step="`babysit sim --list` names the scenarios.") from unknown
    except OSError as fault:
        raise UserError(
            f"Port {port} cannot be used: {cannot_listen_reason(fault)}.", next_step="Try --port 0."
        ) from fault


async def _serve(scenario: str, port: int, speed: float, generation: str) -> None:
    from babysitter.clock import SystemClock
    from babysitter.sim.iris.controller import Simulator

    async with Simulator(
        scenario, SystemClock(speed=speed).now, port=port, generation=generation
    ) as simulator:
        typer.echo(f"{simulator.root_job} runs at {simulator.url}")
        for line in commands_to_try(simulator.root_job, simulator.url):
            typer.echo(f"  {line}")
        await asyncio.Event().wait()


def commands_to_try(job: str, url: str) -> tuple[str, ...]:
    """Commands for a simulated job; the second watches it so that a restart can be proposed."""
    place = f"{shlex.quote(job)} --controller-url {url}"
    restartable = f"--iris-command {shlex.quote(STAND_IN)} --workdir ."
    return f"babysit diagnose {place}", f"babysit start {place} {restartable}"
