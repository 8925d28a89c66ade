"""One life of a program that is killed at a point, in a process of its own; and which points are tried."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, Protocol

import structlog

from tests.crash.points import Points, install
from tests.crash.world import FORKS

LIFE_TIMEOUT_S = 300.0  # really; a life that takes longer hangs
MAX_PER_KIND = 12


class KillPlan(Protocol):
    """Where a life ends: at the so-many-th point of a kind; 0 = it is not killed, "" = of any kind."""

    @property
    def kill_at(self) -> int: ...

    @property
    def label(self) -> str: ...


def run_life(
    plan: Any,
    told: Connection,
    story: Callable[[Any], Coroutine[Any, Any, None]],
    watch: Callable[[Points], None] | None = None,
) -> None:
    """In the process of a `KillPlan`: tell "killed" with the point, or "ended" with all points.

    `watch`: has further effects pass by the points.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    points = Points(plan.kill_at, plan.label, lambda label: told.send(("killed", label)))
    install(points)
    if watch is not None:
        watch(points)
    asyncio.run(story(plan))
    told.send(("ended", points.labels))


async def live(entry: Callable[[Any, Connection], None], plan: KillPlan) -> tuple[str, Any]:
    """Run `entry` in a process of its own; what it told, or "hung" or "died"."""
    ours, theirs = FORKS.Pipe()
    process = FORKS.Process(target=entry, args=(plan, theirs))
    process.start()
    theirs.close()
    try:
        async with asyncio.timeout(LIFE_TIMEOUT_S):
            while process.is_alive() and not ours.poll():  # noqa: ASYNC110  a process has no event
                await asyncio.sleep(0.002)
            return ours.recv() if ours.poll() else ("died", "")
    except (TimeoutError, EOFError):
        return "hung", ""
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        ours.close()


def cases(points: Sequence[str], kinds: Sequence[str], *, every: int) -> Iterator[tuple[str, int]]:
    """The first points of the delicate kinds, and of all others each so-many-th."""
    for kind in kinds:
        yield from ((kind, number) for number in range(1, min(points.count(kind), MAX_PER_KIND) + 1))
    yield from (("", number) for number in range(1, len(points), every))
