"""What second opinions cost, as programs read it; part of the schema of views.py."""

from babysitter.model.advisor_spend import AdvisorDay, AdvisorLimits, AdvisorSpend
from babysitter.surfaces.view_base import Field, View


class AdvisorSpendView(View):
    """What second opinions cost in the last 24 hours, service and commands together, and their limits."""

    calls: int
    calls_limit: int | None = Field(default=None, description="null: no service with an advisor has begun")
    tokens: int
    tokens_limit: int | None = None
    cost_usd: float = Field(description="of the calls whose model has a price")
    cost_usd_limit: float | None = Field(default=None, description="null: no limit in money")
    unpriced_calls: int = Field(default=0, description="calls whose model has no price in advisor.prices")

    @classmethod
    def of(cls, day: AdvisorDay) -> "AdvisorSpendView | None":
        """None where there is no advisor and nothing was spent."""
        spent, limits = day.spent, day.limits
        if limits is None and not spent.calls:
            return None
        return cls(
            calls=spent.calls,
            calls_limit=limits.calls if limits else None,
            tokens=spent.tokens,
            tokens_limit=limits.tokens if limits else None,
            cost_usd=spent.cost_usd,
            cost_usd_limit=limits.cost_usd or None if limits else None,
            unpriced_calls=spent.unpriced_calls,
        )

    @property
    def day(self) -> AdvisorDay:
        """The values that it was made of."""
        spent = AdvisorSpend(0, self.calls, self.tokens, self.cost_usd, self.unpriced_calls)
        if self.calls_limit is None or self.tokens_limit is None:
            return AdvisorDay(spent)
        limits = AdvisorLimits(self.calls_limit, self.tokens_limit, self.cost_usd_limit or 0.0)
        return AdvisorDay(spent, limits)
