"""What looking at a quiet plain job costs, and what is noticed all the same."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.backends.batching import BatchingReader
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.observe import observe
from babysitter.engine.quiet_checks import longest_log_wait_s, max_tree_age_s
from babysitter.errors import TooBusy
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.log import LogLevel
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Seen
from babysitter.model.verdict import SignalKind
from babysitter.model.watch import Watch
from tests.support.build import NOON, ROOT, watch
from tests.support.cluster import HandClock, SmallCluster
from tests.support.jobs import CONTEXT, line, pipeline, raw, tree
from tests.support.recordings import rules

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"


class Place:
    """One watch of a plain job, looked at every 30 s."""

    def __init__(self) -> None:
        self.cluster = SmallCluster()
        self.clock = HandClock()
        self.reader = BatchingReader(self.cluster, self.clock)
        self.held: Watch = watch(memory=Memory())

    @property
    def seconds(self) -> float:
        return (self.clock.now() - NOON).total_seconds()

    async def look(self) -> Observation:
        self.clock.pass_s(30)
        observation = await observe(self.held, self.reader, self.clock)
        self.held = replace(self.held, memory=judge(self.held, observation, rules()).memory)
        return observation


@pytest.fixture
async def place() -> Place:
    """A plain job that printed a line when it began, and is steady since."""
    place = Place()
    place.cluster.show(tree())
    place.cluster.log.append(raw(1, "hello"))
    for _ in range(4):
        await place.look()
    assert place.held.memory.phase is Phase.STEADY
    assert max_tree_age_s(place.held) == 600
    place.cluster.asked.clear()
    return place


async def test_a_quiet_look_reads_one_log_and_shares_a_state(place: Place):
    for _ in range(10):
        await place.look()
    assert place.cluster.asked.count("lines") == 10
    assert place.cluster.asked.count("states") + place.cluster.asked.count("tree") == 10
    assert place.cluster.asked.count("tree") <= 1
    assert len(place.cluster.asked) == 20


async def test_quiet_is_still_measured(place: Place):
    for _ in range(10):
        await place.look()
    assert place.held.memory.last_line_at == NOON.replace(second=1)
    assert place.held.memory.seen_at == place.clock.now()
    place.cluster.log.append(raw(place.seconds, "still here"))
    observation = await place.look()
    assert [seen_line.text for seen_line in observation.seen_lines] == ["still here"]


async def test_a_failure_is_seen_at_the_next_look(place: Place):
    place.cluster.show(tree(root=JobState.FAILED, error="Exit code: 1. stderr: KeyError: 'text'"))
    observation = await place.look()
    assert observation.seen_tree is not None
    assert observation.seen_tree.root.error.endswith("KeyError: 'text'")
    assert place.held.memory.phase is Phase.FINISHED


async def test_a_new_child_that_prints_is_seen_at_once(place: Place):
    place.cluster.show(tree(*pipeline()))
    place.cluster.log.append(
        line(place.seconds, "Starting stage stage0-Map with 8 tasks", f"{COORDINATOR}/0")
    )
    observation = await place.look()
    assert observation.seen_tree is not None
    assert len(observation.seen_tree.descendants) == 2
    await place.look()
    assert max_tree_age_s(place.held) == 0


async def test_a_new_try_that_prints_is_seen_at_once(place: Place):
    place.cluster.show(tree(failure_count=1))
    place.cluster.log.append(raw(place.seconds, "hello again")._replace(attempt=1))
    observation = await place.look()
    assert observation.seen_tree is not None
    assert observation.seen_tree.root.failure_count == 1


async def test_a_new_child_that_is_silent_is_seen_in_time(place: Place):
    place.cluster.show(tree(*pipeline()))
    looks = 0
    while not ((found := await place.look()).seen_tree and found.seen_tree.descendants):
        looks += 1
    assert looks <= 20


async def test_lines_before_a_crew_appears_are_read_once(place: Place):
    warning = raw(place.seconds + 1, "W disk is slow")._replace(level=LogLevel.WARNING)
    place.cluster.log.append(warning)
    seen = list((await place.look()).seen_lines)
    place.cluster.show(tree(*pipeline()))
    for number in range(4):
        place.cluster.log.append(
            line(place.seconds + 1, f"Shard {number} failed on worker w", f"{COORDINATOR}/0")
        )
        place.cluster.log.append(raw(place.seconds + 2, f"ValueError: {number}", f"{COORDINATOR}/0"))
        seen += (await place.look()).seen_lines
    assert len({log_line.text for log_line in seen}) == len(seen)
    assert {f"ValueError: {number}" for number in range(4)} <= {log_line.text for log_line in seen}


async def test_a_flood_of_prints_hides_no_warning(place: Place):
    begin = place.seconds
    place.cluster.log += [raw(begin + n / 1000, f"row {n}") for n in range(2000)]
    place.cluster.log.append(raw(begin + 2, "the device is gone")._replace(level=LogLevel.ERROR))
    place.cluster.log += [
        raw(begin + 3 + n / 1000, f"more {n}")._replace(level=LogLevel.INFO) for n in range(3000)
    ]
    observation = await place.look()
    assert "the device is gone" in [seen_line.text for seen_line in observation.seen_lines]
    assert observation.skipped_lines > 0
    place.cluster.asked.clear()
    await place.look()
    assert place.cluster.asked.count("lines") == 1


async def test_a_silence_that_was_looked_into_stays_cheap(place: Place):
    known = {SignalKind.QUIET: NOON, SignalKind.LINGERING: NOON}
    held = replace(place.held, memory=replace(place.held.memory, suspicious_since=known))
    assert max_tree_age_s(held) == 600


@pytest.mark.parametrize(
    "changes",
    [
        {"phase": Phase.SMOKE},
        {"wants": frozenset({"tasks"})},
        {"suspicious_since": {"quiet": NOON, "retrying": NOON}},
        {"blind_since": {"controller": NOON}},
        {"gone_since": NOON},
        {"newest_attempt": JobId(COORDINATOR)},
        {"kind": "zephyr"},
    ],
    ids=str,
)
async def test_whatever_goes_on_lists_the_tree(place: Place, changes: dict[str, object]):
    held = replace(place.held, memory=replace(place.held.memory, **changes))
    assert max_tree_age_s(held) == 0


async def test_a_slow_log_is_left_out_and_read_later(place: Place):
    read_at = place.held.memory.log_read_at
    place.cluster.broken_logs = TooBusy("Many wait.")
    place.cluster.log.append(raw(place.seconds, "meanwhile"))
    observation = await place.look()
    assert observation.lines == Seen((), read_at)
    assert place.held.memory.log_read_at == read_at
    assert not place.held.memory.blind_since
    place.cluster.broken_logs = None
    assert [seen_line.text for seen_line in (await place.look()).seen_lines] == ["meanwhile"]
    assert place.held.memory.log_read_at == place.clock.now()


def test_longest_log_wait_grows_with_its_age(place: Place):
    read_at = place.held.memory.log_read_at
    assert read_at is not None
    for age_s, wait_s in ((0, 0), (40, 5), (120, 15), (299, 299 / 8), (300, None), (-5, None)):
        assert longest_log_wait_s(place.held, read_at + timedelta(seconds=age_s)) == wait_s
    smoking = replace(place.held, memory=replace(place.held.memory, phase=Phase.SMOKE))
    assert longest_log_wait_s(smoking, read_at) is None
