"""Durations of options: bounded, and refused with the option's name."""

from datetime import timedelta

import pytest

from babysitter.errors import UserError
from babysitter.surfaces.duration_option import parse_duration, short

HOUR = timedelta(hours=1)


def test_parse_duration_up_to_its_limit():
    assert parse_duration("60m", at_most=HOUR) == HOUR
    assert parse_duration("0", at_most=HOUR) == timedelta()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("soon", "Invalid duration 'soon' for --for. Use for example 30m, 4h or 2d."),
        ("61m", "The duration '61m' for --for is too long. Use at most 1h."),
        ("0s", "The duration '0s' for --for is not above zero."),
    ],
)
def test_parse_duration_refusals(text: str, sentence: str):
    with pytest.raises(UserError) as refused:
        parse_duration(text, at_most=HOUR, option="--for", above_zero=True)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(("seconds", "text"), [(0, "0s"), (90, "90s"), (600, "10m"), (172_800, "2d")])
def test_short_uses_the_largest_whole_unit(seconds: int, text: str):
    assert short(timedelta(seconds=seconds)) == text
