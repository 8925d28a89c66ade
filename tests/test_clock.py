"""The clock of the demo: it hurries, and waits for the work."""

from datetime import datetime, timedelta

from babysitter.clock import PacedClock
from tests.support.waiting import until

HOUR = timedelta(hours=1)
HASTE = 1_000_000.0  # an hour in 3.6 ms


async def test_paced_clock_stops_where_work_is_undone() -> None:
    clock = PacedClock(speed=HASTE)
    due_at = clock.now() + HOUR
    clock.keep_behind(lambda: due_at)
    await until(lambda: clock.now() >= due_at)
    for _ in range(1_000):
        assert clock.now() == due_at
    due_at += HOUR
    await until(lambda: clock.now() == due_at)


async def test_paced_clock_never_goes_back() -> None:
    clock = PacedClock(speed=HASTE)
    start = clock.now()
    await until(lambda: clock.now() > start + HOUR)
    clock.keep_behind(lambda: start)
    assert clock.now() > start + HOUR


async def test_paced_clock_passes_for_who_sleeps() -> None:
    clock = PacedClock(speed=HASTE)
    start: datetime = clock.now()
    clock.keep_behind(lambda: start)
    await clock.sleep_until(start + HOUR)
    assert clock.now() >= start + HOUR
