"""A few cases of the ladder's crash matrix; `make chaos` tries them all."""

import pytest

from tests.crash.ladder_matrix import LadderWorld, opened_ladder_world


@pytest.fixture
async def world(tmp_path) -> LadderWorld:
    async with opened_ladder_world(tmp_path) as opened:
        yield opened


async def test_ladder_killed_around_a_submission_submits_once(world: LadderWorld):
    # Killed before the first launch; its answer is lost; killed when the second has been accepted.
    ending = await world.play(("before LaunchJob", 1), ("after LaunchJob", 1), answers_lost=1)
    assert (ending.faults, ending.lives) == ((), 3)
