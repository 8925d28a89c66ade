"""`wait`: one call instead of ninety, with signs of life for clients that count the seconds."""

from datetime import timedelta
from pathlib import Path

import pytest
from mcp import Client

from babysitter.model.ids import WatchId
from babysitter.surfaces.mcp.last_cursors import MAX_CURSORS, LastCursors
from tests.surfaces.mcp.rig import rig


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_returns_at_the_end_and_shows_that_it_lives_meanwhile(tmp_path: Path, mode: str):
    signs: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
        signs.append((done, total))

    async with rig("plain-success", tmp_path) as place, Client(place.server, mode=mode) as agent:
        await agent.call_tool("start_watch", {"job": place.job})  # no time passes yet
        asked = agent.call_tool("wait", {"job": place.job, "for": "10m"}, progress_callback=progress)
        answer = await place.meanwhile(asked)
        assert answer.structured_content is not None
        assert answer.structured_content["reason"] == "terminal"
        assert answer.structured_content["watch"]["outlook"]["job_state"] == "succeeded"
    assert len(signs) >= 2
    assert [done for done, _ in signs] == sorted(done for done, _ in signs)
    assert {total for _, total in signs} == {600.0}


async def test_with_its_cursor_nothing_in_between_is_missed(tmp_path: Path):
    async with rig("zombie", tmp_path) as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        first = await place.call(agent, "wait", job=place.job, until=["incident"], **{"for": "10s"})
        assert first["reason"] == "time-limit"
        await place.pass_s(300)  # the agent is busy elsewhere: a stage, an incident and an offer go by
        second = await place.call(agent, "wait", job=place.job, cursor=first["cursor"], until=["incident"])
        assert second["reason"] == "incident"
        assert {"incident-opened", "restart-proposed"} <= set(second["news"])
        third = await place.call(agent, "wait", job=place.job, cursor=second["cursor"], **{"for": 30})
        assert (third["reason"], third["news"]) == ("time-limit", [])
        ahead = await place.refusal(agent, "wait", job=place.job, cursor=10_000)
        assert "10000 is not a cursor of an earlier answer. Leave it out" in ahead


async def test_without_a_cursor_it_tells_an_open_incident_once(tmp_path: Path):
    async with rig("zombie", tmp_path) as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        await place.pass_s(300)
        first = await place.call(agent, "wait", job=place.job, until=["incident"])
        assert first["reason"] == "incident"
        began_at = place.clock.now()
        second = await place.call(agent, "wait", job=place.job, until=["incident"], **{"for": "2m"})
        assert (second["reason"], second["news"]) == ("time-limit", [])
        assert place.clock.now() - began_at >= timedelta(minutes=2)
    async with rig("zombie", tmp_path / "other") as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        assert (await place.call(agent, "wait", job=place.job, until=["incident"]))["reason"] == "incident"


async def test_without_a_cursor_an_ended_job_is_told_once(tmp_path: Path):
    async with rig("plain-success", tmp_path) as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        assert (await place.call(agent, "wait", job=place.job))["reason"] == "terminal"
        assert (await place.call(agent, "wait", job=place.job, **{"for": "1m"}))["reason"] == "time-limit"


def test_last_cursors_are_kept_per_client_and_watch():
    cursors = LastCursors()
    cursors.remember("one", WatchId("w-1"), 7)
    assert cursors.get("one", WatchId("w-1")) == 7
    assert cursors.get("one", WatchId("w-2")) is None
    assert cursors.get("other", WatchId("w-1")) is None


def test_last_cursors_forget_the_oldest():
    cursors = LastCursors()
    for number in range(MAX_CURSORS + 1):
        cursors.remember("one", WatchId(f"w-{number}"), number)
    assert cursors.get("one", WatchId("w-0")) is None
    assert cursors.get("one", WatchId("w-1")) == 1
