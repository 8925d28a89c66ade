"""Jobs that the cluster does not know any more: one of them, several at once, and both beside blindness."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from babysitter.errors import Unreachable
from babysitter.model.events import (
    IncidentEnded,
    IncidentOpened,
    JobReappeared,
    JobVanished,
    RestartProposed,
)
from babysitter.model.finding import Cause
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from babysitter.model.watch import Watch
from babysitter.usecases.watching.manage_watches import stop_watch
from tests.support import build
from tests.support.app import ADA, AppHarness, home
from tests.support.build import ROOT
from tests.support.jobs import job
from tests.support.scenes import continue_from

OTHERS = (JobId("/ada/other"), JobId("/bob/third"))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


async def steady(place: AppHarness, *jobs: str) -> list[Watch]:
    """Watches on plain jobs that have run for two minutes."""
    return await continue_from(place, ("plain jobs", jobs), lambda: _steady(place, jobs))


async def _steady(place: AppHarness, jobs: tuple[str, ...]) -> list[Watch]:
    watches = []
    for text in jobs or (ROOT,):
        place.cluster.jobs[JobId(text)] = job(text)
        watches.append(await place.watch(text))
    await place.pass_s(120)
    assert {(await place.now(watch)).phase for watch in watches} == {Phase.STEADY}
    return watches


def titles(place: AppHarness) -> list[str]:
    return [message.words.title for message in place.ear.heard if message.occasion != "started"]


async def test_a_missing_job_is_reported_once_about_that_job(place: AppHarness):
    watch, other = await steady(place, ROOT, OTHERS[0])
    del place.cluster.jobs[ROOT]
    await place.pass_s(3600, step_s=30)
    assert titles(place) == ["Job gone: dedup"]
    (card,) = [message for message in place.ear.heard if message.occasion == "incident"]
    assert card.conversation == watch.id
    assert not card.mentions_on_call
    assert ROOT in card.words.sentence
    (opened,) = await place.events(IncidentOpened)
    assert isinstance(opened, IncidentOpened)
    assert (opened.cause, opened.watch) == (Cause.JOB_GONE, watch.id)
    assert len(await place.events(JobVanished)) == 1
    gone = await place.now(watch)
    assert (gone.phase, gone.memory.blind_since) == (Phase.STEADY, {})
    assert gone.due_at is not None
    assert (await place.now(other)).memory.gone_since is None


async def test_a_missing_job_is_confirmed_before_it_is_reported(place: AppHarness):
    """One answer without the job, and the next one with it: nobody hears of that."""
    (watch,) = await steady(place)
    kept = place.cluster.jobs.pop(ROOT)
    while (await place.now(watch)).memory.gone_since is None:
        await place.pass_s(5)
    assert place.cluster.asked[-1] == "states"
    place.cluster.jobs[ROOT] = kept
    await place.pass_s(600)
    assert titles(place) == []
    assert await place.events(IncidentOpened) == []


async def test_a_job_missing_from_the_tree_only_is_not_gone(place: AppHarness):
    """The cluster contradicts itself: that is a cluster that cannot be seen, and nothing about the job."""
    (watch,) = await steady(place)
    states = place.cluster.states
    kept = place.cluster.jobs.pop(ROOT)

    async def both(jobs):
        return {**(await states(jobs)), ROOT: kept.state}

    place.cluster.states = both  # type: ignore[method-assign]
    await place.pass_s(120)
    seen = await place.now(watch)
    assert seen.memory.gone_since is None
    assert seen.memory.blind_since


async def test_a_job_that_is_visible_again_resumes_with_one_line(place: AppHarness):
    (watch,) = await steady(place)
    kept = place.cluster.jobs.pop(ROOT)
    await place.pass_s(900, step_s=30)
    place.cluster.jobs[ROOT] = kept
    await place.pass_s(900, step_s=30)
    assert titles(place) == ["Job gone: dedup", "Over: Job gone, dedup"]
    assert (await place.now(watch)).phase is Phase.STEADY
    (ended,) = await place.events(IncidentEnded)
    assert isinstance(ended, IncidentEnded)
    assert ended.status == "self-resolved"
    assert len(await place.events(JobReappeared)) == 1


async def test_several_missing_jobs_are_one_message_about_the_controller(place: AppHarness):
    watches = await steady(place, ROOT, *OTHERS)
    for job_id in (ROOT, OTHERS[0]):
        del place.cluster.jobs[JobId(job_id)]
    await place.pass_s(3600, step_s=30)
    assert titles(place) == ["Jobs lost: marin"]
    (card,) = [message for message in place.ear.heard if message.occasion == "blind"]
    assert card.mentions_on_call
    assert card.conversation not in [watch.id for watch in watches]
    assert "2 of 3 watched jobs" in card.words.sentence
    assert dict(card.words.fields)["Affects"] == f"2 jobs: {ROOT}, {OTHERS[0]}"
    assert len(await place.events(IncidentOpened)) == 1
    assert await place.events(RestartProposed) == []
    for watch in watches:
        now = await place.now(watch)
        assert (now.phase, now.stopped_at) == (Phase.STEADY, None)
        assert now.due_at is not None


async def test_lost_jobs_that_come_back_are_one_line(place: AppHarness):
    watches = await steady(place, ROOT, *OTHERS)
    kept = dict(place.cluster.jobs)
    place.cluster.jobs.clear()
    await place.pass_s(900, step_s=30)
    place.cluster.jobs[ROOT] = kept[ROOT]
    await place.pass_s(900, step_s=30)
    assert titles(place) == ["Jobs lost: marin"]  # two are missing still
    place.cluster.jobs.update(kept)
    await place.pass_s(1200, step_s=30)
    assert titles(place) == ["Jobs lost: marin", "Over: Jobs lost, marin"]
    assert all([(await place.now(watch)).memory.gone_since is None for watch in watches])


async def test_a_person_who_stops_the_lost_watches_ends_it(place: AppHarness):
    watches = await steady(place, ROOT, *OTHERS)
    del place.cluster.jobs[ROOT], place.cluster.jobs[OTHERS[0]]
    await place.pass_s(900, step_s=30)
    for watch in watches[:2]:
        await stop_watch(place.app, watch.id, by=ADA)
    await place.pass_s(900, step_s=30)
    (ended,) = await place.events(IncidentEnded)
    assert isinstance(ended, IncidentEnded)
    async with place.app.store.reading() as tx:
        assert await tx.incidents.open_incidents() == ()


async def test_the_last_watch_that_is_stopped_ends_the_outage(place: AppHarness):
    watches = await steady(place, ROOT, OTHERS[0])
    place.cluster.jobs.clear()
    await place.pass_s(900, step_s=30)
    for watch in watches:
        await stop_watch(place.app, watch.id, by=ADA)
    async with place.app.store.reading() as tx:
        assert await tx.incidents.open_incidents() == ()


async def test_an_outage_that_one_watch_alone_sees_is_its_own(place: AppHarness):
    """One job that cannot be read beside one that can: never a cluster that comes and goes."""
    watch, _ = await steady(place, ROOT, OTHERS[0])
    tree = place.cluster.tree

    async def broken(root, **more):
        if root == ROOT:
            raise Unreachable("The answer about /ada/dedup never came.")
        return await tree(root, **more)

    place.cluster.tree = broken  # type: ignore[method-assign]
    await place.pass_s(7200, step_s=60)
    assert titles(place) == ["Cannot be read: dedup"]
    (card,) = [message for message in place.ear.heard if message.occasion == "blind"]
    assert card.conversation == watch.id
    assert not card.mentions_on_call
    place.cluster.tree = tree  # type: ignore[method-assign]
    await place.pass_s(900, step_s=30)
    assert titles(place) == ["Cannot be read: dedup", "Over: Cannot be read, dedup"]


async def test_a_successor_that_vanishes_before_it_was_seen_is_gone(place: AppHarness):
    (watch,) = await steady(place)
    async with place.app.store.transaction() as tx:
        from dataclasses import replace

        from babysitter.model.memory import Memory

        read = await tx.watches.get(watch.id)
        new = replace(read, root=JobId(f"{ROOT}-r1"), memory=Memory(phase=Phase.SMOKE), restarts=1)
        assert await tx.watches.save(new)
    await place.pass_s(300)
    assert (await place.now(watch)).trouble == ""
    assert titles(place) == ["Job gone: dedup-r1"]


async def test_ended_job_that_the_cluster_forgets_keeps_its_verdict(place: AppHarness):
    """An offer keeps it under watch; that the cluster forgets ended jobs says nothing about how it ended."""
    place.cluster.jobs[ROOT] = job(ROOT)
    watch = await place.watch(ROOT, resubmit=build.submission())
    await place.pass_s(120)
    reset = "Exit code: 1. stderr: ConnectionResetError: [Errno 104] Connection reset by peer"
    place.cluster.jobs[ROOT] = job(ROOT, JobState.FAILED, error=reset)
    await place.pass_s(120)
    assert (await place.now(watch)).phase is Phase.FINISHED
    assert await place.events(RestartProposed)
    before = await _cause(place, watch)
    del place.cluster.jobs[ROOT]
    await place.pass_s(1800, step_s=30)
    assert (await place.now(watch)).memory.gone_since is not None
    assert await _cause(place, watch) is before
    assert before is not Cause.JOB_GONE
    assert not any(title.startswith("Job gone") for title in titles(place))


async def _cause(place: AppHarness, watch: Watch) -> Cause:
    async with place.app.store.reading() as tx:
        verdict = await tx.watches.last_verdict(watch.id)
    assert verdict is not None
    return verdict.cause
