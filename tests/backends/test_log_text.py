"""Times of the last lines of a file of Ray, whose node may be in any zone."""

from datetime import UTC, datetime

import pytest

from babysitter.backends.ray.log_text import times_of_tail

WRITTEN = datetime(2026, 11, 20, 12, 0, 1, tzinfo=UTC)


def minutes(texts: list[str]) -> list[float]:
    """How long before the end of the file each line was printed."""
    end_ms = int(WRITTEN.timestamp() * 1000)
    return [round((end_ms - each) / 60_000, 1) for each in times_of_tail(texts, end_ms)]


@pytest.mark.parametrize("hour", ["12", "17", "04"])  # UTC, five hours ahead, eight behind
def test_times_of_tail_in_any_zone(hour):
    earlier = f"{int(hour) - 1:02d}"
    texts = [
        f"[2026-11-20 {earlier}:20:01,100] a.py:1 INFO Connected",
        "  node: 1",
        f"2026-11-20 {earlier}:50:01,100\tINFO x",
        f"[2026-11-20 {hour}:00:00,900] last",
    ]
    assert minutes(texts) == [40.0, 40.0, 10.0, 0.0]


def test_times_of_tail_without_any():
    assert minutes(["step 1", "step 2"]) == [0.0, 0.0]
    assert minutes(["2026-99-20 11:00:00 x", "2019-11-20 11:00:00 x"]) == [0.0, 0.0]
    assert minutes(["[2020-11-20 11:00:00] of years ago"]) == [0.0]


def test_times_of_tail_are_never_too_early():
    """Bars without a time go on behind the newest line with one."""
    assert minutes(["[2026-11-20 11:52:01] begins", " 3%|", " 9%|"]) == [8.0, 0.0, 0.0]
    assert minutes(["[2026-11-20 11:20:01] begins", " 9%|"]) == [10.0, 0.0], "a quarter may be the zone"
