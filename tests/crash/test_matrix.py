"""A few cases of the crash matrix; `make chaos` tries them all."""

import random
from collections.abc import Iterator

import pytest

from tests.crash.matrix import SEED, faults_of
from tests.crash.world import Case, Ending, World, opened_world

# Where a second submission, a lost answer or a message told twice would come from.
DELICATE = (
    "write decisions",
    "before commit",
    "after commit",
    "after TerminateJob",
    "before LaunchJob",
    "after LaunchJob",
    "before chat.postMessage",
    "after chat.postMessage",
    "after chat.update",
)


@pytest.fixture
async def world(tmp_path) -> World:
    async with opened_world(tmp_path) as opened:
        yield opened


def at(points: list[str], label: str) -> int:
    """The number of a point by its label, the last of several."""
    return len(points) - points[::-1].index(label)


async def killed(world: World, sound: Ending, case: Case) -> Ending:
    ending = await world.play(case)
    assert ending.killed_at, f"{case} was not killed"
    assert not faults_of(ending, sound, case), (ending.killed_at, faults_of(ending, sound, case))
    return ending


async def test_a_restart_approved_in_slack_survives_its_delicate_points(world: World):
    sound = await world.play(Case("slack"))
    assert (sound.launched, sound.lives) == (["/ada/dedup-r1"], 1)
    assert sound.state["incidents"] == [("zombie-coordinator", "resolved")]
    for label in DELICATE:
        ending = await killed(world, sound, Case("slack", kills=(at(sound.points, label),)))
        assert ending.lives == 2


async def test_lost_answers_and_a_second_crash_change_nothing(world: World):
    sound = await world.play(Case("terminal"))
    launch = at(sound.points, "before LaunchJob")
    await killed(world, sound, Case("terminal", "launch-lost", kills=(launch + 1,)))
    await killed(world, sound, Case("terminal", "answers-lost", kills=(at(sound.points, "after commit"),)))
    await killed(world, sound, Case("terminal", kills=(launch, 20)))


async def test_without_approval_nothing_is_touched_wherever_it_dies(world: World):
    sound = await world.play(Case("deny"))
    assert (sound.launched, sound.stopped) == ([], [])
    await killed(world, sound, Case("deny", kills=(at(sound.points, "write decisions"),)))


async def test_the_whole_story_killed_at_any_moment_has_one_restart_and_loses_no_watch(world: World):
    sound = await world.play(Case("terminal", is_whole=True))
    for kill_at in _moments(len(sound.points), 3):
        ending = await killed(world, sound, Case("terminal", is_whole=True, kills=(kill_at,)))
        assert ending.launched == ["/ada/dedup-r1"]


def _moments(points: int, count: int) -> Iterator[int]:
    yield from random.Random(SEED).sample(range(1, points + 1), count)
