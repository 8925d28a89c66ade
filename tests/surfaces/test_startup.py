"""What a command that only shows something imports: benchmarks/startup.py measures what that costs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from babysitter.store.store import open_store
from tests.store.test_incidents import offered

HEAVY = ("sqlalchemy", "pydantic", "yaml", "aiohttp", "hyperscan", "structlog", "babysitter.playbook.load")
PROGRAM = f"""
import sys
from babysitter.surfaces.cli.commands import run
code = run(sys.argv[1:])
print(code, [name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def loaded(home: Path, *words: str) -> str:
    """The exit code of a command, and what it imported of the heavy modules."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("STATE", "CONFIG", "CACHE")},
    }
    command = [sys.executable, "-c", PROGRAM, *words]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
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


async def test_refusing_a_program_imports_no_database_library(tmp_path: Path):
    assert loaded(tmp_path, "approve", "p-1") == "4 []"
    store = await open_store(tmp_path / "state" / "babysit")
    async with store.transaction() as tx:
        await offered(tx)
    assert loaded(tmp_path, "approve", "p-1") == "4 []"
    async with store.reading() as tx:
        assert (await tx.events.after(0))[-1].event.kind == "decision-refused"
    await store.close()


async def test_settings_are_validated_once(tmp_path: Path):
    file = tmp_path / "config" / "babysit" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("default_cluster: marin\n")
    assert "pydantic" in loaded(tmp_path, "list")
    assert loaded(tmp_path, "list") == "0 []"
    file.write_text("default_clutser: marin\n")
    assert loaded(tmp_path, "list").startswith("2 ")
