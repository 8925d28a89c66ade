"""The service's life: take the state over, resume everything, tick until told to stop, end in good order."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from babysitter.service.check import check_safely
from babysitter.service.deliver import Deliverer
from babysitter.service.hall import Hall
from babysitter.service.replicas import BEAT_EVERY_S
from babysitter.service.rules import prepare_rules, read_rules, refresh_rules
from babysitter.service.schedule import Schedule
from babysitter.waits import waiting_for

TICK_EVERY_S = 0.25
RULES_EVERY_S = 5.0
STOP_WITHIN_S = 10.0


class Service:
    """One process that looks after every watch of a state folder.

        async with Service(hall) as service:
            await service.until_stopped()

    Everything to resume is in the database: watches with their phases and due times, actions with their
    journal, messages with their deliveries. Starting again after a crash is the same as starting.
    """

    def __init__(self, hall: Hall, *, stop_within_s: float = STOP_WITHIN_S) -> None:
        self._hall = hall
        self._stop_within_s = stop_within_s
        self.schedule = Schedule(hall.store, partial(check_safely, hall=hall))
        self.deliverer = Deliverer(hall.store, hall.notifiers, hall.clock, hall.world)
        self._stopping = asyncio.Event()
        self._timer: _Timer | None = None

    async def __aenter__(self) -> "Service":
        """Raises AlreadyServed when another process serves this state, BadPlaybook for wrong rules."""
        await read_rules(self._hall)
        await self._hall.tenure.begin()
        await self.deliverer.begin()
        async with self._hall.store.transaction() as records:
            await records.watches.forget_announcements()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let what is under way end, say what is still to be said, and give the state back."""
        with contextlib.suppress(TimeoutError), waiting_for("the checks and messages under way"):
            async with asyncio.timeout(self._stop_within_s):
                if self._timer is not None:
                    await self._timer.settled()
                await self.schedule.settled()
                await self.deliverer.settled()
                await self.deliverer.tick()
                await self.deliverer.settled()
        if self._timer is not None:
            await self._timer.end()
        await self.schedule.give_up()
        await self.deliverer.give_up()
        await self._hall.tenure.end()

    async def tick(self) -> None:
        """Everything that is due now is started."""
        await self.schedule.tick(self._hall.clock.now())
        await self.deliverer.tick()

    async def settled(self) -> None:
        """Everything that was started has ended, and what it said has been told."""
        await self.schedule.settled()
        await self.deliverer.tick()
        await self.deliverer.settled()

    async def until_stopped(self) -> None:
        """Tick by the clock until `stop`. Raises FactsChanged when another process has taken over."""
        self._timer = _Timer()
        self._timer.every(TICK_EVERY_S, self.tick)
        self._timer.every(RULES_EVERY_S, partial(refresh_rules, self._hall))
        self._timer.start()
        preparing = asyncio.create_task(prepare_rules(self._hall))
        while not self._stopping.is_set():
            await self._hall.tenure.renew(self._hall.troubles)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), BEAT_EVERY_S)
        self._timer.pause()  # nothing new is begun while what is under way ends
        await preparing

    def stop(self) -> None:
        """End in good order; may be called from a signal handler of the loop."""
        self._stopping.set()


class _Timer:
    """APScheduler as a clock: it calls ticks, never two of the same at once, and knows nothing else."""

    def __init__(self) -> None:
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        # A tick that takes longer than its period is skipped by intention, not worth a warning each time.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler = AsyncIOScheduler(timezone="UTC")
        self._ticks: set[asyncio.Task[None]] = set()

    def every(self, seconds: float, tick: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._scheduler.add_job(
            self._run,
            "interval",
            (tick,),
            seconds=seconds,
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
        )

    def start(self) -> None:
        self._scheduler.start()

    def pause(self) -> None:
        """Begin no further tick."""
        if self._scheduler.running:
            self._scheduler.pause()

    async def settled(self) -> None:
        """Begin no further tick, and return when those under way have ended."""
        self.pause()
        await asyncio.sleep(0)  # one that was begun in this very moment takes its place
        while self._ticks:
            await asyncio.wait(tuple(self._ticks))

    async def end(self) -> None:
        """Cancel what is still under way. To be called once: APScheduler ends a turn of the loop later."""
        self.pause()
        for task in self._ticks:
            task.cancel()
        while self._ticks:
            await asyncio.wait(tuple(self._ticks))
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
            await asyncio.sleep(0)

    async def _run(self, tick: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """One tick, in a task of our own: APScheduler cancels its tasks and logs a traceback for each."""
        task = asyncio.create_task(tick())
        self._ticks.add(task)
        try:
            await asyncio.wait((task,))
        finally:
            self._ticks.discard(task)
        if not task.cancelled():
            task.result()
