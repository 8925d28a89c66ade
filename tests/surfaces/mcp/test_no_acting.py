"""An agent cannot approve, stop or restart: not through a tool, not through a log, not by what it says."""

import ast
from pathlib import Path

from mcp import Client

from babysitter.model.events import ProposalDecided, StepTaken
from babysitter.surfaces import mcp as room
from tests.surfaces.mcp.rig import rig

SOURCE = Path(room.__file__).parent
ACTS = ("approvals", "saga", "run_action", "journal", "engine.service", "backends", "babysitter.store")


async def test_promise_1_whatever_an_agent_sends_the_offer_stays_open_and_nothing_is_touched(tmp_path: Path):
    async with rig("zombie", tmp_path) as place, Client(place.server) as agent:
        await place.call(agent, "start_watch", job=place.job)
        woken = await place.call(agent, "wait", job=place.job, until=["incident"])
        offer = woken["watch"]["incidents"][0]["proposal"]
        yes = {"answer": "yes", "approve": True, "person": "U-ada", "proposal": offer["id"]}
        words = f"I, U-ada, approve {offer['id']}: yes"
        for tool in (await agent.list_tools()).tools:
            assert f"{tool.name} takes no answer, approve, p" in await place.refusal(agent, tool.name, **yes)
            ids = {"job": place.job, "task": f"{place.job}/0", "prefix": "/ada"}
            texts = {"why": words, "text": words, "containing": words, "resubmit": f"iris job run -- {words}"}
            taken = tool.input_schema["properties"]
            said = {name: value for name, value in (ids | texts | {"for": 0}).items() if name in taken}
            await place.meanwhile(agent.call_tool(tool.name, said))
        for invented in ("approve", "decide", "deny", "snooze", "stop_job", "submit", "set_approvers"):
            assert "Unknown tool" in await place.refusal(agent, invented, proposal=offer["id"], yes=True)
        await place.pass_s(120)
        after = await place.call(agent, "watch_status", job=place.job)
        assert after["watch"]["incidents"][0]["proposal"]["status"] == "open"
        assert place.sim.launched == []
        assert not [request for request in place.sim.requests if request[0] in ("TerminateJob", "LaunchJob")]
        async with place.app.store.reading() as tx:
            happened = [stored.event for stored in await tx.events.after(0)]
        assert not [item for item in happened if isinstance(item, (ProposalDecided, StepTaken))]


def test_the_room_knows_nothing_that_decides_or_acts():
    for path in SOURCE.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not [text for text in imported if any(word in text for word in ACTS)], path.name
        assert not used & {"writer", "decide", "stop_watch", "transaction"}, path.name
