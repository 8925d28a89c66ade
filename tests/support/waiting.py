"""Waiting for something to hold, as long as it takes."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

HANG_S = 300.0
"""No limit of any test is smaller: it ends what hangs, and a busy machine is only slow."""


CLOCK_STEP_S = 0.002  # below this, what is measured is the clock


def is_linear(work: Callable[[int], object], size: int, *, tries: int = 8) -> bool:
    """Whether eight times the work costs about eight times the time of this thread; quadratic is 64 times.

    Best of some tries: what else the machine does makes work slower, and never quicker.
    """

    def cost_s(times: int) -> float:
        started = time.thread_time()
        work(size * times)
        return time.thread_time() - started

    once, eight_times = cost_s(1), cost_s(8)
    for _ in range(tries):
        if eight_times < 24 * once + CLOCK_STEP_S:
            return True
        once, eight_times = min(once, cost_s(1)), min(eight_times, cost_s(8))
    return False


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
