"""Work that goes on at a small part of its pace."""

from datetime import UTC, datetime, timedelta

import pytest

from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.counts.slow_pace import find_crawl, find_slow_rest
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.model.progress import CountedWork


def _work(*reports: tuple[str, int], total: int = 200, what: str = "merged {} of {} parts") -> CountedWork:
    """What reports at such times of day have counted."""
    return read_counters(
        read_entries(f"2026-01-02 {at}:00 {what.format(done, total)}" for at, done in reports)
    ).work


_BULK = (("03:01", 20), ("03:02", 60), ("03:03", 120), ("03:05", 190))


@pytest.mark.parametrize(
    ("work", "is_slow"),
    [
        (_work(*_BULK, ("03:40", 191), ("04:50", 192)), True),
        (_work(*_BULK, ("03:40", 190), ("04:50", 190)), False),  # it stands still
        (_work(*_BULK, ("03:06", 200)), False),
        (_work(*_BULK, ("03:10", 191)), False),  # not for long
        (_work(("03:01", 20), ("03:41", 60), ("04:20", 160), ("05:00", 180)), False),
        (_work(("03:01", 160), ("03:41", 170), ("04:20", 180)), False),  # most of it was not seen
    ],
)
def test_find_slow_rest(work: CountedWork, is_slow: bool):
    assert (find_slow_rest(work) is not None) == is_slow


@pytest.mark.parametrize(
    ("work", "place"),
    [
        (_work(("03:00", 0), ("03:05", 21000), ("03:10", 21060), ("03:20", 21110), total=90000), 1),
        (_work(("03:00", 0), ("03:05", 21000), ("03:10", 41000), ("03:20", 83000), total=90000), None),
        (_work(("03:00", 0), ("03:05", 21000), ("03:20", 21000), total=90000), None),  # it stands still
        (_work(("03:00", 0), ("03:05", 21000), ("03:07", 21010), total=90000), None),  # not for long
        (_work(("03:00", 0), ("03:05", 90), ("03:40", 91), what="attempt {} of {}"), None),
        (_work(), None),
    ],
)
def test_find_crawl(work: CountedWork, place: int | None):
    assert find_crawl(work) == place


@pytest.mark.parametrize("every_s", [1, 10, 60])
@pytest.mark.parametrize("crawl_s", [400, 900, 1800, 7200])
def test_find_crawl_in_many_reports(every_s: int, crawl_s: int):
    fast = [(at, 100 * at) for at in range(0, 601, every_s)]
    slow = [(600 + at, 60_000 + at) for at in range(every_s, crawl_s + 1, every_s)]
    work = _counted([*fast, *slow], total=90_000)
    crawl = find_crawl(work)
    assert crawl is not None
    assert 420 <= fast[crawl][0] <= 600  # not behind the fault


def _counted(reports: list[tuple[int, int]], total: int) -> CountedWork:
    """What reports at such seconds have counted; read in batches, as a watch does."""
    work, start = CountedWork(), datetime(2026, 1, 2, 3, tzinfo=UTC)
    lines = [
        f"{start + timedelta(seconds=at):%Y-%m-%d %H:%M:%S} merged {done} of {total} parts"
        for at, done in reports
    ]
    for first in range(0, len(lines), 500):
        entries = read_entries(lines[first : first + 500])
        placed = [entry._replace(place=first + entry.place) for entry in entries]
        work = read_counters(placed, work).work
    return work


def test_find_crawl_unless_other_work_goes_on():
    lines = [
        "2026-01-02 03:00:00 merged 0 of 900 parts",
        "2026-01-02 03:00:00 step 1 done",
        "2026-01-02 03:05:00 merged 800 of 900 parts",
        "2026-01-02 03:10:00 step 11 done",
        "2026-01-02 03:20:00 merged 801 of 900 parts",
        "2026-01-02 03:20:00 step 22 done",
    ]
    assert find_crawl(read_counters(read_entries(lines)).work) is None
