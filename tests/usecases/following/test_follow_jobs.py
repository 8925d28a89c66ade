from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.errors import Unreachable, UserError
from babysitter.model.events import WatchStarted
from babysitter.model.ids import JobId, Person
from babysitter.model.job import JobState
from babysitter.model.message import MessageKind
from babysitter.model.watch import Watch
from babysitter.usecases.following.follow_jobs import all_follows, follow_jobs, stop_following
from babysitter.usecases.following.keep_following import Follower
from babysitter.usecases.submitting.expected_jobs import ExpectedJob, expect_job
from babysitter.usecases.watching.manage_watches import all_watch_statuses, start_watch, stop_watch
from tests.support.app import ADA, MARIN, AppHarness, RecordingNotifier, home
from tests.support.build import submission
from tests.support.jobs import job

F, S, P, R = JobState.FAILED, JobState.SUCCEEDED, JobState.PENDING, JobState.RUNNING


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path, owners={"bob": "U0BOB"}) as opened:
        yield opened


def show(place: AppHarness, name: str, state: JobState = R, *, age_s: float = 0.0) -> None:
    """Have the cluster list this job; it was submitted so long before now."""
    now = place.app.clock.now()
    begun = now - timedelta(seconds=age_s)
    shown = job(name, state, submitted_at=begun, started_at=None if state is P else begun)
    place.cluster.jobs[shown.id] = replace(shown, finished_at=now if state.is_terminal else None)


def end(place: AppHarness, name: str, state: JobState = S) -> None:
    known = place.cluster.jobs[JobId(name)]
    place.cluster.jobs[known.id] = replace(known, state=state, finished_at=place.app.clock.now())


async def follow(place: AppHarness, pattern: str = "/ada/*", **changes: object) -> list[str]:
    _, look = await follow_jobs(place.app, MARIN, pattern, by=ADA, user="ada", **changes)
    return [*look.begun]


async def pass_s(
    place: AppHarness, seconds: float, follower: Follower | None = None, *, step_s: float = 5
) -> None:
    follower = follower or Follower(place.app)
    for _ in range(int(seconds / step_s)):
        place.clock.advance(step_s)
        await follower.tick()
        await place.service.tick()
        await place.service.settled()


async def watches(place: AppHarness) -> list[Watch]:
    return [status.watch for status in await all_watch_statuses(place.app)]


async def roots(place: AppHarness) -> list[str]:
    return sorted(watch.root for watch in await watches(place))


async def test_follow_watches_what_runs_and_what_comes(place: AppHarness):
    show(place, "/ada/running", age_s=600)
    show(place, "/ada/over", S, age_s=600)
    show(place, "/bob/other")
    assert await follow(place) == ["/ada/running"]
    show(place, "/ada/new")
    show(place, "/ada/short", S)
    await pass_s(place, 30)
    assert await roots(place) == ["/ada/new", "/ada/running", "/ada/short"]
    assert not place.ear.heard or place.ear.occasions == ["digest"]  # nobody is asked, nothing announced


async def test_followed_end_is_told_within_a_minute(place: AppHarness):
    show(place, "/ada/a", P)
    await follow(place)
    follower = Follower(place.app)
    await pass_s(place, 900, follower, step_s=60)  # by now it is looked at every five minutes
    end(place, "/ada/a")
    await pass_s(place, 40, follower)
    (digest,) = place.ear.heard
    assert any("Finished: /ada/a. The job succeeded" in line for line in _lines(place)), digest.words


def _lines(place: AppHarness) -> tuple[str, ...]:
    """What the newest content of the day's message shows."""
    return [*place.ear.heard, *place.ear.edited][-1].words.progress


async def test_healthy_day_is_one_message_in_slack(place: AppHarness):
    await follow(place)
    follower = Follower(place.app)
    for number in range(3):
        show(place, f"/ada/a{number}")
        await pass_s(place, 40, follower, step_s=20)
        end(place, f"/ada/a{number}")
        await pass_s(place, 40, follower, step_s=20)
    assert place.ear.occasions == ["digest"]
    assert [line.partition("/ada/")[2][:2] for line in _lines(place)] == ["a0", "a1", "a2"]


@pytest.mark.parametrize(("daily", "during", "after"), [(False, ["routine"], []), (True, [], ["digest"])])
async def test_channel_that_cannot_edit_is_disturbed_least(tmp_path: Path, daily, during, after):
    ear = RecordingNotifier(edits=False, is_daily=daily)
    async with home(tmp_path, ear=ear) as place:
        await follow(place)
        show(place, "/ada/a", S)
        follower = Follower(place.app)
        await pass_s(place, 30, follower)
        assert ear.occasions == during
        place.clock.advance(86_400)
        await pass_s(place, 10, follower)
        assert ear.occasions == during + after
        await pass_s(place, 10)  # a new process
        assert ear.occasions == during + after


async def test_new_process_watches_and_tells_nothing_twice(place: AppHarness):
    show(place, "/ada/a")
    await follow(place)
    show(place, "/ada/b", S)
    for _ in range(3):
        await pass_s(place, 20)
    end(place, "/ada/a")
    for _ in range(3):
        await pass_s(place, 20)
    assert await roots(place) == ["/ada/a", "/ada/b"]
    assert len(await place.events(WatchStarted)) == 2
    assert len(_lines(place)) == 2


async def test_stopped_watch_of_a_followed_job_stays_stopped(place: AppHarness):
    show(place, "/ada/a")
    await follow(place)
    await stop_watch(place.app, "/ada/a", by=ADA)
    await pass_s(place, 20)
    assert await roots(place) == []
    show(place, "/ada/a")  # the name is used again
    await pass_s(place, 20)
    assert await roots(place) == ["/ada/a"]


async def test_limit_of_a_follow_is_kept_and_told_once(place: AppHarness):
    for number in range(4):
        show(place, f"/ada/a{number}", age_s=100 - number)
    assert await follow(place, limit=2) == ["/ada/a0", "/ada/a1"]
    follower = Follower(place.app)
    await pass_s(place, 60, follower, step_s=20)
    assert len(_lines(place)) == 1
    assert "/ada/a2 and others are not watched while 2 others are" in _lines(place)[0]
    end(place, "/ada/a0")
    await pass_s(place, 60, follower, step_s=20)
    assert await roots(place) == ["/ada/a0", "/ada/a1", "/ada/a2"]


async def test_job_that_we_submit_is_left_to_its_own_watch(place: AppHarness):
    now = place.app.clock.now()
    expect_job(place.app.state_folder, ExpectedJob(JobId("/ada/mine"), MARIN.name, at=now, by=ADA))
    show(place, "/ada/mine")
    assert await follow(place) == []


async def test_person_takes_a_followed_watch_over(place: AppHarness):
    show(place, "/ada/a")
    await follow(place)
    taken = await start_watch(place.app, "/ada/a", MARIN, by=Person("U0BOB"), resubmit=submission())
    (watch,) = await watches(place)
    assert (watch.id, watch.follow, watch.owner) == (taken.id, "", "U0BOB")
    assert watch.resubmit is not None
    await pass_s(place, 30)
    assert place.ear.occasions[0] == MessageKind.STARTED
    assert await roots(place) == ["/ada/a"]


async def test_trouble_of_a_followed_job_calls_its_owner(place: AppHarness):
    await follow(place, "/*")
    show(place, "/bob/a", F)
    show(place, "/eve/b", F)
    await pass_s(place, 60, step_s=20)
    owners = {watch.root: watch.owner for watch in await watches(place)}
    assert owners == {"/bob/a": "U0BOB", "/eve/b": ADA}
    cards = [message for message in place.ear.heard if message.occasion is MessageKind.INCIDENT]
    assert {dict(card.words.fields)["Job"]: card.mentions for card in cards} == {
        "/bob/a": ("U0BOB",),
        "/eve/b": (ADA,),
    }


async def test_one_list_a_look_and_no_more_than_is_new(place: AppHarness):
    await follow(place)
    await follow(place, "/ada/b*")
    show(place, "/ada/old", S, age_s=86_400)
    show(place, "/ada/a", age_s=60)
    place.cluster.asked.clear()
    place.cluster.listed_since.clear()
    await pass_s(place, 60, step_s=20)
    assert place.cluster.asked.count("roots") == 3
    begun = place.cluster.jobs[JobId("/ada/a")].submitted_at
    assert place.cluster.listed_since[-1] == begun - timedelta(minutes=5)


async def test_cluster_that_cannot_be_listed_is_asked_again(place: AppHarness):
    await follow(place)
    follower = Follower(place.app)
    place.clock.advance(20)
    place.cluster.broken = Unreachable("The controller does not answer.")
    with pytest.raises(Unreachable):
        await follower.tick()
    place.cluster.broken = None
    show(place, "/ada/a")
    await pass_s(place, 25, follower)
    assert await roots(place) == ["/ada/a"]


async def test_settings_begin_and_end_follows(tmp_path: Path):
    settings = {"follow": ["/ada/*", {"pattern": "/bob/*", "limit": 3}], "default_cluster": "marin"}
    async with home(tmp_path, **settings) as place:
        await Follower(place.app).tick()
        begun = {status.follow.pattern: status.follow for status in await all_follows(place.app)}
        assert {name: value.limit for name, value in begun.items()} == {"/ada/*": 50, "/bob/*": 3}
        with pytest.raises(UserError, match="settings name"):
            await stop_following(place.app, "/ada/*")
        clock = place.clock
    clock.advance(3600)
    async with home(tmp_path, clock=clock, follow=["/ada/*"], default_cluster="marin") as place:
        await Follower(place.app).tick()
        (left,) = [status.follow for status in await all_follows(place.app)]
        assert left == begun["/ada/*"]


async def test_me_is_the_name_of_whoever_follows(place: AppHarness):
    show(place, "/ada/a")
    assert await follow(place, "/me/*") == ["/ada/a"]
    show(place, "/me/b")
    assert await follow(place, "/me/*") == ["/me/b"]


@pytest.mark.parametrize("pattern", ["", "a b", "x" * 300])
async def test_pattern_that_cannot_be_one(place: AppHarness, pattern: str):
    with pytest.raises(UserError, match="one word"):
        await follow(place, pattern)


async def test_follow_is_ended_and_its_watches_stay(place: AppHarness):
    show(place, "/ada/a")
    await follow(place)
    await stop_following(place.app, "/ada/*")
    with pytest.raises(UserError, match="Nothing follows"):
        await stop_following(place.app, "/ada/*")
    show(place, "/ada/b")
    await pass_s(place, 30)
    assert await roots(place) == ["/ada/a"]
