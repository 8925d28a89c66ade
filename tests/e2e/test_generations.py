"""The same scenarios on clusters of April and August, and through the user's own command."""

import pytest

from tests.e2e.test_scenarios import TELLINGS
from tests.support.sim_app import story


async def as_told(scenario, tale):
    told = next(telling for telling in TELLINGS if telling.scenario == scenario)
    await tale.pass_s(told.for_s, told.step_s)
    assert await tale.phases() == told.phases
    assert tale.ear.occasions == told.said
    assert await tale.causes() == list(told.causes)
    assert await tale.outcome() == told.outcome


@pytest.mark.parametrize("generation", ["april", "august"])
@pytest.mark.parametrize("scenario", ["healthy", "shard-error", "coordinator-killed"])
async def test_other_generations_are_told_the_same(scenario, generation, tmp_path):
    async with story(scenario, tmp_path, generation=generation) as tale:
        await as_told(scenario, tale)
        assert (await tale.standing()).watch.memory.generation == generation


async def test_the_users_own_command_shows_the_same(tmp_path):
    async with story("import-error", tmp_path, transport="cli") as tale:
        await as_told("import-error", tale)


async def test_april_restarts_from_the_stored_request(tmp_path):
    async with story("zombie", tmp_path, generation="april") as tale:
        await tale.pass_s(250, 10.0)
        assert await tale.causes() == ["zombie-coordinator"]
        assert [proposal.command for proposal in await tale.proposals()] == [
            "LaunchJob /ada/dedup-r1 -- python dedup.py"
        ]


async def test_without_a_client_date_the_card_says_what_is_missing(tmp_path):
    async with story("zombie", tmp_path, client_date="") as tale:
        await tale.pass_s(250, 10.0)
        assert await tale.causes() == ["zombie-coordinator"]
        assert await tale.proposals() == []
        notes = dict(tale.ear.heard[-1].words.notes)
        assert "clusters.NAME.client_revision_date" in notes["No restart is proposed"]
        assert "nobody named the folder" in notes["No restart is proposed"]


async def test_where_dumps_cannot_tell_a_zombie_is_known_by_what_it_said_and_by_time(tmp_path):
    async with story("zombie", tmp_path, generation="august") as tale:
        await tale.pass_s(900, 20.0)
        assert await tale.causes() == []
        await tale.pass_s(300, 20.0)
        assert await tale.causes() == ["zombie-coordinator"]
        assert tale.sim.launched == []
