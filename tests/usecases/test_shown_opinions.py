"""A second opinion is marked as suspected wherever an incident is read, its words quoted and redacted."""

from dataclasses import replace
from pathlib import Path

from mcp import Client

from babysitter.model.finding import Cause
from babysitter.model.opinion import Quote
from babysitter.surfaces.mcp.tool_context import ToolContext
from babysitter.surfaces.mcp.tool_server import build_server
from babysitter.surfaces.watch_view import watch_view
from babysitter.usecases.incidents.explain import as_lines, explain
from babysitter.usecases.incidents.report import report
from babysitter.usecases.watching.manage_watches import watch_status
from babysitter.usecases.watching.quick_status import read_status
from tests.engine.advising.test_second_opinions import LIE, ScriptedAdvisor, every_watch, failed, opinions
from tests.support.app import ADA, AppHarness, home

SECRET = "hf_" + "madeup" * 6
OPINION = replace(
    LIE,
    cause=Cause.DATA_ERROR,
    explanation=f"[Click](https://evil.example) `now` with {SECRET}.",
    quotes=(Quote("L1", "the moon is made of cheese"),),
    would_change_mind="a full disk",
)
HEADLINE = "Second opinion: suspected data-error (confidence 100%)."


async def advised(place: AppHarness) -> str:
    """The id of a watch whose incident has an opinion."""
    await failed(place)
    await opinions(place, ScriptedAdvisor(OPINION)).ask_next()
    (watch,) = await every_watch(place)
    return watch.id


async def test_report_quotes_the_opinion(tmp_path: Path):
    async with home(tmp_path) as place:
        text = await report(place.app, await advised(place))
    section = text.partition("## Second opinions")[2]
    assert HEADLINE in section
    assert "  - `L1: the moon is made of cheese`" in section
    assert "  - `What would change this: a full disk`" in section
    assert "  - `Because: [Click](https://evil.example) 'now' with [redacted].`" in section
    assert SECRET not in text


async def test_programs_read_the_opinion(tmp_path: Path):
    async with home(tmp_path) as place:
        watch = await advised(place)
        quick = read_status(tmp_path, now=place.clock.now())
        assert quick is not None
        views = [watch_view(await watch_status(place.app, watch)), watch_view(quick.standings[0])]
        for view in views:
            (shown,) = [incident.opinion for incident in view.incidents]
            assert shown is not None
            assert shown.summary.startswith(HEADLINE)
            assert (shown.quotes[0].text, shown.would_change_mind) == (
                "the moon is made of cheese",
                "a full disk",
            )
        assert HEADLINE in "\n".join(as_lines(await explain(place.app, watch)))


async def test_tools_return_the_opinion(tmp_path: Path):
    async with home(tmp_path) as place:
        watch = await advised(place)
        async with Client(build_server(ToolContext(place.app, ADA))) as agent:
            for tool in ("incidents", "explain", "watch_status"):
                reply = (await agent.call_tool(tool, {"job": watch})).structured_content
                holder = reply.get("watch", reply)
                opinion = reply["opinion"] if tool == "explain" else holder["incidents"][0]["opinion"]
                assert opinion["displayed_cause"] == "data-error", tool
                assert "untrusted" in reply
                assert SECRET not in str(reply)
