"""Run the service: acquire the lease, resume everything, work until asked to stop, shut down in order.

Everything that it does again and again is a PeriodicActivity, listed in `Service._activities`. Each survives
failed attempts. Only a takeover by another process, a signal, or the end of the caller's block ends it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import structlog

from babysitter.engine.advising.budgeted_advisor import day_limits
from babysitter.engine.advising.open_advisor import is_advised, is_exchange, open_advisor
from babysitter.engine.advising.second_opinions import SecondOpinions
from babysitter.engine.app import App
from babysitter.engine.check import process_watch_safely
from babysitter.engine.leadership import BEAT_INTERVAL_S
from babysitter.engine.periodic import PeriodicActivity
from babysitter.engine.rules.reload_rules import load_rules, prepare_rules, refresh_rules
from babysitter.engine.schedule import Schedule
from babysitter.engine.status_file import WRITE_INTERVAL_S, StatusFile
from babysitter.engine.telling.dead_mans_switch import DeadMansSwitch
from babysitter.engine.telling.deliver import Deliverer
from babysitter.engine.telling.emergency import EmergencyChannel
from babysitter.engine.telling.job_pages import JobPages
from babysitter.engine.timer import Timer
from babysitter.errors import FactsChanged, StorageUnavailable
from babysitter.model.watch import UnfinishedWatch
from babysitter.notify.heartbeat import HeartbeatSender
from babysitter.waits import waiting_for

TICK_INTERVAL_S = 0.25
RULES_INTERVAL_S = 5.0
OVERVIEW_INTERVAL_S = 10.0
EMERGENCY_INTERVAL_S = 1.0
ADVISOR_INTERVAL_S = 2.0
STOP_TIMEOUT_S = 10.0
ASKED_TO_END = "It was asked to end"
INTERRUPTED = "It was interrupted at its terminal"  # Ctrl+C in a command that is the service meanwhile

log = structlog.get_logger()


class Service:
    """One process that looks after every watch of a state folder.

        async with Service(app) as service:
            await service.until_stopped()

    Everything to resume is in the database: watches with their phases and due times, actions with their
    journal, messages with their deliveries. Starting again after a crash is the same as starting.
    """

    def __init__(self, app: App, *, stop_within_s: float = STOP_TIMEOUT_S) -> None:
        self._app = app
        self._stop_within_s = stop_within_s
        self.schedule = Schedule(app.store, partial(process_watch_safely, app=app))
        pages = JobPages(app.store, app.clusters)
        self.deliverer = Deliverer(app.store, app.notifiers, app.clock, app.wall_clock, pages)
        self._status_file = StatusFile(app.state_folder)
        self.emergency = EmergencyChannel(
            app.store, app.notifiers, app.storage, self._status_file, app.wall_clock, counts=app.sent
        )
        self._watches: Sequence[UnfinishedWatch] = ()
        self._sender: HeartbeatSender | None = None
        self._switch: DeadMansSwitch | None = None
        if url := app.settings.heartbeat.url:
            self._sender = HeartbeatSender(url.get_secret_value())
            self._switch = DeadMansSwitch(
                self._sender, app.storage, app.blind_watches, app.clock, counts=app.sent
            )
        self._stopping = asyncio.Event()
        self._ended_because = ""  # why `until_stopped` returned
        self._is_overtaken = False
        self._activities = self._listed_activities()

    async def __aenter__(self) -> "Service":
        """Raises AlreadyServed when another process serves this state, BadPlaybook for wrong rules."""
        await load_rules(self._app)
        await self._app.leadership.begin()
        await self.deliverer.begin()
        settings = self._app.settings
        async with self._app.store.transaction() as tx:
            await tx.watches.forget_announcements()
            await tx.advisor.offer(day_limits(settings.advisor) if is_advised(settings) else None)
        await self._look_over()
        return self

    async def __aexit__(
        self, kind: object = None, fault: BaseException | None = None, trace: object = None
    ) -> None:
        """Let what is under way end, say what is still to be said, and give the state back."""
        with contextlib.suppress(TimeoutError), waiting_for("the checks and messages under way"):
            async with asyncio.timeout(self._stop_within_s):
                await self.schedule.settled()
                await self.deliverer.finish()
        await self.schedule.give_up()
        await self.deliverer.give_up()
        await self._say_last(fault)
        try:
            await self._app.leadership.end()
        except StorageUnavailable as unavailable:
            log.warning("lease_not_returned", because=unavailable.sentence)
        if self._sender is not None:
            await self._sender.close()

    async def tick(self) -> None:
        """Everything that is due now is started."""
        await self._activities["checks"].attempt()
        await self._activities["delivery"].attempt()

    async def settled(self) -> None:
        """Everything that was started has ended, and its messages are delivered."""
        await self.schedule.settled()
        await self._activities["delivery"].attempt()
        await self.deliverer.settled()

    async def until_stopped(self) -> None:
        """Act until `stop`. Raises FactsChanged when another process has taken over."""
        preparing = asyncio.create_task(self._prepare_rules())
        try:
            await Timer(self._activities.values()).run(self._stopping, stop_within_s=self._stop_within_s)
        except FactsChanged:
            self._is_overtaken = True
            raise
        except asyncio.CancelledError:
            self._ended_because = INTERRUPTED
            raise
        finally:
            preparing.cancel()
            await asyncio.gather(preparing, return_exceptions=True)
        self._ended_because = ASKED_TO_END

    def stop(self) -> None:
        """End in good order; may be called from a signal handler of the loop."""
        self._stopping.set()

    def _listed_activities(self) -> dict[str, PeriodicActivity]:
        """Everything that the service does again and again."""
        app = self._app

        def activity(
            name: str,
            act: Callable[[], Awaitable[object]],
            every_s: float,
            *,
            max_pause_s: float = 30.0,
            ends_with: type[Exception] | None = None,
        ) -> PeriodicActivity:
            return PeriodicActivity(
                name,
                act,
                every_s=every_s,
                clock=app.wall_clock,
                troubles=app.troubles,
                failures=app.failures,
                max_pause_s=max_pause_s,
                ends_with=ends_with,
            )

        listed = [
            activity(
                "lease", self._renew, BEAT_INTERVAL_S, max_pause_s=BEAT_INTERVAL_S, ends_with=FactsChanged
            ),
            activity("checks", lambda: self.schedule.tick(app.clock.now()), TICK_INTERVAL_S),
            activity("delivery", self.deliverer.tick, TICK_INTERVAL_S),
            activity("rules", partial(refresh_rules, app), RULES_INTERVAL_S),
            activity("overview", self._look_over, OVERVIEW_INTERVAL_S),
            activity("emergency", self._attend_to_storage, EMERGENCY_INTERVAL_S),
            activity("status", self._write_status, WRITE_INTERVAL_S),
        ]
        if is_advised(app.settings):
            waits = is_exchange(app.settings)
            opinions = SecondOpinions(app, open_advisor(app.settings), waits_for_answers=waits)
            listed.append(activity("advisor", opinions.ask_next, ADVISOR_INTERVAL_S))
        if self._switch is not None:
            listed.append(activity("heartbeat", self._beat, app.settings.heartbeat.interval_s))
        return {periodic_activity.name: periodic_activity for periodic_activity in listed}

    async def _renew(self) -> None:
        await self._app.leadership.renew(self._app.troubles)

    async def _look_over(self) -> None:
        """Remember what is watched, for a time in which it cannot be read."""
        async with self._app.store.reading() as tx:
            self._watches = await tx.watches.unfinished()
        self.emergency.remember(self._watches)

    async def _attend_to_storage(self) -> None:
        self._app.storage.look(every_s=EMERGENCY_INTERVAL_S)
        outage = self._app.storage.outage
        if outage is not None:
            self._app.troubles["database"] = outage.summary
        else:
            self._app.troubles.pop("database", None)
        await self.emergency.attend()

    async def _write_status(self) -> None:
        self._status_file.write(self._app.troubles, now=self._app.wall_clock.now())

    async def _beat(self) -> None:
        assert self._switch is not None, "listed only where there is one"
        await self._look_over()
        await self._switch.beat(self._watches, is_serving=self._app.leadership.is_held)

    async def _prepare_rules(self) -> None:
        """Make the fast engine and the index of incidents beside the first checks, which go on without."""
        try:
            await prepare_rules(self._app)
            await self._app.store.prepare_memory()
        except Exception:  # the top of an activity that happens once
            log.exception("rules_or_memory_not_prepared")

    async def _say_last(self, fault: BaseException | None) -> None:
        """Tell people that nobody looks after their jobs any more, unless another process does."""
        is_failure = isinstance(fault, Exception) and not self._is_overtaken
        because = f"It ended by an error: {fault}" if is_failure else self._ended_because
        if not because:
            return
        with contextlib.suppress(StorageUnavailable):
            await self._look_over()
        await self.emergency.say_last(because, is_failure=is_failure)
