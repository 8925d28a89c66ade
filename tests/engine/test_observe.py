from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.engine.observe import observe
from babysitter.errors import Overloaded, Unreachable
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Task, TaskState
from babysitter.model.log import LogLevel
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation, Want
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone, Seen, Source, Unseen
from babysitter.model.watch import Watch
from tests.support import jobs
from tests.support.build import NOON, ROOT, watch
from tests.support.cluster import HandClock, SmallCluster
from tests.support.jobs import CONTEXT, K, S, line, pipeline, raw, report, tree
from tests.support.recordings import rules

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"
WORKERS = JobId(f"{COORDINATOR}/{CONTEXT}-p0-workers-a0")


@pytest.fixture
def cluster():
    cluster = SmallCluster()
    cluster.show(tree(*pipeline()))
    return cluster


@pytest.fixture
def clock():
    return HandClock()


async def check(held: Watch, cluster: SmallCluster, clock: HandClock) -> tuple[Watch, Observation]:
    """One check without a store: look, judge, keep the memory."""
    observation = await observe(held, cluster, clock)
    return replace(held, memory=judge(held, observation, rules()).memory), observation


def fresh() -> Watch:
    return watch(memory=Memory())


async def steady(cluster: SmallCluster, clock: HandClock) -> Watch:
    held = fresh()
    for done in range(1, 6):
        clock.pass_s(30)
        cluster.log.append(report((clock.now() - NOON).total_seconds(), done, 900))
        held, _ = await check(held, cluster, clock)
    assert held.memory.phase is Phase.STEADY
    return held


async def test_a_steady_watch_asks_at_most_six_questions_a_minute(cluster, clock):
    held = await steady(cluster, clock)
    cluster.asked.clear()
    cluster.lines_sent = 0
    for second in range(0, 600, 5):
        clock.pass_s(5)
        cluster.log.append(report((clock.now() - NOON).total_seconds(), 6 + second // 60, 900))
        if second % 30 == 25:
            held, _ = await check(held, cluster, clock)
    assert held.memory.phase is Phase.STEADY
    assert len(cluster.asked) / 10 <= 5
    assert 108 <= cluster.lines_sent <= 120  # each progress line once, the newest minute still to come


async def test_a_flood_of_noise_costs_nothing_and_hides_nothing(cluster, clock):
    held = await steady(cluster, clock)
    cluster.lines_sent = 0
    noise = line(200, "Resolving name x", f"{COORDINATOR}/0", "iris.actor.client")
    for n in range(4):
        seconds = (clock.now() - NOON).total_seconds()
        cluster.log += [noise] * 1000
        cluster.log.append(report(seconds + 1, 10 + n, 900))
        if n == 2:
            cluster.log.append(raw(seconds + 2, "ValueError: the needle", f"{WORKERS}/0"))
        clock.pass_s(30)
        held, observation = await check(held, cluster, clock)
        if n == 2:
            assert "ValueError: the needle" in [seen_line.text for seen_line in observation.seen_lines]
    assert cluster.lines_sent <= 10
    assert held.memory.progress is not None
    assert held.memory.progress.done >= 12


async def test_a_flood_of_warnings_is_paged_and_what_is_missing_is_said(cluster, clock):
    held = await steady(cluster, clock)
    warning = line(200, "again", f"{WORKERS}/0")._replace(level=LogLevel.WARNING)
    cluster.log += [warning._replace(text=f"{warning.text} {n}") for n in range(5000)]
    cluster.log.append(raw(210, "RuntimeError: the last line"))
    clock.pass_s(30)
    _, observation = await check(held, cluster, clock)
    assert observation.skipped_lines > 0
    assert observation.seen_lines[-1].text == "RuntimeError: the last line"
    assert len(observation.seen_lines) <= 2100


async def test_what_cannot_be_seen_is_unseen_and_nothing_is_raised(cluster, clock):
    held = await steady(cluster, clock)
    cluster.broken = Unreachable("Cannot reach the controller of 'marin': connection refused.")
    for _ in range(3):
        clock.pass_s(30)
        held, observation = await check(held, cluster, clock)
        assert isinstance(observation.tree, Unseen)
    assert set(held.memory.blind_since) == {Source.CONTROLLER}
    assert cluster.asked[-3:] == ["tree"] * 3  # a controller that is away is not asked for logs
    cluster.broken = None
    held, observation = await check(held, cluster, clock)
    assert isinstance(observation.tree, Seen)
    assert held.memory.blind_since == {}


async def test_a_log_service_that_is_away_loses_no_line(cluster, clock):
    held = await steady(cluster, clock)
    cluster.broken_logs = Overloaded("The log service is overloaded.")
    cluster.log.append(raw(180, "ValueError: while away"))
    clock.pass_s(30)
    held, blind = await check(held, cluster, clock)
    assert isinstance(blind.lines, Unseen)
    cluster.broken_logs = None
    clock.pass_s(30)
    _, back = await check(held, cluster, clock)
    assert "ValueError: while away" in [seen_line.text for seen_line in back.seen_lines]


async def test_a_missing_job_is_a_fact_and_no_blindness(cluster, clock):
    cluster.jobs.clear()
    observation = await observe(fresh(), cluster, clock)
    assert isinstance(observation.tree, Gone)
    assert observation.blind_spots == ()
    assert observation.tree.missing == (ROOT,)


async def test_a_cursor_that_the_log_service_lost_is_noticed(cluster, clock):
    held = await steady(cluster, clock)
    cluster.forgets_cursors = True
    seen = []
    for n in range(60):
        clock.pass_s(30)
        seconds = (clock.now() - NOON).total_seconds()
        cluster.log.append(report(seconds, 10 + n, 900))
        held, observation = await check(held, cluster, clock)
        seen += observation.seen_lines
    assert seen
    assert len(set(seen)) == len(seen)  # nothing from before comes again


async def test_dumps_and_tasks_are_asked_for_when_wanted_and_parsed(cluster, clock):
    cluster.tasks_of[WORKERS] = tuple(
        Task(TaskId(f"{WORKERS}/{n}"), TaskState.RUNNING, status_text=text)
        for n, text in enumerate(["idle", "**stage0-Map**  \nshard 3/8", "idle", "idle", "idle", "idle"])
    )
    cluster.texts[TaskId(f"{COORDINATOR}/0")] = jobs.IN_STAGE
    cluster.texts[TaskId(f"{WORKERS}/1")] = jobs.BLOCKED
    held = await steady(cluster, clock)
    wants = frozenset({Want.COORDINATOR_DUMP, Want.WORKER_DUMPS})
    held = replace(held, memory=replace(held.memory, wants=wants))
    observation = await observe(held, cluster, clock)
    taken = [str(task) for task, sight in observation.dumps.items() if isinstance(sight, Seen)]
    assert taken == [f"{COORDINATOR}/0", f"{WORKERS}/1"]
    assert len(observation.dumps) == 1 + 4  # some workers, the busy one first
    assert all(list(sight.value.threads()) for sight in observation.dumps.values() if isinstance(sight, Seen))


async def test_of_a_job_without_a_pipeline_its_own_processes_are_dumped(cluster, clock):
    cluster.show(tree())
    names = ["0", "Engine-1", *(f"Trainer-{rank}" for rank in range(20))]
    cluster.tasks_of[ROOT] = tuple(Task(TaskId(f"{ROOT}/{name}"), TaskState.RUNNING) for name in names)
    wants = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS})
    held = replace(fresh(), memory=replace(fresh().memory, wants=wants))
    observation = await observe(held, cluster, clock)
    asked = [task.rpartition("/")[2] for task in observation.dumps]
    assert asked == ["0", *(f"Trainer-{rank}" for rank in range(16))]  # those that it has most of


async def test_the_end_is_read_as_a_whole_story_once(cluster, clock):
    held = await steady(cluster, clock)
    cluster.log.append(raw(170, "KeyError: 'text'", f"{WORKERS}/0"))
    cluster.show(tree(*pipeline(0, 0, S, K), root=K, error="Terminated by user"))
    clock.pass_s(30)
    held, observation = await check(held, cluster, clock)
    assert observation.is_reread
    assert len(observation.seen_lines) == 6
    assert held.memory.phase is Phase.FINISHED


async def test_lines_of_an_earlier_run_under_the_same_name_are_left_out(cluster, clock):
    cluster.log.append(raw(-3600, "ValueError: yesterday's"))
    cluster.log.append(raw(1, "hello"))
    _, observation = await check(fresh(), cluster, clock)
    assert [seen_line.text for seen_line in observation.seen_lines] == ["hello"]


async def test_a_line_that_two_questions_bring_is_there_once(cluster, clock):
    both = line(5, "Shard 1 failed on worker w-0 (task error 1/3), re-queuing.", f"{COORDINATOR}/0")
    cluster.log.append(both._replace(level=LogLevel.WARNING))
    _, observation = await check(fresh(), cluster, clock)
    assert len(observation.seen_lines) == 1
