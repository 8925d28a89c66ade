"""The slow rest of parts that are worked on at once."""

import pytest

from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.counts.last_parts import Rest, find_last_parts, read_rest
from babysitter.diagnosis.timeline.entries import read_entries


def _place(*lines: str) -> int | None:
    entries = read_entries(lines)
    return find_last_parts(read_counters(entries).work, entries)


def _told(what: str, *reports: tuple[str, int]) -> int | None:
    return _place(*(f"2026-05-0{at}:00 {what.format(done)}" for at, done in reports))


@pytest.mark.parametrize(
    ("what", "reports", "place"),
    [
        # what is in flight is all that is left, and each part takes long
        ("{}/500 tiles stitched, 4 in flight, 0 waiting", [("1 10:00", 496), ("1 10:31", 498)], 1),
        ("{} of 80 runs done, 2 still running", [("1 10:00", 78), ("1 10:15", 79)], 1),
        ("{}/500 tiles stitched, 4 in flight, 0 waiting", [("1 10:00", 496), ("1 10:05", 498)], None),
        ("{}/500 tiles stitched, 4 in flight, 9 waiting", [("1 10:00", 487), ("1 10:31", 489)], None),
        ("{}/500 tiles stitched, 4 in flight", [("1 10:00", 485), ("1 10:31", 487)], None),  # others wait
        ("{}/500 tiles stitched, 4 in flight, 0 waiting", [("1 10:00", 100), ("1 10:31", 102)], None),
        # the pace is that of the parts before
        (
            "{}/60 tiles stitched, 4 in flight",
            [("1 01:00", 10), ("1 11:00", 50), ("1 12:00", 57), ("1 12:30", 59)],
            None,
        ),
        # at such a pace all would have taken days
        ("{}/300 partitions written", [("1 10:00", 297), ("1 12:00", 298), ("1 14:10", 299)], 2),
        ("{}/300 partitions written", [("1 10:00", 297), ("1 10:03", 298), ("1 10:05", 299)], None),
        ("{}/40 partitions written", [("1 10:00", 38), ("1 10:20", 39)], None),  # one after the other
        ("{}/300 films cut", [("1 10:00", 297), ("1 10:30", 298), ("1 11:00", 299)], None),
        ("{}/300 films cut", [("1 10:00", 297), ("1 12:00", 298), ("1 14:10", 299)], 2),
        ("{}/300 partitions written", [("1 10:00", 298), ("1 12:00", 300)], None),  # all are done
        ("{}/300 partitions written", [("1 10:00", 298), ("1 12:00", 298)], None),  # it stands still
        # what is done in its turn has no last parts
        ("step {}/3000 of 8 tasks", [("1 10:00", 2990), ("1 12:00", 2991)], None),
        ("epoch {}/100", [("1 10:00", 96), ("4 12:00", 97)], None),
        ("upload {}% of 8 blocks", [("1 10:00", 96), ("4 12:00", 97)], None),
    ],
)
def test_find_last_parts(what: str, reports: list[tuple[str, int]], place: int | None):
    assert _told(what, *reports) == place


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (("90/100 cells, 10 in flight", "96/100 cells, 4 in flight", "98/100 cells, 2 in flight"), 2),
        (("done=990 active=10 queue=0", "done=996 active=4 queue=0", "done=998 active=2 queue=0"), 2),
        (("90/100 cells, 10 in flight", "94/100 cells, 6 in flight", "98/100 cells, 2 in flight"), None),
        (("90/100 cells, 10 in flight", "96/100 cells, 4 in flight"), None),
        (("done=990 active=10 queue=3", "done=996 active=4 queue=3", "done=998 active=2 queue=3"), None),
        # a server's work has no end
        (("done=990 active=10 queue=0", "done=998 active=9 queue=0", "done=999 active=10 queue=0"), None),
    ],
)
def test_find_last_parts_without_times(lines: tuple[str, ...], place: int | None):
    assert _place(*lines) == place


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        ("12 in flight, 0 waiting, 60 workers", Rest(12, 0)),
        ("queue=0, active=71, rate 3", Rest(71, 0)),
        ("2 stale in-flight calls, 7 in flight total", Rest(7, None)),
        ("running: 3/9", Rest(None, None)),
        ("397 tasks completed", Rest(None, None)),
        (f"{'9' * 5000} in flight, {'9' * 5000} waiting", Rest(None, None)),
        (f"active={'9' * 5000}, queue={'9' * 5000}", Rest(None, None)),
    ],
)
def test_read_rest(message: str, rest: Rest):
    assert read_rest(message) == rest
