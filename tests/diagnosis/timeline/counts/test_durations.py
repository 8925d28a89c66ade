"""Durations with numbers of any length."""

import re

import pytest

from babysitter.diagnosis.timeline.counts.durations import DURATION, MAX_S, read_duration_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0.12345678901234567s", 0.12345678901234567),
        ("99999:00:00", 99999 * 3600),
        (f"{'9' * 15}d", MAX_S),
        (f"{'9' * 5000}d", 0),
        (f"{'9' * 5000}d3h", 10800),
        (f"{'9' * 5000}:00:00", 0),
    ],
)
def test_read_duration(text: str, seconds: float):
    assert read_duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["9" * 5000 + end for end in ("", " s", "h", ":10:10")])
def test_huge_number_is_no_duration(text: str):
    assert re.search(DURATION, text) is None
