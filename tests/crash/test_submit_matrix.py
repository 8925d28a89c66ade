"""Two cases of the crash matrix of submit; `make chaos` tries them all."""

from pathlib import Path

from tests.crash.submit_matrix import JOB, opened_submit_world


async def test_submit_killed_anywhere_is_watched_if_submitted(tmp_path: Path):
    async with opened_submit_world(tmp_path) as world:
        sound = await world.play()
        after_launch = sound.points.index("after LaunchJob") + 1
        killed = await world.play(after_launch, 3)
    assert (sound.faults, killed.faults) == ((), ())
    assert sound.launched == killed.launched == (JOB,)
