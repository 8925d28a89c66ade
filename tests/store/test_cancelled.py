"""A transaction that is cancelled anywhere leaves nothing, and the next writer need not wait for it."""

import asyncio
import gc
import itertools
from dataclasses import replace

import pytest
from sqlalchemy import text

from babysitter.model.ids import JobId, WatchId
from babysitter.store.store import Store
from tests.support import build
from tests.support.cancelling import cancelled_everywhere
from tests.support.waiting import HANG_S


async def write_both(store: Store, number: int) -> None:
    async with store.transaction() as tx:
        for half in "ab":
            name = f"w-{number}{half}"
            await tx.watches.add(build.watch(id=WatchId(name), root=JobId(f"/ada/{name}")))


async def test_cancelled_after_any_number_of_steps(store: Store):
    numbers = itertools.count()
    runs = 0
    async for number in cancelled_everywhere(lambda: write_both(store, next(numbers))):
        runs += 1
        async with asyncio.timeout(HANG_S):
            async with store.transaction() as tx:
                found = {watch.id for watch in await tx.watches.all()}
                assert (f"w-{number}a" in found) == (f"w-{number}b" in found)
                await tx.watches.add(build.watch(id=WatchId("w-x"), root=JobId("/ada/x")))
            async with store.transaction() as tx:
                mine = await tx.watches.get(WatchId("w-x"))
                assert await tx.watches.save(replace(mine, stopped_at=build.NOON))
                await tx.watches._connection.execute(text("DELETE FROM watches WHERE id = 'w-x'"))
    assert runs > 10


# The pool drops a connection whose reader was cancelled while it was being opened, with this warning.
@pytest.mark.filterwarnings("ignore:The garbage collector is trying to clean up")
async def test_readers_cancelled_anywhere_give_their_place_back(store: Store):
    async def read() -> None:
        async with store.reading() as tx:
            await tx.watches.all()
            await tx.events.after(0)

    runs = [number async for number in cancelled_everywhere(read)]
    assert len(runs) > 4
    async with asyncio.timeout(HANG_S):
        await asyncio.gather(*(read() for _ in range(8)))
    gc.collect()
