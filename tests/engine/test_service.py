"""The service's life on the real clock: it begins, it looks, it ends in good order, it begins again."""

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.errors import AlreadyServed, FactsChanged
from babysitter.usecases.watching.manage_watches import start_watch
from babysitter.wiring import open_app
from tests.support.app import ADA, MARIN, RecordingNotifier, opener
from tests.support.build import ROOT
from tests.support.clock import FakeClock
from tests.support.cluster import SmallCluster
from tests.support.jobs import job
from tests.support.waiting import until


def cluster() -> SmallCluster:
    made = SmallCluster()
    made.jobs[ROOT] = job(ROOT)
    return made


async def was_checked(app: App) -> bool:
    async with app.store.reading() as tx:
        return all(watch.last_checked_at for watch in await tx.watches.all())


async def test_a_running_service_looks_after_what_another_process_started(tmp_path: Path):
    settings, ear, small = Settings(state_dir=tmp_path), RecordingNotifier(), cluster()
    clock = SystemClock()
    async with open_app(settings, clock=clock, notifiers=(ear,), opener=opener(small)) as app:
        async with Service(app) as service:
            running = asyncio.create_task(service.until_stopped())
            async with open_app(settings, clock=clock, opener=opener(small)) as elsewhere:
                await start_watch(elsewhere, ROOT, MARIN, by=ADA)
                await until(lambda: was_checked(elsewhere))
                with pytest.raises(AlreadyServed):
                    async with Service(elsewhere):
                        pass
            service.stop()
            await running
        assert ear.occasions == ["started", "emergency"]  # nobody looks after the job from here on
        async with Service(app) as again:
            assert again.schedule.under_way == 0


async def test_service_ends_without_a_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """APScheduler, shut down twice or in the middle of a tick, writes tracebacks to the terminal."""
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    small, began, may_end = cluster(), asyncio.Event(), asyncio.Event()
    async with open_app(Settings(state_dir=tmp_path), opener=opener(small)) as app:
        async with Service(app) as service:
            tick = service.schedule.tick

            async def slow_tick(now: datetime) -> None:
                began.set()
                await may_end.wait()
                await tick(now)

            service.schedule.tick = slow_tick
            running = asyncio.create_task(service.until_stopped())
            await began.wait()
            service.stop()
            may_end.set()
            await running
        async with Service(app, stop_within_s=0.0) as hurried:
            hurried.schedule.tick = slow_tick
            may_end.clear()
            began.clear()
            running = asyncio.create_task(hurried.until_stopped())
            await began.wait()
            hurried.stop()
            await running
    assert (faults, [record.name for record in caplog.records if record.name.startswith("apscheduler")]) == (
        [],
        [],
    )


async def test_a_service_that_was_overtaken_ends(tmp_path: Path):
    wall_clock = FakeClock()
    async with (
        open_app(Settings(state_dir=tmp_path), clock=wall_clock, opener=opener(cluster())) as app,
        Service(app) as service,
    ):
        async with app.store.transaction() as tx:
            await tx.leases.leave(app.leadership.replica)
            await tx.leases.claim(("service",), app.leadership.replica, now=wall_clock.now())
        with pytest.raises(FactsChanged, match="steps back"):
            await service.until_stopped()


async def test_what_is_under_way_for_too_long_is_given_up_at_the_end(tmp_path: Path):
    class Deaf(SmallCluster):
        async def tree(self, root, *, tasks_of=(), max_age_s=0.0):  # noqa: ARG002
            await asyncio.Event().wait()

    deaf = Deaf()
    deaf.jobs[ROOT] = job(ROOT)
    clock = FakeClock()
    async with open_app(Settings(state_dir=tmp_path), clock=clock, opener=opener(deaf)) as app:
        async with Service(app, stop_within_s=0.05) as service:
            await start_watch(app, ROOT, MARIN, by=ADA)
            await service.tick()
            assert service.schedule.under_way == 1
        assert service.schedule.under_way == 0
