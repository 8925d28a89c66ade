"""`babysit mcp` and `babysit propose`: what they print, and with which code they end."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from babysitter.model.ids import TaskId
from babysitter.model.job import Task, TaskState
from babysitter.surfaces.cli.commands import run
from tests.engine.test_check import seconds
from tests.support.app import home
from tests.support.build import ROOT
from tests.support.jobs import F, raw, tree
from tests.support.waiting import HANG_S


def failed(folder: Path, last_line: str) -> None:
    """A state in which a watched job has failed with this line."""

    async def happen() -> None:
        async with home(folder) as place:
            place.cluster.show(tree())
            await place.watch()
            await place.pass_s(90)
            lines = ("Traceback (most recent call last):", '  File "/app/d.py", line 3, in run', last_line)
            place.cluster.log += [raw(seconds(place), text) for text in lines]
            place.cluster.show(tree(root=F))
            task = Task(TaskId(f"{ROOT}/0"), TaskState.FAILED, 1, "Exit code: 1")
            place.cluster.tasks_of[ROOT] = (task,)
            await place.pass_s(60)

    asyncio.run(happen())


def test_an_offer_that_stands_is_printed_for_people_and_for_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    failed(tmp_path, "ConnectionResetError: [Errno 104] Connection reset by peer")
    asked = ["propose", ROOT, "--why", "The peer is back.", "--state-dir", str(tmp_path)]
    assert run([*asked, "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert (reply["schema_version"], reply["is_new"], reply["may_approve"]) == (1, False, ["U-ada"])
    assert reply["proposal"]["job"] == ROOT
    assert reply["proposal"]["status"] == "open"
    assert run(asked) == 0
    said = capsys.readouterr().out
    assert "This restart was proposed already." in said
    assert f"babysit approve {reply['proposal']['id']}" in said


def test_what_policy_forbids_ends_with_its_own_code_and_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    failed(tmp_path, "KeyError: 'language'")
    assert run(["propose", ROOT, "--why", "Try again.", "--state-dir", str(tmp_path), "--json"]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "No restart of /ada/dedup may be proposed for code-error" in said.err


def test_an_unknown_watch_is_the_callers_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["propose", "/ada/none", "--why", "x", "--state-dir", str(tmp_path)]) == 2
    assert "Nothing named '/ada/none' is being watched." in capsys.readouterr().err


@pytest.mark.parametrize(("flag", "code"), [("", 4), ("--json", 4), ("--yes", 2), ("--force", 2)])
def test_a_program_without_a_terminal_cannot_approve(flag: str, code: int, tmp_path: Path):
    flags = [flag] if flag else []
    assert run(["approve", "p-0a1b2c3d4e", "--state-dir", str(tmp_path), *flags]) == code


def test_without_the_package_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert run(["mcp", "--state-dir", str(tmp_path)]) == 2
    assert "pip install 'babysitter[mcp]'" in capsys.readouterr().err


def test_an_empty_token_is_no_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "token").write_text("\n")
    file = str(tmp_path / "token")
    assert run(["mcp", "--http", "--port", "0", "--token-file", file, "--state-dir", str(tmp_path)]) == 2
    assert "is empty" in capsys.readouterr().err


def test_a_client_that_is_gone_without_a_word_is_no_fault(tmp_path: Path):
    command = [sys.executable, "-m", "babysitter", "mcp", "--state-dir", str(tmp_path)]
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdout.close()
        server.stdin.write(json.dumps(ask) + "\n")
        server.stdin.close()
        assert server.wait(HANG_S) == 0
        assert server.stderr.read() == ""


def test_other_commands_do_not_pay_for_it():
    command = [sys.executable, "-X", "importtime", "-m", "babysitter", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=True)
    assert "mcp" in said.stdout
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in said.stderr.splitlines()}
    assert "typer" in imported
    assert not imported & {"mcp", "uvicorn", "starlette"}
