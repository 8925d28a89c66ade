"""What second opinions cost, as it is counted in the database."""

from datetime import timedelta

from babysitter.config.advisor_settings import MAX_TOKENS
from babysitter.model.advisor_spend import DAY, AdvisorDay, AdvisorLimits, AdvisorSpend
from babysitter.store.repositories.advisor_budget import AdvicePurpose
from babysitter.store.store import Store
from tests.support.build import NOON

MOST = AdvisorSpend(1, 4, MAX_TOKENS, 5_000.0)


async def test_reserved_cost_counts_until_it_is_settled(store: Store):
    async with store.transaction() as tx:
        assert await tx.advisor.day(NOON) == AdvisorDay()
        settled = await tx.advisor.reserve(NOON, AdvicePurpose.INCIDENT, AdvisorSpend(1, 4, 60_000, 0.5))
        await tx.advisor.reserve(NOON, AdvicePurpose.COMMAND, AdvisorSpend(1, 3, 50_000, unpriced_calls=3))
        await tx.advisor.note_free(NOON, AdvicePurpose.WATCH)
        await tx.advisor.note_free(NOON - DAY - timedelta(seconds=1), AdvicePurpose.WATCH)
    async with store.transaction() as tx:
        await tx.advisor.settle(settled, AdvisorSpend(1, 1, 10_000, 0.1))
        await tx.advisor.settle(settled, AdvisorSpend(1, 1, 10_000, 0.1))
        await tx.advisor.offer(AdvisorLimits(200, 2_000_000))
        await tx.advisor.offer(AdvisorLimits(100, 1_000_000, 2.5))
    async with store.reading() as tx:
        spent, limits = AdvisorSpend(3, 4, 60_000, 0.1, 3), AdvisorLimits(100, 1_000_000, 2.5)
        assert await tx.advisor.day(NOON) == AdvisorDay(spent, limits)
    async with store.transaction() as tx:
        await tx.advisor.offer(None)
        assert await tx.advisor.limits() is None


async def test_large_costs_are_counted(store: Store):
    async with store.transaction() as tx:
        for _ in range(3):
            await tx.advisor.reserve(NOON, AdvicePurpose.COMMAND, MOST)
        assert await tx.advisor.spent(NOON) == AdvisorSpend(3, 12, 3_000_000_000, 15_000.0)
