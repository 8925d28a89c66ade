"""Leases: one owner at a time, taken over when it is silent, fenced when it comes back."""

import pytest

from babysitter.errors import FactsChanged
from babysitter.model.ids import IncidentId, Person, ReplicaId, RuleId
from babysitter.store.repositories.feedback import FeedbackLabel
from babysitter.store.store import Store
from tests.support.build import NOON, at

ONE, TWO = ReplicaId("one"), ReplicaId("two")


async def test_a_lease_has_one_owner(store: Store):
    async with store.transaction() as tx:
        await tx.leases.beat(ONE, until=at(15))
        await tx.leases.beat(TWO, until=at(15))
        assert await tx.leases.claim(("service",), ONE, now=NOON) == {"service": 1}
        assert await tx.leases.claim(("service",), TWO, now=at(14)) == {}
        assert await tx.leases.claim(("service",), ONE, now=at(14)) == {"service": 1}
        assert await tx.leases.owner_of("service", now=at(14)) == ONE


async def test_a_silent_owner_is_outdated(store: Store):
    async with store.transaction() as tx:
        await tx.leases.beat(ONE, until=at(15))
        await tx.leases.claim(("service",), ONE, now=NOON)
        await tx.leases.beat(TWO, until=at(60))
        assert await tx.leases.claim(("service",), TWO, now=at(20)) == {"service": 2}
        await tx.leases.must_hold("service", 2)
        with pytest.raises(FactsChanged, match="taken over"):
            await tx.leases.must_hold("service", 1)
        await tx.leases.beat(ONE, until=at(60))
        assert await tx.leases.claim(("service",), ONE, now=at(21)) == {}


async def test_a_former_owner_that_comes_back_first_gets_a_new_fence(store: Store):
    async with store.transaction() as tx:
        await tx.leases.beat(ONE, until=at(15))
        await tx.leases.claim(("service",), ONE, now=NOON)
        await tx.leases.leave(ONE)
        assert await tx.leases.owner_of("service", now=NOON) is None
        await tx.leases.beat(ONE, until=at(60))
        assert await tx.leases.claim(("service",), ONE, now=at(20)) == {"service": 2}


async def test_a_person_has_one_word_per_incident(store: Store):
    label = FeedbackLabel(IncidentId("i-1"), Person("U-ada"), NOON, False, (RuleId("zephyr.zombie"),))
    async with store.transaction() as tx:
        await tx.feedback.put(label)
        corrected = FeedbackLabel(IncidentId("i-1"), Person("U-ada"), at(5), True)
        await tx.feedback.put(corrected)
        assert await tx.feedback.all() == (corrected,)


async def test_sign_of_life_ends_at_its_moment(store: Store):
    async with store.transaction() as tx:
        await tx.leases.beat(ONE, until=at(15))
        await tx.leases.claim(("service",), ONE, now=NOON)
        assert await tx.leases.owner_of("service", now=at(14.999)) == ONE
        assert await tx.leases.owner_of("service", now=at(15)) is None


async def test_silent_owner_gets_a_new_fence_even_alone(store: Store):
    async with store.transaction() as tx:
        await tx.leases.beat(ONE, until=at(15))
        await tx.leases.claim(("service",), ONE, now=NOON)
        assert await tx.leases.claim(("service",), ONE, now=at(20)) == {"service": 2}


async def test_who_leaves_is_alive_no_more(store: Store):
    async with store.transaction() as tx:
        await tx.leases.beat(ONE, until=at(15))
        await tx.leases.leave(ONE)
        assert await tx.leases.alive(now=NOON) == {}
