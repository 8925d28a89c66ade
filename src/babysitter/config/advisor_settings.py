"""Settings of the second opinion."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from babysitter.config.section import Section, span_s

MAX_TOKENS = 1_000_000_000  # of one opinion: a column of PostgreSQL holds 2,147,483,647
# A name that the installed client library lists and does not mark as deprecated; a test compares them.
DEFAULT_MODEL = "claude-sonnet-5-5"


def _named_folder(value: object) -> object:
    """A path as it is written. An empty one would mean the current folder."""
    if isinstance(value, str) and not value.strip():
        raise ValueError("names no folder; name one, or leave the setting out")
    return value


class ModelPriceSettings(Section):
    """What a model costs."""

    input_usd: float = Field(ge=0, description="US dollars for a million tokens that are read")
    output_usd: float = Field(ge=0, description="US dollars for a million tokens that are written")


class AdvisorSettings(Section):
    """A second opinion on what the rules conclude. Off while nobody is named who could give it."""

    exchange: Annotated[Path | None, BeforeValidator(_named_folder)] = Field(
        default=None, description="folder of questions and answers as files, for any reader; nothing is sent"
    )
    api_key: SecretStr | None = Field(
        default=None, description="of the Anthropic interface; better: api_key_file"
    )
    api_key_file: Path | None = Field(default=None, description="file with the key")
    base_url: str = Field(default="", description="another service of the same interface")
    model: str = Field(default=DEFAULT_MODEL, min_length=1, description="which model is asked")
    timeout_s: Annotated[float, BeforeValidator(span_s)] = Field(
        default=90.0, gt=0, le=600, description="for one opinion; at a terminal 60 at most"
    )
    ask: Literal["incidents", "unsure", "on-request"] = Field(
        default="incidents",
        description="what the service asks about: each new incident, those of low confidence, or none",
    )
    calls_per_day: int = Field(default=200, ge=0, description="in 24 h, of service and commands together")
    tokens_per_day: int = Field(
        default=2_000_000, ge=0, description="in 24 h, of service and commands together"
    )
    cost_usd_per_day: float = Field(default=0.0, ge=0, description="in 24 h; 0 = no limit in money")
    eval_share: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="part of the limits of 24 h that `eval --advise` may use; the rest is for incidents",
    )
    calls: int = Field(default=4, ge=1, le=20, description="of the model, for one opinion")
    tokens: int = Field(
        default=60_000, ge=1_000, le=MAX_TOKENS, description="for one opinion, all calls together"
    )
    cost_usd: float = Field(default=0.0, ge=0, description="for one opinion; 0 = no limit in money")
    prices: dict[str, ModelPriceSettings] = Field(
        default={}, description="by model; none is known without this, and only tokens are counted"
    )

    @model_validator(mode="after")
    def _limits_in_money_need_a_price(self) -> Self:
        """A limit that nothing could be counted against would not hold."""
        if (self.cost_usd or self.cost_usd_per_day) and self.model not in self.prices:
            raise ValueError(f"a limit in US dollars needs advisor.prices for {self.model}")
        return self
