"""Follows and the runs that they have dealt with, as they are stored."""

from dataclasses import replace
from datetime import timedelta

from babysitter.model.follow import Follow, FollowedWatch
from babysitter.model.ids import JobId, Person, WatchId
from babysitter.model.phase import Phase
from babysitter.store.repositories import follows
from babysitter.store.store import Store
from tests.support.build import NOON, watch

FOLLOW = Follow("f-1", "/ada/*", "marin", Person("ada"), NOON, owner="@ada")
JOBS = [JobId(f"/ada/{number}") for number in range(3)]


async def test_active_follows_are_those_not_stopped(store: Store):
    other = replace(FOLLOW, id="f-2", is_setting=True)
    async with store.transaction() as tx:
        await tx.follows.put(replace(FOLLOW, limit=1))
        for follow in (other, FOLLOW, replace(FOLLOW, id="f-3", stopped_at=NOON)):
            await tx.follows.put(follow)
    async with store.reading() as tx:
        assert await tx.follows.active() == (FOLLOW, other)


async def test_handled_runs_are_remembered(store: Store, monkeypatch):
    monkeypatch.setattr(follows, "AT_ONCE", 2)
    later = NOON + timedelta(hours=1)
    async with store.transaction() as tx:
        await tx.follows.handle("marin", JOBS[0], NOON)
        await tx.follows.handle("marin", JOBS[0], later)  # its name is used again
        await tx.follows.handle("marin", JOBS[2], None)
        await tx.follows.handle("other", JOBS[1], NOON)
    async with store.reading() as tx:
        assert await tx.follows.handled("marin", JOBS) == {JOBS[0]: later, JOBS[2]: None}


async def test_followed_watches_are_unfinished(store: Store):
    followed = watch(follow="f-1")
    others = (watch(Phase.FINISHED, follow="f-1"), watch(stopped_at=NOON, follow="f-1"), watch())
    async with store.transaction() as tx:
        for number, other in enumerate(others):
            await tx.watches.add(replace(other, id=WatchId(f"w-other-{number}"), root=JOBS[number]))
        await tx.watches.add(followed)
    async with store.reading() as tx:
        expected = FollowedWatch(followed.id, followed.root, followed.cluster, "f-1")
        assert await tx.follows.watches() == (expected,)
