from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.errors import Unreachable
from babysitter.model.ids import JobId
from babysitter.model.watch import Watch
from babysitter.usecases.submitting.expected_jobs import (
    CLOCK_SKEW,
    EXPIRY,
    ExpectedJob,
    expect_job,
    forget_job,
    watch_expected,
)
from babysitter.usecases.watching.manage_watches import all_watch_statuses, start_watch
from tests.support.app import ADA, MARIN, AppHarness, home
from tests.support.build import ROOT
from tests.support.jobs import pipeline, tree


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


def expected(place: AppHarness, **changes: object) -> ExpectedJob:
    job = ExpectedJob(JobId(ROOT), MARIN.name, at=place.app.clock.now(), by=ADA)
    return replace(job, **changes)


def submitted(place: AppHarness, *, after: timedelta = timedelta()) -> None:
    shown = tree(*pipeline())
    at = place.app.clock.now() + after
    place.cluster.show(replace(shown, root=replace(shown.root, submitted_at=at)))


def files(place: AppHarness) -> list[Path]:
    return list(place.app.state_folder.glob("babysit.expected-*"))


async def watches(place: AppHarness) -> list[Watch]:
    return [status.watch for status in await all_watch_statuses(place.app)]


async def test_expected_job_that_exists_is_watched(place: AppHarness):
    expect_job(place.app.state_folder, expected(place, owner="U0ADA"))
    submitted(place)
    assert await watch_expected(place.app) == [ROOT]
    (watch,) = await watches(place)
    assert (watch.root, watch.owner) == (ROOT, "U0ADA")
    assert not files(place)
    assert await watch_expected(place.app) == []


async def test_expected_job_that_is_watched_already(place: AppHarness):
    submitted(place)
    await start_watch(place.app, ROOT, MARIN, by=ADA)
    expect_job(place.app.state_folder, expected(place))
    assert await watch_expected(place.app) == []
    assert len(await watches(place)) == 1
    assert not files(place)


async def test_expected_job_that_never_came_expires(place: AppHarness):
    now = place.app.clock.now()
    expect_job(place.app.state_folder, expected(place, at=now - EXPIRY))
    assert await watch_expected(place.app) == []
    assert files(place)
    expect_job(place.app.state_folder, expected(place, at=now - EXPIRY - timedelta(seconds=1)))
    assert await watch_expected(place.app) == []
    assert not files(place)


async def test_expected_job_is_not_an_older_one_of_its_name(place: AppHarness):
    expect_job(place.app.state_folder, expected(place))
    submitted(place, after=-CLOCK_SKEW - timedelta(seconds=1))
    assert await watch_expected(place.app) == []
    assert await watches(place) == []
    assert files(place)


async def test_expected_job_of_a_blind_cluster_waits(place: AppHarness):
    expect_job(place.app.state_folder, expected(place))
    place.cluster.broken = Unreachable("The controller refused the connection.")
    assert await watch_expected(place.app) == []
    assert files(place)


async def test_expected_job_forgotten(place: AppHarness):
    expect_job(place.app.state_folder, expected(place))
    (path,) = files(place)
    assert path.stat().st_mode & 0o777 == 0o600
    for _ in range(2):
        forget_job(place.app.state_folder, JobId(ROOT), MARIN.name)
    assert not files(place)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"job": "/a/b"}'])
async def test_expected_job_that_cannot_be_read(place: AppHarness, text: str):
    place.app.state_folder.mkdir(parents=True, exist_ok=True)
    (place.app.state_folder / "babysit.expected-0.json").write_text(text)
    assert await watch_expected(place.app) == []
    assert not files(place)
