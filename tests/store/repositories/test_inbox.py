"""Answers on their way in: kept once each, given in order, gone when answered."""

from dataclasses import replace
from datetime import timedelta

from babysitter.model.proposal import Surface
from babysitter.store.repositories.inbox import PendingClick
from babysitter.store.store import Store
from tests.support.build import NOON

PRESS = PendingClick("U0ADA:approve:p-1:1.2", Surface.SLACK, NOON, '{"user": "U0ADA"}')


async def test_what_came_in_is_kept_once_in_order_by_its_door(store: Store):
    earlier = replace(PRESS, id="earlier", came_at=NOON - timedelta(seconds=1))
    async with store.transaction() as tx:
        await tx.inbox.put(PRESS)
        await tx.inbox.put(earlier)
        await tx.inbox.put(replace(PRESS, body="delivered again"))
        await tx.inbox.put(replace(PRESS, id="typed", door=Surface.TERMINAL))
    async with store.reading() as tx:
        assert await tx.inbox.of(Surface.SLACK) == (earlier, PRESS)


async def test_what_is_answered_is_gone_however_often(store: Store):
    async with store.transaction() as tx:
        await tx.inbox.put(PRESS)
    for _ in range(2):
        async with store.transaction() as tx:
            await tx.inbox.take_out(PRESS.id)
    async with store.reading() as tx:
        assert await tx.inbox.of(Surface.SLACK) == ()
