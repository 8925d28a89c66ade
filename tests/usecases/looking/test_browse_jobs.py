"""Looking around a cluster: bounded pages, exact names, and never taking a wrong id for silence."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.backends.registry import spec_from_options
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.errors import NoSuchJob, Unreachable, UserError
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Task, TaskState
from babysitter.sim.iris.controller import Simulator
from babysitter.usecases.looking import browse_jobs
from babysitter.usecases.watching.manage_watches import start_watch
from babysitter.wiring import open_app
from tests.support.app import ADA, MARIN, opener
from tests.support.build import ROOT
from tests.support.clock import FakeClock
from tests.support.cluster import SmallCluster
from tests.support.jobs import pipeline, raw, tree


@pytest.fixture
def cluster() -> SmallCluster:
    small = SmallCluster()
    small.show(tree(*pipeline()))
    return small


@pytest.fixture
async def app(tmp_path: Path, cluster: SmallCluster) -> AsyncIterator[App]:
    async with open_app(Settings(state_dir=tmp_path), opener=opener(cluster)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("rows", "cursor", "shown", "more"),
    [
        (0, "", [], ""),
        (2, "", [0, 1], ""),
        (3, "", [0, 1, 2], ""),
        (4, "", [0, 1, 2], "3"),
        (4, "3", [3], ""),
        (4, "9", [], ""),
    ],
)
def test_a_page_holds_its_rows_and_says_where_the_rest_is(
    rows: int, cursor: str, shown: list[int], more: str
):
    page = browse_jobs.page_of(range(rows), cursor=cursor, at_most=3)
    assert (list(page.rows), page.more, page.total) == (shown, more, rows)


@pytest.mark.parametrize("cursor", ["-1", "soon", "1.5", "²"])
def test_a_cursor_of_something_else_is_refused(cursor: str):
    with pytest.raises(UserError, match="is no cursor of this list"):
        browse_jobs.page_of(range(9), cursor=cursor, at_most=3)


async def test_the_cluster_is_the_one_given_else_the_watchs_else_the_default(app: App):
    async def chosen(name: str, **options: str) -> str:
        return (await browse_jobs.locate_job(app, name, **options)).cluster

    assert await chosen("/ada/other", default="home") == "home"
    watch = await start_watch(app, ROOT, MARIN, by=ADA)
    assert await chosen(ROOT, default="home") == "marin"
    assert await chosen(f"{ROOT}/zephyr-x-0a1b2c3d-p0-a0", default="home") == "marin"
    assert await chosen(watch.id, default="home") == "marin"
    assert await chosen(ROOT, cluster="elsewhere", default="home") == "elsewhere"
    with pytest.raises(UserError, match="Which cluster"):
        await chosen("/ada/other")
    other = replace(MARIN, name="mars", cluster="mars")
    await start_watch(app, ROOT, other, by=ADA)
    with pytest.raises(UserError, match="is watched on 'marin' and 'mars'"):
        await chosen(ROOT, default="home")


async def test_what_is_no_task_id_is_refused_before_anybody_is_asked(app: App, cluster: SmallCluster):
    for task in ("", "x", "/ada", "/ada/dedup", "/ada/dedup/", "/ada/dedup/one", "ada/dedup/0"):
        with pytest.raises(UserError, match="is not a full task id"):
            await browse_jobs.place_of_task(app, task, default="marin")
    assert cluster.asked == []


async def test_silence_is_an_answer_and_an_unknown_job_is_an_error(app: App, cluster: SmallCluster):
    silent = await browse_jobs.lines_of(await browse_jobs.locate_job(app, ROOT, default="marin"), at_most=9)
    assert silent.lines == ()
    cluster.log.append(raw(1, "hello"))
    unknown = await browse_jobs.locate_job(app, "/ada/dedup-typo", default="marin")
    with pytest.raises(NoSuchJob, match="/ada/dedup-typo"):
        await browse_jobs.lines_of(unknown, at_most=9)


async def test_tasks_that_need_attention_come_first(app: App, cluster: SmallCluster):
    states = [
        TaskState.RUNNING,
        TaskState.SUCCEEDED,
        TaskState.FAILED,
        TaskState.RUNNING,
        TaskState.PREEMPTED,
    ]
    cluster.tasks_of[ROOT] = tuple(Task(TaskId(f"{ROOT}/{n}"), state) for n, state in enumerate(states))
    found = await browse_jobs.tasks_of(await browse_jobs.locate_job(app, ROOT, default="marin"))
    assert [task.id[-1] for task in found] == ["2", "4", "0", "1", "3"]


async def test_progress_of_a_job_that_nobody_watches_is_looked_at_now(app: App, cluster: SmallCluster):
    seen = await browse_jobs.job_progress(app, ROOT, default="marin")
    assert seen.job == ROOT
    assert seen.memory.newest_attempt is not None
    cluster.broken = Unreachable("The controller does not answer.")
    with pytest.raises(Unreachable):
        await browse_jobs.controller_of(app, "marin")


async def test_a_cluster_that_cannot_be_looked_over_says_so(tmp_path: Path, cluster: SmallCluster):
    opens = opener(cluster)
    async with open_app(
        Settings(state_dir=tmp_path), opener=lambda spec: replace(opens(spec), overview=None)
    ) as app:
        with pytest.raises(UserError, match="cannot be looked over"):
            await browse_jobs.roots_of(app, "marin", "/ada")


@pytest.mark.parametrize("generation", ["april", "may", "august"])
async def test_jobs_of_one_user_are_listed_and_nobody_elses(tmp_path: Path, generation: str):
    clock = FakeClock()
    async with (
        Simulator("healthy", clock.now, generation=generation) as sim,
        open_app(Settings(state_dir=tmp_path), clock=clock) as app,
    ):
        spec = spec_from_options(controller_url=sim.url)
        await app.clusters.remember(spec)
        clock.advance(timedelta(seconds=60).total_seconds())
        everything = {root.id for root in await browse_jobs.roots_of(app, spec.name, "/ada")}
        assert JobId("/ada/dedup") in everything
        assert len(everything) > 1
        assert all(job.count("/") == 2 for job in everything)
        begun = {root.id for root in await browse_jobs.roots_of(app, spec.name, "/ada/dedup-")}
        assert begun == {job for job in everything if job.startswith("/ada/dedup-")}
        assert await browse_jobs.roots_of(app, spec.name, "/ad") == ()  # a user, and not the beginning of one
        machines = await browse_jobs.workers_of(app, spec.name)
        busy = await browse_jobs.workers_of(app, spec.name, "/ada/dedup")
        assert {machine.id for machine in busy} <= {machine.id for machine in machines}
        assert busy
