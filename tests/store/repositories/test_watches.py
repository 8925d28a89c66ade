"""Watches: one per job, written back only by who read the newest, noticed across processes."""

from dataclasses import replace

import pytest

from babysitter.errors import AlreadyWatched, NoSuchWatch
from babysitter.model.ids import JobId, WatchId
from babysitter.model.log import Cursor, LogLine
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.progress import Progress
from babysitter.model.seen import Source
from babysitter.model.verdict import Reason
from babysitter.store.store import Store
from tests.support import build
from tests.support.build import NOON, at


async def test_a_memory_comes_back_as_it_was(store: Store):
    memory = Memory(
        phase=Phase.SUSPECT,
        blind_since={Source.LOGS: NOON},
        cursors={"trouble": Cursor("17")},
        progress=Progress("train", 3, 10, NOON, loss=float("inf")),
        recent_lines=(LogLine("arrow \u2192 and half a pair \ud800", 5),),
    )
    watch = build.watch(memory=memory, resubmit=build.submission())
    async with store.transaction() as tx:
        await tx.watches.add(watch)
        found = await tx.watches.get(watch.id)
    assert found.memory.recent_lines[0].text == "arrow \u2192 and half a pair ?"
    assert replace(found, memory=replace(found.memory, recent_lines=memory.recent_lines)) == watch


async def test_a_job_has_one_active_watch(store: Store):
    async with store.transaction() as tx:
        await tx.watches.add(build.watch())
    with pytest.raises(AlreadyWatched, match="/ada/dedup on 'marin'"):
        async with store.transaction() as tx:
            await tx.watches.add(build.watch(id=WatchId("w-2")))
    async with store.transaction() as tx:
        await tx.watches.add(build.watch(id=WatchId("w-3"), cluster="other"))
        first = await tx.watches.get(WatchId("w-1"))
        await tx.watches.save(replace(first, stopped_at=NOON))
        await tx.watches.add(build.watch(id=WatchId("w-2")))


async def test_who_read_an_older_row_is_refused(store: Store):
    async with store.transaction() as tx:
        await tx.watches.add(build.watch())
        read = await tx.watches.get(WatchId("w-1"))
        assert await tx.watches.save(replace(read, restarts=1))
        assert not await tx.watches.save(replace(read, restarts=2))
        assert (await tx.watches.get(WatchId("w-1"))).restarts == 1


async def test_a_watch_is_found_by_any_name_a_person_uses(store: Store):
    watch = build.watch(root=JobId("/ada/dedup-r1"))
    async with store.transaction() as tx:
        await tx.watches.add(watch)
        for name in ("w-1", "/ada/dedup-r1", "/ada/dedup"):
            assert [other.id for other in await tx.watches.named(name)] == ["w-1"]
        assert await tx.watches.named("/ada/ded") == ()
        with pytest.raises(NoSuchWatch, match="babysit list"):
            await tx.watches.get(WatchId("w-9"))


async def test_waking_is_noticed_and_never_delays(store: Store):
    async with store.transaction() as tx:
        await tx.watches.add(build.watch(due_at=at(100)))
        number = await tx.watches.newest_announcement()
        await tx.watches.wake(WatchId("w-1"), at=at(50))
        await tx.watches.wake(WatchId("w-1"), at=at(80))
        _, woken = await tx.watches.announced_after(number)
        assert woken == ("w-1",)
        assert await tx.watches.due_times(now=at(0)) == {"w-1": at(50)}
        newest, _ = await tx.watches.announced_after(0)
        assert (await tx.watches.announced_after(newest))[1] == ()


async def test_a_stopped_watch_is_never_due(store: Store):
    async with store.transaction() as tx:
        await tx.watches.add(build.watch(stopped_at=NOON))
        assert await tx.watches.due_times(now=at(0)) == {}
        assert await tx.watches.due_times((WatchId("w-1"),), now=at(0)) == {"w-1": None}


async def test_the_last_verdict_is_kept_for_explaining(store: Store):
    verdict = build.verdict(
        reasons=(Reason("zombie.silent", False, "3 s < 180 s"),), next_check_s=float("inf")
    )
    async with store.transaction() as tx:
        await tx.watches.add(build.watch())
        read = await tx.watches.get(WatchId("w-1"))
        assert await tx.watches.save(read, verdict)
        assert await tx.watches.last_verdict(WatchId("w-1")) == verdict
        await tx.watches.save(replace(read, revision=1))
        assert await tx.watches.last_verdict(WatchId("w-1")) == verdict
