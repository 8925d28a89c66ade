"""The whole service while its database cannot be written: it goes on, says so, and loses nothing."""

import asyncio
from pathlib import Path

from babysitter.engine.storage_health import CALM_FOR
from babysitter.model.events import CheckFailed
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from tests.support.app import AppHarness, TimedCluster, home
from tests.support.build import ROOT
from tests.support.clock import FakeClock
from tests.support.jobs import job
from tests.support.locked import locked


def running(clock: FakeClock) -> TimedCluster:
    cluster = TimedCluster(clock)
    cluster.jobs[ROOT] = job(ROOT)
    return cluster


async def attend_to_storage(place: AppHarness) -> None:
    await place.service._activities["emergency"].attempt()


async def test_checks_go_on_while_locked_and_are_repeated(tmp_path: Path):
    clock = FakeClock()
    cluster = running(clock)
    async with home(tmp_path, clock=clock, cluster=cluster) as place:
        watch = await place.watch()
        await place.pass_s(60)
        before = await place.now(watch)
        looks = len(cluster.asked)
        with locked(tmp_path, place.app.store):
            await place.pass_s(120)
            assert len(cluster.asked) > looks, "the cluster is still looked at"
            assert await place.now(watch) == before, "nothing of it is kept"
            assert place.app.storage.failed_writes > 2
        await place.pass_s(60)
        after = await place.now(watch)
        assert after.last_checked_at is not None
        assert after.last_checked_at > before.last_checked_at
        assert (after.trouble, await place.events(CheckFailed)) == ("", [])


async def test_job_that_ends_while_locked_is_reported_once_afterwards(tmp_path: Path):
    clock = FakeClock()
    cluster = running(clock)
    async with home(tmp_path, clock=clock, cluster=cluster) as place:
        watch = await place.watch()
        await place.pass_s(60)
        with locked(tmp_path, place.app.store):
            cluster.jobs[ROOT] = job(ROOT, JobState.SUCCEEDED)
            await place.pass_s(120)
            assert place.ear.occasions == ["started"]
        await place.pass_s(120)
        assert place.ear.occasions == ["started", "finished"]
        assert (await place.now(watch)).phase is Phase.FINISHED


async def test_outage_is_a_trouble_and_an_emergency_until_it_is_over(tmp_path: Path):
    async with home(tmp_path, cluster=running(clock := FakeClock()), clock=clock) as place:
        await place.watch()
        await place.pass_s(30)
        await place.service._look_over()
        with locked(tmp_path, place.app.store):
            for _ in range(12):
                await place.pass_s(10)
                await attend_to_storage(place)
            assert "cannot be written since" in place.app.troubles["database"]
            assert place.ear.occasions == ["started", "emergency"]
        for _ in range(int(CALM_FOR.total_seconds() / 10) + 4):
            await place.pass_s(10)
            await attend_to_storage(place)
        assert "database" not in place.app.troubles
        assert place.ear.occasions == ["started", "emergency", "resolved"]
        assert place.ear.heard[1].words.sentence.endswith("restart is carried out.")


async def test_lease_is_renewed_again_after_an_outage(tmp_path: Path):
    async with home(tmp_path) as place:
        lease = place.service._activities["lease"]
        with locked(tmp_path, place.app.store):
            pauses = [await lease.attempt() for _ in range(5)]
        assert pauses == [5.0] * 5, "tried again soon: silence would lose the lease"
        await lease.attempt()
        assert place.app.failures["lease"] == 5
        assert place.app.leadership.is_held


async def test_service_ends_in_good_order_while_locked(tmp_path: Path):
    clock = FakeClock()
    async with home(tmp_path, clock=clock, cluster=running(clock)) as place:
        await place.watch()
        await place.pass_s(30)
        serving = asyncio.create_task(place.service.until_stopped())
        await asyncio.sleep(0)
        other = locked(tmp_path, place.app.store)
        other.__enter__()
        place.service.stop()
        await serving
    other.__exit__(None, None, None)
    assert place.ear.occasions[-1] == "emergency"
    assert "It was asked to end." in place.ear.heard[-1].words.sentence
    async with home(tmp_path, clock=clock) as again:
        assert again.app.leadership.is_held, "the lock on the folder was returned"


async def test_interrupted_service_says_that_nobody_watches(tmp_path: Path):
    clock = FakeClock()
    async with home(tmp_path, clock=clock, cluster=running(clock)) as place:
        await place.watch()
        await place.pass_s(30)
        serving = asyncio.create_task(place.service.until_stopped())
        await asyncio.sleep(0)
        serving.cancel()  # as Ctrl+C in `start --foreground` does it
        await asyncio.gather(serving, return_exceptions=True)
    assert place.ear.occasions[-1] == "emergency"
    sentence = place.ear.heard[-1].words.sentence
    assert sentence.startswith("It was interrupted at its terminal. 1 job of 'marin' is not looked after")


async def test_clock_set_back_two_hours_stops_neither_checks_nor_messages(tmp_path: Path):
    clock = FakeClock()
    cluster = running(clock)
    async with home(tmp_path, clock=clock, cluster=cluster) as place:
        watch = await place.watch()
        await place.pass_s(120)
        clock.advance(-7200)
        looks = len(cluster.asked)
        await place.pass_s(120)
        checked = await place.now(watch)
        assert len(cluster.asked) > looks + 2
        assert checked.trouble == ""
        assert checked.last_checked_at is not None
        assert checked.last_checked_at <= clock.now()
        cluster.jobs[ROOT] = job(ROOT, JobState.SUCCEEDED)
        await place.pass_s(120)
        assert place.ear.occasions == ["started", "finished"]
