"""An advisor within the budget of a day, which the database keeps for service and commands together."""

import structlog

from babysitter.advisor.anthropic_client import MAX_OUTPUT_TOKENS
from babysitter.advisor.consultation import Advisor, Consultation
from babysitter.advisor.material import Material
from babysitter.advisor.question import Question
from babysitter.advisor.spending import ModelPrice, cost_usd
from babysitter.clock import Clock
from babysitter.config.advisor_settings import AdvisorSettings
from babysitter.errors import StorageUnavailable
from babysitter.model.advisor_spend import DAY, AdvisorLimits, AdvisorSpend
from babysitter.model.opinion import NoOpinion
from babysitter.store.repositories.advisor_budget import AdvicePurpose
from babysitter.store.store import Store

KEPT_FOR_INCIDENTS = "The rest of the day's limits is kept for incidents (advisor.eval_share)."

log = structlog.get_logger()


def day_limits(settings: AdvisorSettings) -> AdvisorLimits:
    """What 24 hours may cost."""
    return AdvisorLimits(settings.calls_per_day, settings.tokens_per_day, settings.cost_usd_per_day)


def limits_for(settings: AdvisorSettings, purpose: AdvicePurpose) -> AdvisorLimits:
    """The limits of 24 hours within which a question for this purpose must fit.

    Those of an evaluation are smaller: a folder of any size must leave something to incidents.
    """
    day = day_limits(settings)
    if purpose is not AdvicePurpose.EVALUATION:
        return day
    share = settings.eval_share
    return AdvisorLimits(int(day.calls * share), int(day.tokens * share), day.cost_usd * share)


def most_of_one(settings: AdvisorSettings) -> AdvisorSpend:
    """The most that one opinion may cost: its limits, and in money what they cost at most."""
    prices = {name: ModelPrice(price.input_usd, price.output_usd) for name, price in settings.prices.items()}
    usd = cost_usd(prices, settings.model, settings.tokens, settings.calls * MAX_OUTPUT_TOKENS)
    if usd is not None and settings.cost_usd:
        usd = min(usd, settings.cost_usd)
    unpriced = settings.calls if usd is None else 0
    return AdvisorSpend(1, settings.calls, settings.tokens, usd or 0.0, unpriced)


def why_day_is_over(limits: AdvisorLimits, spent: AdvisorSpend, most: AdvisorSpend) -> str:
    """Why no further question fits into the day; "" = one does."""
    if spent.calls + most.calls > limits.calls:
        return f"A question may take more than is left of the {limits.calls} calls of 24 h."
    if spent.tokens + most.tokens > limits.tokens:
        return f"A question may take more than is left of the {limits.tokens:,} tokens of 24 h."
    if limits.cost_usd and spent.cost_usd + most.cost_usd > limits.cost_usd:
        return f"A question may take more than is left of the {limits.cost_usd:.2f} USD of 24 h."
    return ""


class BudgetedAdvisor:
    """Asks while the day's budget allows it, and counts what a question costs.

    The most that it may cost is counted before it is asked: a process that dies meanwhile, or two that ask at
    once, cannot spend more than the limits.
    """

    def __init__(
        self, advisor: Advisor, store: Store, settings: AdvisorSettings, clock: Clock, purpose: AdvicePurpose
    ) -> None:
        self._advisor = advisor
        self._store = store
        self._settings = settings
        self._clock = clock
        self._purpose = purpose

    async def consult(self, question: Question, material: Material) -> Consultation:
        """Ask, unless that would exceed the day. Without a database that can be written nobody is asked."""
        try:
            number, why = await self._reserved()
        except StorageUnavailable as fault:
            return Consultation(NoOpinion(f"Its cost cannot be stored: {fault.reason}"))
        if why:
            return Consultation(NoOpinion(why))
        found = await self._advisor.consult(question, material)
        try:
            async with self._store.transaction() as tx:
                await tx.advisor.settle(number, spend_of(found))
        except StorageUnavailable as fault:  # it goes on counting as the most that it may cost
            log.warning("advisor_cost_not_stored", because=fault.sentence)
        return found

    async def _reserved(self) -> tuple[int, str]:
        """The number of the reservation, or 0 and why nobody is asked."""
        now, most = self._clock.now(), most_of_one(self._settings)
        async with self._store.transaction() as tx:
            spent = await tx.advisor.spent(now - DAY)
            if why := why_day_is_over(day_limits(self._settings), spent, most):
                return 0, why
            if why := why_day_is_over(limits_for(self._settings, self._purpose), spent, most):
                return 0, f"{why} {KEPT_FOR_INCIDENTS}"
            return await tx.advisor.reserve(now, self._purpose, most), ""


def spend_of(found: Consultation) -> AdvisorSpend:
    """What a consultation did cost."""
    usage = found.usage
    tokens = usage.input_tokens + usage.output_tokens
    unpriced = usage.calls if usage.cost_usd is None else 0
    return AdvisorSpend(1, usage.calls, tokens, usage.cost_usd or 0.0, unpriced)
