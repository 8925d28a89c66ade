"""Promises of the product, held against a simulated cluster that misbehaves on command."""

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.model.events import IncidentOpened, SawAgain, WentBlind
from babysitter.model.ids import JobId
from babysitter.model.proposal import Answer
from babysitter.usecases.watching.manage_watches import start_watch
from tests.support.sim_app import ADA, story


async def test_promise_3_an_hour_of_failures_is_one_incident_and_no_proposal(tmp_path):
    async with story("long-run", tmp_path) as tale:
        await tale.pass_s(400, 20.0)
        tale.sim.mood = "ill"
        await tale.pass_s(3600, 60.0)
        assert await tale.causes() == ["controller-unreachable"]
        assert await tale.proposals() == []
        assert (await tale.standing()).watch.memory.blind_since
        tale.sim.mood = "well"
        await tale.pass_s(900, 30.0)
        assert not (await tale.standing()).watch.memory.blind_since
        assert await tale.causes() == [
            "controller-unreachable"
        ]  # and the pause is not taken for a standstill
        assert await tale.endings() == ["self-resolved"]
        assert await tale.phases() == ["smoke", "steady"]
        assert tale.ear.occasions == ["started", "blind", "resolved"]


@pytest.mark.parametrize("looks_before", [0, 1])
async def test_what_passed_unseen_is_no_standstill_whatever_the_next_look_would_have_asked(
    looks_before, tmp_path
):
    async with story("long-run", tmp_path) as tale:
        await tale.pass_s(300 + 35 * looks_before, 35.0)
        tale.sim.mood = "down"
        await tale.pass_s(3600, 120.0)
        tale.sim.mood = "well"
        await tale.pass_s(300, 20.0)
        assert await tale.causes() == ["controller-unreachable"]
        assert await tale.suspicions() == []
        assert [type(event) for event in await tale.events(WentBlind, SawAgain)] == [WentBlind, SawAgain]


async def test_a_short_outage_is_no_news(tmp_path):
    async with story("healthy", tmp_path) as tale:
        await tale.pass_s(60)
        tale.sim.mood = "down"
        await tale.pass_s(60)
        tale.sim.mood = "well"
        await tale.pass_s(150)
        assert tale.ear.occasions == ["started", "finished"]


async def test_a_steady_watch_costs_at_most_six_requests_and_four_kilobytes_a_minute(tmp_path):
    async with story("long-run", tmp_path) as tale:
        await tale.pass_s(300, 10.0)
        tale.sim.requests.clear()
        await tale.pass_s(1200, 20.0)
        asked = [request for request in tale.sim.requests if request[0] != "ProfileTask"]
        assert len(asked) <= 6 * 20
        assert sum(size for _, size in asked) <= 4_000 * 20
        assert asked
        assert await tale.events(IncidentOpened) == []


async def test_a_denied_restart_is_not_offered_again(tmp_path):
    async with story("zombie", tmp_path) as tale:
        await tale.pass_s(250, 10.0)
        assert "Denied by U-ada" in await tale.answer(Answer.NO)
        await tale.pass_s(1200, 60.0)
        assert len(await tale.proposals()) == 1
        assert tale.sim.launched == []
        assert {method for method, _ in tale.sim.requests}.isdisjoint({"TerminateJob", "LaunchJob"})


async def test_the_same_end_after_a_restart_is_told_and_not_restarted_again(tmp_path):
    async with story("zombie-again", tmp_path) as tale:
        await tale.pass_s(250, 10.0)
        await tale.answer()
        await tale.pass_s(600, 20.0)
        assert tale.sim.launched == ["/ada/dedup-r1"]
        assert await tale.causes() == ["zombie-coordinator", "zombie-coordinator"]
        assert len(await tale.proposals()) == 1  # the same cause again is for a person


async def test_a_controller_that_lost_its_jobs_is_one_message_for_two_watches(tmp_path):
    async with story("controller-forgets", tmp_path) as tale:
        neighbour = tale.sim.neighbours[0]
        spec = ClusterSpec("marin", url=tale.sim.url)
        await start_watch(tale.app, JobId(neighbour), spec, by=ADA)
        await tale.pass_s(1500, 20.0)
        assert tale.ear.occasions == ["started", "started", "blind"]
        assert tale.ear.heard[-1].words.title == "Jobs lost: marin"
        assert "2 of 2 watched jobs" in tale.ear.heard[-1].words.sentence
        await tale.pass_s(900, 20.0)
        assert tale.ear.occasions == ["started", "started", "blind", "resolved"]
        assert await tale.proposals() == []
        assert await tale.endings() == ["self-resolved"]


async def test_a_job_that_can_never_be_placed_is_told_at_once(tmp_path):
    async with story("never-placed", tmp_path) as tale:
        await tale.pass_s(60, 5.0)
        assert tale.ear.occasions == ["started", "incident"]
        card = tale.ear.heard[-1]
        assert card.words.title == "Can never be placed: dedup"
        assert "Set --memory to at most 64 GB" in card.words.sentence
