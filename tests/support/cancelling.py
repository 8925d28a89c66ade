"""Cancelling a coroutine at each of the places where it waits, one after the other."""

import asyncio
import types
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from typing import Any


async def cancelled_everywhere(work: Callable[[], Coroutine[Any, Any, Any]]) -> AsyncIterator[int]:
    """Run it again and again, cancelled at its first, second, ... wait, until a run has no such wait.

    Each wait is hit twice: when it begins, and when what it waits for has just come. Gives the number of the
    run after each, for the test to look at what is left.
    """
    number = 0
    for late in (False, True):
        at = 1
        while True:
            task = asyncio.create_task(_run(work(), at, late=late))
            await asyncio.wait([task])
            yield number
            number += 1
            if not task.cancelled():
                task.result()
                break
            at += 1


async def _run(work: Coroutine[Any, Any, Any], at: int, *, late: bool) -> Any:
    return await _cancelling(work, at, late)


@types.coroutine
def _cancelling(work: Coroutine[Any, Any, Any], at: int, late: bool) -> Generator[Any, Any, Any]:
    """Hands on what the coroutine waits for, and cancels its task at the wait with this number."""
    task = asyncio.current_task()
    assert task is not None
    number, step = 0, lambda: work.send(None)
    while True:
        try:
            awaited = step()
        except StopIteration as end:
            return end.value
        number += 1
        if number == at and late and awaited is not None:
            awaited.add_done_callback(lambda _: task.cancel())  # before the task's own, so it comes first
        elif number == at:
            task.cancel()
        try:
            yield awaited
        except BaseException as fault:  # noqa: BLE001  handed on as it is
            step = lambda fault=fault: work.throw(fault)  # noqa: E731
        else:
            step = lambda: work.send(None)  # noqa: E731
