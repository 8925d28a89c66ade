"""What second opinions cost, and what a day may cost."""

from dataclasses import dataclass, field
from datetime import timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AdvisorSpend:
    """What opinions cost in some time. `cost_usd`: of the calls whose model has a price."""

    opinions: int = 0
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0


@dataclass(frozen=True, slots=True)
class AdvisorLimits:
    """What 24 hours may cost. 0 US dollars = no limit in money."""

    calls: int
    tokens: int
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class AdvisorDay:
    """What the last 24 hours did cost. `limits` None = no service with an advisor has begun."""

    spent: AdvisorSpend = field(default_factory=AdvisorSpend)
    limits: AdvisorLimits | None = None
