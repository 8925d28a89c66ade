"""What a consultation may cost, and what it did."""

from collections.abc import Mapping
from dataclasses import dataclass

from babysitter.advisor.consultation import Usage

TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """US dollars for a million tokens."""

    input_usd: float
    output_usd: float


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """Limits of one consultation. 0 US dollars = no limit in money."""

    calls: int = 4
    tokens: int = 60_000  # input and output of all calls together
    cost_usd: float = 0.0


def cost_usd(
    prices: Mapping[str, ModelPrice], model: str, input_tokens: int, output_tokens: int
) -> float | None:
    """The cost of a call; None for a model without a price."""
    price = prices.get(model)
    if price is None:
        return None
    return (input_tokens * price.input_usd + output_tokens * price.output_usd) / TOKENS_PER_PRICE


def why_over(limits: SpendingLimits, spent: Usage, next_tokens: int, next_usd: float | None) -> str:
    """Why the next call, of at most so many tokens, is over the limits; "" = it may be made."""
    if spent.calls >= limits.calls:
        return f"its {limits.calls} calls are used up"
    if spent.input_tokens + spent.output_tokens + next_tokens > limits.tokens:
        return f"it would take more than {limits.tokens:,} tokens"
    if limits.cost_usd and next_usd is not None and (spent.cost_usd or 0.0) + next_usd > limits.cost_usd:
        return f"it would cost more than {limits.cost_usd:.2f} USD"
    return ""
