"""A case of the crash matrix of a driver's restart; `make chaos` tries them all."""

from pathlib import Path

from tests.crash.driver_matrix import opened_driver_world


async def test_driver_restart_killed_around_its_effects(tmp_path: Path):
    async with opened_driver_world(tmp_path) as world:
        sound = await world.play()
        killed = await world.play(("after signal", 1), ("after start", 1))
    assert (sound.faults(sound), sound.killed_at) == ((), ())
    assert (killed.faults(sound), killed.killed_at) == ((), ("after signal", "after start"))
