"""Waiting for something to hold, as long as it takes."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

HANG_S = 300.0
"""No limit of any test is smaller: it ends what hangs, and a busy machine is only slow."""


async def until(holds: Callable[[], Awaitable[Any] | Any], *, step: Callable[[], Any] | None = None) -> Any:
    """What `holds` gives as soon as it is true. `step`: what makes it come about, done between two looks."""
    async with asyncio.timeout(HANG_S):
        while True:
            found = holds()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return found
            if step is not None:
                made = step()
                if inspect.isawaitable(made):
                    await made
            await asyncio.sleep(0.002)
