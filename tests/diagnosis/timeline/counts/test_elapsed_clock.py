"""Times of lines that print none, by the bars among them."""

import pytest

from babysitter.diagnosis.timeline.counts.elapsed_clock import elapsed_times_s
from babysitter.diagnosis.timeline.entries import read_entries


@pytest.mark.parametrize(
    ("lines", "times_s"),
    [
        (
            ("loading", "Map: 7/90 blocks [1:00:00]", "a note", "Map: 7/90 blocks [2:00:05]"),
            [None, 3600, 3600, 7205],
        ),
        (("Cut:  1%| 1/90 [00:10<14:00, 9s/it]", "Cut:  2%| 2/90 [01:05<14:00, 9s/it]"), [10, 65]),
        (("Waiting for 9 calls (12.5s elapsed)", "Waiting for 2 calls (611.0s elapsed)"), [12.5, 611]),
        (("train 3it/90 elapsed:00:30 loss=2", "train 9it/90 elapsed:1:00:30 loss=2"), [30, 3630]),
        # the second bar began 20 s after the first
        (
            (
                "A: 1/9 [00:10<1]",
                "A: 4/9 [00:50<1]",
                "B: 3/8 [00:30<1]",
                "B: 4/8 [00:40<1]",
                "A: 5/9 [01:10<1]",
            ),
            [10, 50, 50, 60, 70],
        ),
        # a bar that begins anew
        (("A 1/9 [00:10<1]", "A 8/9 [01:40<1]", "A 1/9 [00:10<1]", "A 2/9 [00:30<1]"), [10, 100, 110, 130]),
    ],
)
def test_elapsed_times(lines: tuple[str, ...], times_s: list[float | None]):
    assert elapsed_times_s(read_entries(lines)) == times_s


@pytest.mark.parametrize(
    "lines",
    [
        ("nothing", "at all"),
        ("A: 1/9 [00:10<1]",),  # one report
        ("A: 1/9 [00:10<1]", "A: 1/9 [00:10<1]"),
        ("A: 1/9 [10:10<1]", "A: 1/9 [10:02<1]", "A: 2/9 [10:20<1]"),  # of two processes
        ("epoch 1 (300s elapsed)", "epoch 2 (299s elapsed)", "epoch 3 (304s elapsed)"),  # of each epoch
        ("Epoch 1: 90/90 [05:10<00:00]", "Epoch 2: 90/90 [05:12<00:00]"),  # complete
        ("host:42 [12:30] ok", "host:42 [12:31] ok"),
        # numbers that no job's time can be
        ("A: 1/9 [999999999999:00:10<1]", "A: 2/9 [999999999999:00:20<1]"),
        ("A: 1/9 [99999:00:10<1]", "A: 2/9 [99999:00:20<1]"),
        (f"A [{'9' * 5000}:00:10]", f"A [{'9' * 5000}:00:20]"),
        (f"elapsed={'9' * 5000}:00:10", f"elapsed={'9' * 5000}:00:20"),
        (f"running for {'9' * 5000}:00:10", f"running for {'9' * 5000}:00:20"),
        (f"{'9' * 15} days elapsed", f"{'9' * 15} days 3 h elapsed"),
        (f"{'9' * 400} s elapsed", f"{'9' * 401} s elapsed"),
        ("A [0:00:01]", "A [87000:00:10]") * 2,  # 20 years in all
    ],
)
def test_elapsed_times_are_not_told(lines: tuple[str, ...]):
    assert elapsed_times_s(read_entries(lines)) is None
