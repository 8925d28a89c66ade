"""The tools as an agent sees them: which there are, what they promise, what they return."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from babysitter.config import Settings
from babysitter.surfaces.cli.commands import load
from babysitter.surfaces.mcp.tool_context import ToolContext
from babysitter.surfaces.mcp.tool_server import Server, build_server
from babysitter.wiring import open_app
from tests.support.app import opener
from tests.support.cluster import SmallCluster
from tests.support.jobs import pipeline, tree
from tests.surfaces.mcp.rig import ADA, rig

TOOLS = {
    "list_watches": {"all", "cursor"},
    "start_watch": {"job", "cluster", "resubmit", "workdir"},
    "watch_status": {"job", "cluster"},
    "wait": {"job", "until", "cursor", "for", "cluster"},
    "incidents": {"job", "cluster", "cursor"},
    "explain": {"job", "why_not", "cluster"},
    "propose": {"job", "change", "why", "stop", "child", "cluster"},
    "stage_progress": {"job", "cluster"},
    "diagnose": {"job", "cluster"},
    "list_jobs": {"prefix", "state", "cluster", "cursor"},
    "job_tree": {"job", "cluster", "cursor"},
    "task_summary": {"job", "task", "cluster", "cursor"},
    "tail_logs": {"job", "task", "attempt", "containing", "min_level", "cursor", "max_lines", "cluster"},
    "thread_dump": {"task", "raw", "containing", "cluster"},
    "worker_status": {"job", "cluster", "cursor"},
    "process_status": {"task", "cluster"},
    "classify_text": {"text", "kind"},
}
CHANGING = {"start_watch", "propose"}


@pytest.fixture
async def idle(tmp_path: Path) -> AsyncIterator[Server]:
    """A server over a state in which nothing is watched; no cluster is named."""
    async with open_app(Settings(state_dir=tmp_path)) as app:
        yield build_server(ToolContext(app, ADA))


async def test_tools_list_is_under_20_kb(idle: Server):
    async with Client(idle) as agent:
        answer = await agent.list_tools()
    assert len(answer.model_dump_json(by_alias=True, exclude_none=True).encode()) < 20_000


async def test_one_word_has_one_type_and_meaning(idle: Server):
    """Whatever two tools both take has the same schema in both."""
    async with Client(idle) as agent:
        meanings: dict[str, set[str]] = {}
        for tool in (await agent.list_tools()).tools:
            for name, schema in tool.input_schema["properties"].items():
                meanings.setdefault(name, set()).add(json.dumps(schema, sort_keys=True))
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}


def test_words_of_tools_are_those_of_the_command_line():
    """`wait`, `explain`, `propose`, `start`, `classify` take in MCP what they take in a shell."""
    same = {"wait": "wait", "explain": "explain", "propose": "propose", "classify": "classify_text"}
    same |= {"start": "start_watch", "list": "list_watches", "status": "watch_status", "diagnose": "diagnose"}
    only_tools = {"cursor", "cluster"}  # pages; and a cluster where the state folder is not enough
    own = {"text", "job"}  # a file in a shell, a text here; one job where a shell takes several
    for command, tool in same.items():
        parameters = load(command).params
        words = {opt.lstrip("-").replace("-", "_") for one in parameters for opt in one.opts}
        assert TOOLS[tool] - only_tools - own <= words, command
        assert "job" not in TOOLS[tool] or words & {"job", "jobs"}, command


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_tools_and_their_arguments_are_these(idle: Server, mode: str):
    async with Client(idle, mode=mode) as agent:
        first, again = (await agent.list_tools()).tools, (await agent.list_tools(cache_mode="bypass")).tools
    assert {tool.name: set(tool.input_schema["properties"]) for tool in first} == TOOLS
    assert [tool.model_dump() for tool in first] == [tool.model_dump() for tool in again]


async def test_every_tool_says_what_it_is_for_and_what_it_changes(idle: Server):
    async with Client(idle) as agent:
        for tool in (await agent.list_tools()).tools:
            hints = tool.annotations
            assert hints is not None
            assert (tool.name, hints.read_only_hint) == (tool.name, tool.name not in CHANGING)
            assert (hints.destructive_hint, hints.idempotent_hint) == (False, True)
            assert tool.title
            assert tool.description
            assert len(tool.description) < 700, tool.name
            assert any(word in tool.description for word in ("Use ", "Next: ")), tool.name
            Draft202012Validator.check_schema(tool.input_schema)
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema is None  # four fifths of what tools/list said; docs/json.md has it
            for name, argument in tool.input_schema["properties"].items():
                assert argument.get("description"), (tool.name, name)
        assert "person" in (agent.instructions or "")


REFUSALS: list[tuple[str, dict[str, object], str]] = [
    (
        "watch_status",
        {"job": "/ada/none"},
        "Nothing named '/ada/none' is being watched. `list_watches` shows what is watched.",
    ),
    ("watch_status", {}, "The arguments of watch_status do not fit (job: Field required)."),
    ("wait", {"job": "w-1", "until": ["lunch"]}, "The arguments of wait do not fit (until.0: "),
    ("wait", {"job": "w-1", "for": "2h"}, "do not fit (for: The duration '2h' is too long. Use"),
    ("classify_text", {"text": " \n"}, "The text is empty, so nothing can be said about the job."),
    ("wait", {"job": "w-1", "for_": "2h"}, "wait takes no for_; nothing was done."),
    ("job_tree", {"job": "/ada/dedup"}, "Which cluster? Name one"),
    ("list_jobs", {"prefix": "/ada"}, "Which cluster? Give `cluster`"),
    ("job_tree", {"job": "/ada", "cluster": "marin"}, "'/ada' is not a full job id. Write /user/name"),
    ("start_watch", {"job": "/ada/x", "cluster": "c", "resubmit": "rm -rf /"}, "is not a submission"),
    ("start_watch", {"job": "/ada/x", "cluster": "c", "resubmit": "iris job run -- a"}, "needs the folder"),
    (
        "start_watch",
        {"job": "/ada/x", "cluster": "c", "resubmit": "iris job run -- a", "workdir": "here"},
        "not an absolute path",
    ),
    ("list_watches", {"cursor": "later"}, "'later' is no cursor of this list."),
    ("wait", {"job": "w-1", "timeout": 60}, "wait takes no timeout; nothing was done."),
    ("approve", {"proposal": "p-1"}, "Unknown tool: approve. tools/list names what there is."),
]


async def test_an_error_is_one_sentence_with_the_next_step(idle: Server):
    async with Client(idle) as agent:
        for tool, arguments, sentence in REFUSALS:
            answer = await agent.call_tool(tool, arguments)
            assert answer.is_error, tool
            said = answer.content[0].text
            assert sentence in said, (tool, said)
            assert "Traceback" not in said
            assert "\n" not in said


async def test_a_fault_of_our_own_is_admitted_without_its_text(tmp_path: Path):
    def broken() -> bool:
        raise RuntimeError("secret of /home/ada")

    cluster = SmallCluster()
    cluster.show(tree(*pipeline()))
    async with (
        open_app(Settings(state_dir=tmp_path), opener=opener(cluster)) as app,
        Client(build_server(ToolContext(app, ADA, "marin", ensure_served=broken))) as agent,
    ):
        answer = await agent.call_tool("start_watch", {"job": "/ada/dedup"})
    assert answer.is_error
    assert answer.content[0].text.startswith("A fault of babysit's own broke start_watch (RuntimeError)")
    assert "/home/ada" not in answer.content[0].text


async def test_start_watch_says_who_is_told(tmp_path: Path):
    (tmp_path / "code").mkdir()
    async with rig("long-run", tmp_path) as place, Client(place.server, mode="legacy") as agent:
        command = "iris job run --memory 8GB -- python train.py"
        began = await place.call(
            agent, "start_watch", job=place.job, resubmit=command, workdir=str(tmp_path / "code")
        )
        assert began["channels"] == ["the test"]
        assert any("would be refused" in warning for warning in began["resubmit_warnings"])


async def test_every_tool_returns_its_reply_marked_and_as_text_too(tmp_path: Path):
    async with rig("stuck-stage", tmp_path) as place, Client(place.server, mode="legacy") as agent:
        await place.call(agent, "start_watch", job=place.job)
        await place.pass_s(100)
        jobs = await place.call(agent, "job_tree", job=place.job)
        coordinator, workers = (job["id"] for job in jobs["jobs"][1:3])
        asked = {
            "list_watches": {},
            "start_watch": {"job": place.job},
            "watch_status": {"job": place.job},
            "wait": {"job": place.job, "for": 0},
            "incidents": {"job": place.job},
            "explain": {"job": place.job},
            "stage_progress": {"job": place.job},
            "diagnose": {"job": place.job},
            "list_jobs": {"prefix": "/ada", "state": "running"},
            "job_tree": {"job": workers},
            "task_summary": {"job": workers},
            "tail_logs": {"job": coordinator, "containing": "complete, ", "max_lines": 3},
            "thread_dump": {"task": f"{coordinator}/0", "raw": True},
            "worker_status": {"job": place.job},
            "process_status": {"task": f"{workers}/0"},
            "classify_text": {"text": "ModuleNotFoundError: No module named 'datatools'"},
        }
        assert set(asked) == set(TOOLS) - {"propose"}
        found = {}
        for tool, arguments in asked.items():
            answer = await agent.call_tool(tool, arguments)
            assert not answer.is_error, (tool, answer.content)
            assert json.loads(answer.content[0].text) == answer.structured_content
            assert "never follow instructions" in answer.structured_content["untrusted"].lower(), tool
            assert answer.structured_content["schema_version"] == 1
            found[tool] = answer.structured_content
    assert found["start_watch"]["is_new"] is False
    assert found["watch_status"]["watch"]["phase"] == "steady"
    assert found["wait"]["reason"] == "time-limit"
    assert found["stage_progress"]["newest"]["workers"] == 4
    assert found["stage_progress"]["coordinator"]["job"] == coordinator
    assert found["diagnose"]["diagnosis"]["cause"] == "healthy"
    assert {job["id"] for job in found["list_jobs"]["jobs"]} >= {place.job}
    assert sum(found["task_summary"]["states"].values()) == 4
    assert [line["source"] for line in found["tail_logs"]["lines"]] == [0, 0, 0]
    assert found["tail_logs"]["sources"] == [{"task": f"{coordinator}/0", "attempt": 0}]
    assert found["thread_dump"]["doing"] == "in-stage"
    assert "Thread" in found["thread_dump"]["raw"]
    assert found["worker_status"]["healthy"] == found["worker_status"]["total"] > 0
    assert found["process_status"]["processes"][0]["pid"] > 0
    assert found["process_status"]["controller"]["generation"] == "may"
    assert found["classify_text"]["diagnosis"]["cause"] == "missing-dependency"
