"""A transaction that is cancelled anywhere leaves nothing, and the next writer need not wait for it."""

import asyncio
import gc
from dataclasses import replace

import pytest
from sqlalchemy import text

from babysitter.model.ids import JobId, WatchId
from babysitter.store.open import Store
from tests.support import build

STEP_S = 0.0002  # one transaction takes some milliseconds: every part of it is hit


async def write_both(store: Store, number: int) -> None:
    async with store.transaction() as records:
        for half in "ab":
            name = f"w-{number}{half}"
            await records.watches.add(build.watch(id=WatchId(name), root=JobId(f"/ada/{name}")))


async def test_cancelled_after_any_number_of_steps(store: Store):
    for number in range(60):
        writing = asyncio.create_task(write_both(store, number))
        await asyncio.sleep(number * STEP_S)
        writing.cancel()
        await asyncio.wait([writing])
        async with asyncio.timeout(5):
            async with store.transaction() as records:
                found = {each.id for each in await records.watches.all()}
                assert (f"w-{number}a" in found) == (f"w-{number}b" in found)
                await records.watches.add(build.watch(id=WatchId("w-x"), root=JobId("/ada/x")))
            async with store.transaction() as records:
                mine = await records.watches.get(WatchId("w-x"))
                assert await records.watches.save(replace(mine, stopped_at=build.NOON))
                await records.watches._connection.execute(text("DELETE FROM watches WHERE id = 'w-x'"))


# The pool drops a connection whose reader was cancelled while it was being opened, with this warning.
@pytest.mark.filterwarnings("ignore:The garbage collector is trying to clean up")
async def test_readers_cancelled_anywhere_give_their_place_back(store: Store):
    async def read() -> None:
        async with store.reading() as records:
            await records.watches.all()
            await records.events.after(0)

    for number in range(60):
        reading = asyncio.create_task(read())
        await asyncio.sleep(number * STEP_S)
        reading.cancel()
        await asyncio.wait([reading])
    async with asyncio.timeout(5):
        await asyncio.gather(*(read() for _ in range(8)))
    gc.collect()
