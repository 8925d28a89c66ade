"""The timer: activities are attempted until the end, again after failures, whatever the wall clock does."""

import asyncio

import pytest

from babysitter.engine.periodic import PeriodicActivity
from babysitter.engine.timer import Timer
from babysitter.errors import FactsChanged, Unreachable
from tests.support.clock import FakeClock


class Counter:
    """Counts its calls; sets `reached` at the one given, and fails where it is told to."""

    def __init__(self, until: int, *, faults: tuple[Exception, ...] = ()) -> None:
        self.until = until
        self.faults = list(faults)
        self.calls = 0
        self.begun, self.reached = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> None:
        self.calls += 1
        self.begun.set()
        if self.calls >= self.until:
            self.reached.set()
        if self.faults:
            raise self.faults.pop(0)


def activity(name: str, act, every_s: float, **options) -> PeriodicActivity:
    return PeriodicActivity(
        name, act, every_s=every_s, clock=FakeClock(), troubles={}, failures={}, **options
    )


async def test_activities_go_on_until_stopped():
    stopping, work = asyncio.Event(), Counter(3)
    timer = Timer([activity("a", work, 0.01)])
    running = asyncio.create_task(timer.run(stopping, stop_within_s=60))
    await work.reached.wait()
    stopping.set()
    await running
    calls = work.calls
    timer.make_everything_due()
    await asyncio.sleep(0)
    assert work.calls == calls


async def test_failed_activity_is_attempted_again():
    stopping, work = asyncio.Event(), Counter(4, faults=(Unreachable("no"), KeyError("x")))
    running = asyncio.create_task(Timer([activity("a", work, 0.01)]).run(stopping, stop_within_s=60))
    await work.reached.wait()
    stopping.set()
    await running


async def test_takeover_ends_the_timer():
    stopping, other = asyncio.Event(), Counter(1)
    lease = activity("lease", Counter(9, faults=(FactsChanged("taken over"),)), 5.0, ends_with=FactsChanged)
    with pytest.raises(FactsChanged):
        await Timer([lease, activity("b", other, 5.0)]).run(stopping, stop_within_s=60)
    assert stopping.is_set()


async def test_work_under_way_ends_before_the_timer():
    stopping, begun, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()
    ended = []

    async def slow() -> None:
        begun.set()
        await may_end.wait()
        ended.append(True)

    running = asyncio.create_task(Timer([activity("a", slow, 5.0)]).run(stopping, stop_within_s=60))
    await begun.wait()
    stopping.set()
    may_end.set()
    await running
    assert ended


async def test_interrupted_timer_ends_after_the_work_under_way():
    begun, ended = asyncio.Event(), []

    async def slow() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)  # as a transaction is rolled back
            ended.append(True)

    timer = Timer([activity("a", slow, 5.0)])
    running = asyncio.create_task(timer.run(asyncio.Event(), stop_within_s=60))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended


async def test_wall_clock_that_was_set_makes_everything_due():
    stopping, work = asyncio.Event(), Counter(2)
    timer = Timer([activity("a", work, 7_200.0)])  # as far away as after a clock set back by two hours
    running = asyncio.create_task(timer.run(stopping, stop_within_s=60))
    await work.begun.wait()
    await asyncio.sleep(0)  # the attempt has ended
    timer.make_everything_due()
    await work.reached.wait()
    stopping.set()
    await running
