"""What a command that only shows something imports: benchmarks/startup.py measures what that costs."""

import asyncio
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from babysitter.model.action import ActionStep, StepState
from babysitter.model.events import ProposalDecided
from babysitter.store.store import open_store
from babysitter.usecases.answering.terminal_answers import decide_terminal_answers
from tests.store.repositories.test_incidents import offered
from tests.support.app import AppHarness, home
from tests.support.offers import offered as offered_at
from tests.support.shell import ME

HEAVY = ("sqlalchemy", "pydantic", "yaml", "aiohttp", "hyperscan", "structlog", "babysitter.playbook.load")
PROGRAM = f"""
import sys
from babysitter.surfaces.cli.commands import run
code = run(sys.argv[1:])
print(code, [name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def loaded(home: Path, *words: str, typed: bytes = b"") -> str:
    """The exit code of a command, and what it imported of the heavy modules. `typed`: at a terminal."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("STATE", "CONFIG", "CACHE")},
    }
    command = [sys.executable, "-c", PROGRAM, *words]
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    at = {"stdin": theirs, "stdout": theirs} if typed else {"stdout": subprocess.PIPE}
    said = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=True, **at)
    os.close(ours)
    os.close(theirs)
    return said.stderr.splitlines()[-1]


@pytest.mark.parametrize("words", ["status", "list", "list --all --json", "status w-1"])
async def test_showing_imports_no_database_library(words: str, tmp_path: Path):
    if "w-1" not in words:
        assert loaded(tmp_path, *words.split()) == "0 []"  # nothing was ever watched
    store = await open_store(tmp_path / "state" / "babysit")
    async with store.transaction() as tx:
        await offered(tx)
    await store.close()
    assert loaded(tmp_path, *words.split()) == "0 ['yaml']"  # the table of causes, 20 ms


def test_preflight_without_a_controller_imports_no_client(tmp_path: Path):
    line = ["iris", "job", "run", "--", "python", "-c", "pass"]
    said = loaded(tmp_path, "preflight", "--json", "--generation", "may", "--", *line)
    assert "aiohttp" not in said
    assert "sqlalchemy" not in said


async def test_refusing_a_program_imports_no_database_library(tmp_path: Path):
    assert loaded(tmp_path, "approve", "p-1") == "4 []"
    store = await open_store(tmp_path / "state" / "babysit")
    async with store.transaction() as tx:
        await offered(tx)
    assert loaded(tmp_path, "approve", "p-1") == "4 []"
    async with store.reading() as tx:
        assert (await tx.events.after(0))[-1].event.kind == "decision-refused"
    await store.close()


async def test_answers_of_the_service_import_no_database_library(tmp_path: Path):
    async with home(tmp_path / "state" / "babysit") as place:
        _, first = await offered_at(place, may_approve=(ME,))
        deciding = asyncio.create_task(decide_and_end(place))
        assert await asyncio.to_thread(loaded, tmp_path, "snooze", first.id) == "0 []"
        approve = ("approve", first.id)
        assert await asyncio.to_thread(loaded, tmp_path, *approve, typed=b"y\n") == "0 []"
        deciding.cancel()
        await asyncio.gather(deciding, return_exceptions=True)
        assert [event.answer for event in await place.events(ProposalDecided)] == ["snooze", "yes"]


async def decide_and_end(place: AppHarness) -> None:
    """The service's part: decide what is left, and note each approved action as done."""
    store, now = place.app.store, place.clock.now()
    while True:
        await decide_terminal_answers(place.app)
        async with store.transaction() as tx:
            for action in await tx.journal.open_actions():
                await tx.journal.write(action, ActionStep.SUBMIT, StepState.DONE, "/ada/dedup-r1", now=now)
                await tx.journal.end(action.proposal, "", now=now)
        await asyncio.sleep(0.01)


async def test_settings_are_validated_once(tmp_path: Path):
    file = tmp_path / "config" / "babysit" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("default_cluster: marin\n")
    assert "pydantic" in loaded(tmp_path, "list")
    assert loaded(tmp_path, "list") == "0 []"
    file.write_text("default_clutser: marin\n")
    assert loaded(tmp_path, "list").startswith("2 ")
