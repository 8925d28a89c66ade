"""A few cases of the crash matrix of follow; `make chaos` tries them all."""

from pathlib import Path

from tests.crash.follow_matrix import opened_follow_world


async def test_follow_killed_watches_and_tells_each_job_once(tmp_path: Path):
    async with opened_follow_world(tmp_path) as world:
        # Killed within the first look's transaction, after it, and as the first end is written down.
        ending = await world.play(("write watches", 2), ("after commit", 1), ("write messages", 1))
    assert (ending.faults, ending.lives) == ((), 4)
