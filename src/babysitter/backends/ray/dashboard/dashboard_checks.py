"""Does a Ray cluster work for us? Asked for real, for `babysit doctor`."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.connection_check import Check
from babysitter.backends.ray.dashboard.open_ray import open_ray
from babysitter.backends.ray.reader import RayReader
from babysitter.errors import BabysitError

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec


async def examine_ray(spec: "ClusterSpec", *, home: Path | None = None) -> list[Check]:
    """Address and token, version, nodes, jobs. Never raises; stops at the first part that fails."""
    try:
        reader = RayReader(open_ray(spec, home=home or Path.home()))
    except BabysitError as fault:
        return [Check("configuration", ok=False, detail=fault.sentence, next_step=fault.next_step)]
    parts: tuple[tuple[str, Callable[[], Awaitable[str]]], ...] = (
        ("reachable", lambda: _version(reader)),
        ("nodes", lambda: _nodes(reader)),
        ("jobs", lambda: _jobs(reader)),
    )
    checks: list[Check] = []
    try:
        for name, ask in parts:
            try:
                checks.append(Check(name, ok=True, detail=await ask()))
            except BabysitError as fault:
                checks.append(Check(name, ok=False, detail=fault.sentence, next_step=fault.next_step))
                break
    finally:
        await reader.close()
    return checks


async def _version(reader: RayReader) -> str:
    about = await reader.about()
    return f"{about.url} answers: {about.generation}, {about.detail}"


async def _nodes(reader: RayReader) -> str:
    nodes = await reader.workers()
    return f"{sum(node.is_healthy for node in nodes)} alive, {len(nodes)} ever known"


async def _jobs(reader: RayReader) -> str:
    return f"{len(await reader.roots(''))} jobs may be read"
