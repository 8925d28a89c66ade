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
    given = settings.advisor
    return bool(given.exchange or given.api_key or given.api_key_file)


def is_exchange(settings: Settings, exchange: Path | None = None) -> bool:
    """Whether opinions come through a folder: they cost nothing, and may come later."""
    return exchange is not None or settings.advisor.exchange is not None


def open_advisor(
    settings: Settings, exchange: Path | None = None, *, is_at_terminal: bool = False
) -> Advisor:
    """Return the advisor that settings and options name. Raises UserError if they name none.

    An exchange folder goes before a key: who sets one wants to see what would be sent.
    """
    given = settings.advisor
    folder = exchange or given.exchange
    if folder is not None:
        return ExchangeFolder(folder)
    key = secret(given.api_key, given.api_key_file, what="advisor's key")
    if not key:
        raise UserError(
            "Nobody is named who could give a second opinion.",
            next_step="Give --advisor-exchange DIR, or set advisor.exchange or advisor.api_key_file.",
        )
    return AnthropicAdvisor(
        ModelService(
            key,
            given.model,
            given.base_url,
            timeout_s=min(given.timeout_s, TERMINAL_TIMEOUT_S) if is_at_terminal else given.timeout_s,
            limits=SpendingLimits(given.calls, given.tokens, given.cost_usd),
            prices={
                name: ModelPrice(price.input_usd, price.output_usd) for name, price in given.prices.items()
            },
        )
    )
