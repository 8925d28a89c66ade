"""Profiles of good runs, as they are stored: the newest few of each program."""

from dataclasses import replace
from datetime import timedelta

from babysitter.model.run_profile import LineTemplate, RunProfile
from babysitter.store.repositories import run_profiles
from babysitter.store.store import Store
from tests.support.build import NOON

PROFILE = RunProfile(
    "dedup", "/ada/dedup", ended_at=NOON, lines=7, templates=(LineTemplate(("step", "\0<*>"), 7),)
)


async def test_newest_profiles_of_a_program_are_kept(store: Store, monkeypatch):
    monkeypatch.setattr(run_profiles, "KEPT_PER_PROGRAM", 2)
    runs = [replace(PROFILE, ended_at=NOON + timedelta(hours=number)) for number in range(4)]
    async with store.transaction() as tx:
        for run in (*runs, replace(runs[3], lines=8)):  # the newest run again
            await tx.run_profiles.keep("marin", run)
        await tx.run_profiles.keep("other", PROFILE)
    async with store.reading() as tx:
        assert await tx.run_profiles.of("marin", "dedup") == (replace(runs[3], lines=8), runs[2])
        assert await tx.run_profiles.of("other", "dedup") == (PROFILE,)
        numbers = await tx.run_profiles.newest("marin", "dedup")
        assert (len(numbers), numbers[0] > numbers[1]) == (2, True)


async def test_profiles_of_all_programs_are_limited(store: Store, monkeypatch):
    monkeypatch.setattr(run_profiles, "MAX_PROFILES", 2)
    async with store.transaction() as tx:
        for number in range(4):
            await tx.run_profiles.keep("marin", replace(PROFILE, program=f"p{number}", job=f"/ada/{number}"))
        kept = [len(await tx.run_profiles.of("marin", f"p{number}")) for number in range(4)]
    assert kept == [0, 0, 1, 1]
