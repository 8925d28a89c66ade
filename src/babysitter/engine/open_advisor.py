"""Who gives second opinions, as the settings name them."""

from pathlib import Path

from babysitter.advisor.anthropic_client import AnthropicAdvisor, ModelService
from babysitter.advisor.consultation import Advisor
from babysitter.advisor.exchange import ExchangeFolder
from babysitter.advisor.spending import ModelPrice, SpendingLimits
from babysitter.config import Settings, secret
from babysitter.errors import UserError

TERMINAL_TIMEOUT_S = 60.0  # a person waits


def is_advised(settings: Settings) -> bool:
    """Whether the settings name somebody who gives second opinions."""
    wishes = settings.advisor
    return bool(wishes.exchange or wishes.api_key or wishes.api_key_file)


def is_exchange(settings: Settings, exchange: Path | None = None) -> bool:
    """Whether opinions come through a folder: they cost nothing, and may come later."""
    return exchange is not None or settings.advisor.exchange is not None


def open_advisor(
    settings: Settings, exchange: Path | None = None, *, is_at_terminal: bool = False
) -> Advisor:
    """Return the advisor that settings and options name. Raises UserError if they name none.

    An exchange folder goes before a key: who sets one wants to see what would be sent.
    """
    wishes = settings.advisor
    folder = exchange or wishes.exchange
    if folder is not None:
        return ExchangeFolder(folder)
    key = secret(wishes.api_key, wishes.api_key_file, what="advisor's key")
    if not key:
        raise UserError(
            "Nobody is named who could give a second opinion.",
            next_step="Give --advisor-exchange DIR, or set advisor.exchange or advisor.api_key_file.",
        )
    return AnthropicAdvisor(
        ModelService(
            key,
            wishes.model,
            wishes.base_url,
            timeout_s=min(wishes.timeout_s, TERMINAL_TIMEOUT_S) if is_at_terminal else wishes.timeout_s,
            limits=SpendingLimits(wishes.calls, wishes.tokens, wishes.cost_usd),
            prices={
                name: ModelPrice(price.input_usd, price.output_usd) for name, price in wishes.prices.items()
            },
        )
    )
