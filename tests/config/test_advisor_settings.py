"""Defaults of the second opinion that are true, and limits that hold."""

from typing import Any, get_args

import pytest
from anthropic.resources.messages.messages import DEPRECATED_MODELS
from anthropic.types.model import Model
from pydantic import ValidationError

from babysitter.config.advisor_settings import DEFAULT_MODEL, AdvisorSettings

PRICE = {"input_usd": 1.0, "output_usd": 2.0}


def test_default_model_is_offered():
    assert DEFAULT_MODEL in get_args(get_args(Model)[0])
    assert DEFAULT_MODEL not in DEPRECATED_MODELS


def test_no_price_is_invented():
    assert AdvisorSettings().prices == {}


@pytest.mark.parametrize("wish", [{"cost_usd": 0.1}, {"cost_usd_per_day": 1.0}])
def test_limit_in_money_needs_a_price(wish: dict[str, Any]):
    with pytest.raises(ValidationError, match=f"needs advisor.prices for {DEFAULT_MODEL}"):
        AdvisorSettings(**wish)
    assert AdvisorSettings(**wish, prices={DEFAULT_MODEL: PRICE})
