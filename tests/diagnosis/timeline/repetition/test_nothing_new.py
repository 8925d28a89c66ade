"""Living jobs that print on and say nothing new."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.repetition.nothing_new import find_nothing_new, fold_texts
from babysitter.model.progress import KnownTexts

WAITS = "INFO task is starting (status FAILED)"


def _log(*said: tuple[int, str]) -> list[str]:
    """Lines with the minute in which each was printed."""
    return [f"2026-01-02 {3 + minute // 60:02}:{minute % 60:02}:00 {text}" for minute, text in said]


def _again(text: str, *minutes: int) -> list[str]:
    return _log((0, "INFO ready"), *((minute, text) for minute in minutes))


@pytest.mark.parametrize(
    ("lines", "minutes"),
    [
        (_again(WAITS, 1, 10, 20, 31), 30),
        ([*_again(WAITS, 1, 10, 20, 31), "$ squeue", "no jobs"], 30),  # what has no time is not the job's
        (_log(*((minute, f"ERROR try {minute} failed") for minute in (1, 10, 20, 31))), 30),
        (_again(WAITS, 1, 5, 10, 15), None),  # not for long
        (_again(WAITS, 1, 10, 31), None),  # too few
        ([*_again(WAITS, 1, 10, 20, 31), *_log((32, "INFO shard 7 done"))], None),
        (_log(*((minute, f"INFO POST /v1/answer 200 0.{minute} s") for minute in (1, 10, 20, 31))), None),
        (_log(*((minute, f"INFO step {minute}") for minute in (1, 10, 20, 31))), None),
        (_again("INFO waiting for new requests", 1, 10, 20, 31), None),
        (_again('INFO "GET /health HTTP/1.1" 200', 1, 10, 20, 31), None),
        (_log((0, "INFO a"), (40, "INFO b"), *((minute, "INFO b") for minute in (50, 60, 80))), None),
        ([WAITS] * 9, None),  # no times
        ([], None),
    ],
)
def test_find_nothing_new(lines: list[str], minutes: int | None):
    found = find_nothing_new(read_entries(lines))
    assert (found.for_s / 60 if found else None) == minutes


def test_a_line_that_counts_work_is_new_though_a_part_of_it_failed():
    lines = [f"2026-03-01 09:{n:02}:00 page {n} of 90 written, 0 rows failed to parse" for n in range(50)]
    assert find_nothing_new(read_entries(lines)) is None


def test_half_a_surrogate_pair_is_a_text():
    line = "2026-03-01 09:00:00 reading caf\udce9.txt"
    assert fold_texts(KnownTexts(), read_entries([line, line])).repeats == 1
