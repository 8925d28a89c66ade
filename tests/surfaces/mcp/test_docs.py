"""docs/mcp.md says which tools there are; its table is the server's own."""

import re
from pathlib import Path

import pytest
from mcp import Client

from babysitter.config import Settings
from babysitter.surfaces.cli.commands import load
from babysitter.surfaces.mcp.tool_context import ToolContext
from babysitter.surfaces.mcp.tool_server import build_server
from babysitter.wiring import open_app
from tests.surfaces.mcp.rig import ADA

MANUAL = Path(__file__).parents[3] / "docs" / "mcp.md"


async def test_the_table_of_tools_is_the_servers(tmp_path: Path):
    async with (
        open_app(Settings(state_dir=tmp_path)) as app,
        Client(build_server(ToolContext(app, ADA))) as agent,
    ):
        tools = (await agent.list_tools()).tools
    rows = ["| tool | what it does |", "|---|---|"]
    for tool in tools:
        assert tool.annotations is not None
        what = " ".join((tool.description or "").split("\n\n")[0].split())
        rows.append(
            f"| `{tool.name}` | {what}{'' if tool.annotations.read_only_hint else ' **Not read-only.**'} |"
        )
    table = "\n".join(rows)
    assert table in MANUAL.read_text(encoding="utf-8"), f"put this table into {MANUAL.name}:\n{table}"


@pytest.mark.parametrize("command", ["mcp", "propose"])
def test_the_manual_names_real_options(command: str):
    real = {option for parameter in load(command).params for option in parameter.opts}
    examples = re.findall(rf"babysit {command} ([^\n`]*)", MANUAL.read_text(encoding="utf-8"))
    assert examples
    assert {word for example in examples for word in re.findall(r"--[a-z-]+", example)} <= real
