"""An agent with only the MCP tools babysits a pipeline; a person approves; the agent may die on the way."""

from pathlib import Path
from typing import Any

from mcp import Client

from babysitter.model.ids import ProposalId
from babysitter.model.proposal import Answer, Surface
from babysitter.usecases.answering.approvals import decide
from tests.surfaces.mcp.rig import ADA, Rig, rig

MAX_CALLS = 11


async def wait_until(place: Rig, agent: Client, job: str, *reasons: str, cursor: str = "") -> dict[str, Any]:
    """What the tool's description says: wait, hand the cursor back, until it is one of these reasons."""
    while True:
        given = {"cursor": cursor, "for": "30m"}
        said = await place.call(agent, "wait", job=job, until=["incident"], **given)
        if said["reason"] in reasons:
            return said
        cursor = said["cursor"]


async def the_person_says_yes(place: Rig, proposal: str) -> None:
    ruling = await decide(place.app, ProposalId(proposal), ADA, Answer.YES, Surface.SLACK)
    assert ruling.took_effect


async def test_start_zombie_approval_restart_finish_in_few_calls(tmp_path: Path):
    async with rig("zombie", tmp_path) as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        trouble = await wait_until(place, agent, place.job, "incident")
        incident = trouble["watch"]["incidents"][0]
        assert incident["diagnosis"]["cause"] == "zombie-coordinator"
        assert incident["diagnosis"]["evidence"]
        offer = incident["proposal"]
        assert (offer["status"], offer["job"], offer["successor"]) == ("open", "/ada/dedup", "/ada/dedup-r1")
        assert place.sim.launched == []  # an agent that only waits changes nothing
        await the_person_says_yes(place, offer["id"])
        end = await wait_until(place, agent, place.job, "terminal", cursor=trouble["cursor"])
        assert (end["watch"]["job"], end["watch"]["first_job"]) == ("/ada/dedup-r1", "/ada/dedup")
        assert end["watch"]["outlook"]["job_state"] == "succeeded"
        story = await place.call(agent, "incidents", job=place.job)
        assert [(item["status"], item["proposal"]["status"]) for item in story["incidents"]] == [
            ("resolved", "approved")
        ]
        assert place.sim.launched == ["/ada/dedup-r1"]
        assert place.calls <= MAX_CALLS


async def test_a_new_agent_with_only_the_job_id_goes_on(tmp_path: Path):
    async with rig("zombie", tmp_path) as place:
        async with Client(place.server) as agent:
            await place.call(agent, "start_watch", job=place.job)
            trouble = await wait_until(place, agent, place.job, "incident")
        await the_person_says_yes(place, trouble["watch"]["incidents"][0]["proposal"]["id"])
        await place.pass_s(30)  # nobody waits, and the work goes on
        async with Client(place.server, mode="legacy") as successor:
            known = await place.call(successor, "start_watch", job="/ada/dedup")
            assert known["is_new"] is False
            assert known["watch"]["restarts"] == 1
            end = await wait_until(place, successor, "/ada/dedup", "terminal")
            assert end["watch"]["outlook"]["job_state"] == "succeeded"
            assert end["watch"]["incidents"] == []
        assert place.sim.launched == ["/ada/dedup-r1"]
        assert place.calls <= MAX_CALLS


async def test_where_babysit_only_escalates_the_agent_may_ask_and_the_person_decides(tmp_path: Path):
    why = "Both holders of the last shards wait for a host that I see no more; a new run gets others."
    async with rig("stuck-stage", tmp_path) as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        trouble = await wait_until(place, agent, place.job, "incident")
        asked = await place.call(agent, "propose", job=place.job, why=why)
        assert asked["may_approve"] == [ADA]
        assert trouble["watch"]["incidents"][0]["diagnosis"]["action"] == "escalate"
        assert asked["is_new"]
        assert asked["proposal"]["asked_by"].startswith("an agent (mcp")
        assert asked["proposal"]["asked_because"] == why
        assert place.sim.launched == []
        await the_person_says_yes(place, asked["proposal"]["id"])
        end = await wait_until(place, agent, place.job, "terminal", cursor=trouble["cursor"])
        assert end["watch"]["outlook"]["job_state"] == "succeeded"
        assert place.calls <= MAX_CALLS


async def test_after_the_end_a_new_agent_finds_the_offer_and_follows_what_comes_of_it(tmp_path: Path):
    async with rig("oom-137", tmp_path) as place:
        async with Client(place.server) as agent:
            await place.call(agent, "start_watch", job=place.job)
            await wait_until(place, agent, place.job, "terminal")
        async with Client(place.server) as successor:
            known = await place.call(successor, "start_watch", job=place.job)
            assert known["is_new"] is False
            end = await place.call(successor, "wait", job=place.job)
            assert end["reason"] == "terminal"
            offer = end["watch"]["incidents"][0]["proposal"]
            assert (offer["status"], offer["action"]) == ("open", "restart-with-change")
            assert offer["change"]["what"] == "memory"
            await the_person_says_yes(place, offer["id"])
            again = await wait_until(place, successor, place.job, "terminal", cursor=end["cursor"])
            assert again["watch"]["outlook"]["job_state"] == "succeeded"
        assert place.sim.launched == ["/ada/dedup-r1"]
        assert place.calls <= MAX_CALLS
