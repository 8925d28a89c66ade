"""`wait`: one call instead of ninety, with signs of life for clients that count the seconds."""

from pathlib import Path

import pytest
from mcp import Client

from tests.surfaces.mcp.rig import rig


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_returns_at_the_end_and_shows_that_it_lives_meanwhile(tmp_path: Path, mode: str):
    signs: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
        signs.append((done, total))

    async with rig("plain-success", tmp_path) as place, Client(place.server, mode=mode) as agent:
        await agent.call_tool("start_watch", {"job": place.job})  # no time passes yet
        asked = agent.call_tool("wait", {"watch": place.job, "at_most_s": 600}, progress_callback=progress)
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
        first = await place.call(agent, "wait", watch=place.job, until=["incident"], at_most_s=10)
        assert first["reason"] == "time-limit"
        await place.pass_s(300)  # the agent is busy elsewhere: a stage, an incident and an offer go by
        second = await place.call(agent, "wait", watch=place.job, cursor=first["cursor"], until=["incident"])
        assert second["reason"] == "incident"
        assert {"incident-opened", "restart-proposed"} <= set(second["news"])
        third = await place.call(agent, "wait", watch=place.job, cursor=second["cursor"], at_most_s=30)
        assert (third["reason"], third["news"]) == ("time-limit", [])
        ahead = await place.refusal(agent, "wait", watch=place.job, cursor=10_000)
        assert "10000 is no cursor of an earlier answer. Leave it out" in ahead
