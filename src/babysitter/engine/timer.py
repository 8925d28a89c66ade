"""APScheduler as the clock of the periodic activities: it decides when each is attempted."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from babysitter.engine.periodic import PeriodicActivity

CLOCK_CHECK_INTERVAL_S = 1.0
CLOCK_STEP_S = 2.0  # a wall clock that moved this much against the monotonic one was set

log = structlog.get_logger()


class Timer:
    """Attempts each activity at its interval, later after a failure, and never twice at once.

    APScheduler computes with the wall clock: set back by two hours, it would wait for two hours. The timer
    compares that clock with the monotonic one and makes everything due when they disagree.
    """

    def __init__(self, activities: Iterable[PeriodicActivity]) -> None:
        # An attempt that takes longer than its interval is skipped by intention: no warning each time.
        logging.getLogger("apscheduler").setLevel(logging.CRITICAL)
        self._activities = tuple(activities)
        self._scheduler = AsyncIOScheduler(timezone="UTC")
        self._under_way: set[str] = set()
        self._idle = asyncio.Event()  # set while nothing is under way
        self._idle.set()
        self._ended: asyncio.Future[None] | None = None  # set by the activity that passes an error on

    async def run(self, stopping: asyncio.Event, *, stop_within_s: float) -> None:
        """Run the activities until `stopping` is set, then let what is under way end, within that time.

        Raises the error that an activity passes on; then nothing new is begun either.
        """
        self._ended = asyncio.get_running_loop().create_future()
        for activity in self._activities:
            self._scheduler.add_job(
                self._attempt,
                "interval",
                args=(activity,),
                id=activity.name,
                seconds=activity.every_s,
                next_run_time=datetime.now(UTC),
                max_instances=1,
                coalesce=True,
                misfire_grace_time=None,
            )
        self._scheduler.start()
        stopped = asyncio.ensure_future(stopping.wait())
        watched_clock = asyncio.ensure_future(self._watch_clock())
        awaited: set[asyncio.Future[Any]] = {stopped, self._ended, watched_clock}
        try:
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            stopping.set()
            self._scheduler.pause()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(stop_within_s):
                    await self._idle.wait()
        finally:
            stopped.cancel()
            watched_clock.cancel()
            await self._end_attempts(stop_within_s)
        if self._ended.done():
            self._ended.result()
        self._ended.cancel()

    async def _end_attempts(self, stop_within_s: float) -> None:
        """Cancel what is still under way and wait until it has ended: it uses what is closed after this."""
        self._scheduler.shutdown(wait=False)
        await asyncio.sleep(0)  # the shutdown cancels in the next round of the loop
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(stop_within_s):
                await self._idle.wait()

    async def _attempt(self, activity: PeriodicActivity) -> None:
        assert self._ended is not None, "attempts begin with run"
        self._under_way.add(activity.name)
        self._idle.clear()
        try:
            pause_s = await activity.attempt()
        except Exception as fault:  # noqa: BLE001  the one kind of error that ends the service
            if not self._ended.done():
                self._ended.set_exception(fault)
            return
        finally:
            self._under_way.discard(activity.name)
            if not self._under_way:
                self._idle.set()
        if pause_s > activity.every_s and self._scheduler.get_job(activity.name) is not None:
            at = datetime.now(UTC) + timedelta(seconds=pause_s)
            self._scheduler.modify_job(activity.name, next_run_time=at)

    async def _watch_clock(self) -> None:
        before_s = time.time() - time.monotonic()
        while True:
            await asyncio.sleep(CLOCK_CHECK_INTERVAL_S)
            difference_s = time.time() - time.monotonic()
            if abs(difference_s - before_s) >= CLOCK_STEP_S:
                log.warning("wall_clock_set", by_s=round(difference_s - before_s, 1))
                self.make_everything_due()
            before_s = difference_s

    def make_everything_due(self) -> None:
        """Attempt every activity now; the intervals start again from here."""
        for activity in self._activities:
            if self._scheduler.get_job(activity.name) is not None:
                self._scheduler.modify_job(activity.name, next_run_time=datetime.now(UTC))
