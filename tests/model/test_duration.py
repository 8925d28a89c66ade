"""Durations, in the one grammar that settings, options and tools share."""

import pytest

from babysitter.model.duration import duration_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("1.5m", 90), ("4h", 14_400), ("2d", 172_800), (" 5 m ", 300), ("0", 0)],
)
def test_duration_s_reads_units(text: str, seconds: float):
    assert duration_s(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-1", "nan", "inf", "1e3", "5 minutes", "5M", "١m", "9" * 40])
def test_duration_s_refuses_other_text(text: str):
    assert duration_s(text) is None
