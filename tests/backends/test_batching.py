"""States of all watched jobs in one request, and trees that are listed again only when a state moved."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from babysitter.backends.batching import FORGET_AFTER, STATES_TTL, BatchingReader
from babysitter.errors import NoSuchJob, Unreachable
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from tests.support.cluster import HandClock, SmallCluster
from tests.support.jobs import job, pipeline, tree

AGE_S = 600.0
ROOTS = [JobId(f"/ada/plain-{number}") for number in range(20)]


class Counting(SmallCluster):
    """Notes for which jobs each request for states was, and can hold one back."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[frozenset[JobId]] = []
        self.gate: asyncio.Event | None = None

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        self.batches.append(frozenset(jobs))
        if self.gate is not None:
            await self.gate.wait()
        return await super().states(jobs)


@pytest.fixture
def cluster() -> Counting:
    cluster = Counting()
    for root in ROOTS:
        cluster.jobs[root] = job(root)
    return cluster


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def reader(cluster: Counting, clock: HandClock) -> BatchingReader:
    return BatchingReader(cluster, clock)


async def look_at_all(reader: BatchingReader) -> None:
    await asyncio.gather(*(reader.tree(root, max_age_s=AGE_S) for root in ROOTS))


async def test_trees_of_a_tick_cost_one_request(cluster: Counting, clock: HandClock, reader: BatchingReader):
    await look_at_all(reader)
    assert cluster.asked == ["tree"] * 20
    cluster.asked.clear()
    for _ in range(10):
        clock.pass_s(30)
        await look_at_all(reader)
    assert cluster.asked == ["states"] * 10
    assert set(cluster.batches) == {frozenset(ROOTS)}


async def test_a_tree_is_listed_anew_at_its_age(cluster: Counting, clock: HandClock, reader: BatchingReader):
    for _ in range(40):
        await reader.tree(ROOTS[0], max_age_s=AGE_S)
        clock.pass_s(30)
    assert cluster.asked.count("tree") == 2


async def test_a_state_that_moved_lists_that_tree(
    cluster: Counting, clock: HandClock, reader: BatchingReader
):
    await look_at_all(reader)
    clock.pass_s(30)
    cluster.jobs[ROOTS[7]] = replace(cluster.jobs[ROOTS[7]], state=JobState.FAILED, error="Exit code: 1")
    cluster.asked.clear()
    found = await reader.tree(ROOTS[7], max_age_s=AGE_S)
    assert (found.root.state, found.root.error) == (JobState.FAILED, "Exit code: 1")
    assert cluster.asked == ["states", "tree"]


async def test_a_child_that_moved_lists_the_tree(cluster: Counting, clock: HandClock, reader: BatchingReader):
    child = JobId(f"{ROOTS[0]}/part")
    cluster.jobs[child] = job(child)
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    clock.pass_s(30)
    cluster.jobs[child] = replace(cluster.jobs[child], state=JobState.KILLED)
    assert (await reader.tree(ROOTS[0], max_age_s=AGE_S)).descendants[0].state is JobState.KILLED


async def test_a_job_that_vanished_is_said_to_be(cluster: Counting, clock: HandClock, reader: BatchingReader):
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    clock.pass_s(30)
    del cluster.jobs[ROOTS[0]]
    with pytest.raises(NoSuchJob):
        await reader.tree(ROOTS[0], max_age_s=AGE_S)


async def test_without_an_age_the_tree_is_listed(cluster: Counting, clock: HandClock, reader: BatchingReader):
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    clock.pass_s(30)
    cluster.asked.clear()
    await reader.tree(ROOTS[0])
    await reader.tree(ROOTS[0], tasks_of=[ROOTS[0]], max_age_s=AGE_S)
    assert cluster.asked == ["tree", "tree"]


async def test_states_older_than_their_limit_are_asked(
    cluster: Counting, clock: HandClock, reader: BatchingReader
):
    await look_at_all(reader)
    clock.pass_s(30)
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    clock.pass_s(STATES_TTL.total_seconds() - 0.1)
    await reader.tree(ROOTS[1], max_age_s=AGE_S)
    assert len(cluster.batches) == 1
    clock.pass_s(0.1)
    await reader.tree(ROOTS[2], max_age_s=AGE_S)
    assert len(cluster.batches) == 2


async def test_a_failure_reaches_all_who_wait_and_nobody_later(
    cluster: Counting, clock: HandClock, reader: BatchingReader
):
    await look_at_all(reader)
    clock.pass_s(30)
    cluster.gate = asyncio.Event()
    cluster.broken = Unreachable("away")
    looks = [asyncio.create_task(reader.tree(root, max_age_s=AGE_S)) for root in ROOTS[:5]]
    await asyncio.sleep(0)
    cluster.gate.set()
    found = await asyncio.gather(*looks, return_exceptions=True)
    assert [type(item) for item in found] == [Unreachable] * 5
    assert len(cluster.batches) == 1
    cluster.broken = None
    assert (await reader.tree(ROOTS[0], max_age_s=AGE_S)).root.id == ROOTS[0]
    assert len(cluster.batches) == 2


async def test_who_gives_up_takes_the_answer_from_nobody(
    cluster: Counting, clock: HandClock, reader: BatchingReader
):
    await look_at_all(reader)
    clock.pass_s(30)
    cluster.gate = asyncio.Event()
    first, second = (asyncio.create_task(reader.tree(root, max_age_s=AGE_S)) for root in ROOTS[:2])
    await asyncio.sleep(0)
    first.cancel()
    cluster.gate.set()
    assert (await second).root.id == ROOTS[1]


async def test_jobs_that_nobody_looks_at_are_forgotten(
    cluster: Counting, clock: HandClock, reader: BatchingReader
):
    await look_at_all(reader)
    clock.pass_s(FORGET_AFTER.total_seconds() - 1)
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    clock.pass_s(30)
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    assert [len(batch) for batch in cluster.batches] == [20, 1]


async def test_a_clock_that_was_set_back_asks_anew(
    cluster: Counting, clock: HandClock, reader: BatchingReader
):
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    clock.pass_s(-7200)
    await reader.tree(ROOTS[0], max_age_s=AGE_S)
    assert cluster.asked == ["tree", "tree"]


async def test_a_large_tree_is_listed_at_every_look(clock: HandClock):
    cluster = Counting()
    children = [job(f"/ada/dedup/part-{number}") for number in range(60)]
    cluster.show(tree(*pipeline(), *children))
    reader = BatchingReader(cluster, clock)
    for _ in range(3):
        await reader.tree(JobId("/ada/dedup"), max_age_s=AGE_S)
    assert cluster.asked == ["tree"] * 3
