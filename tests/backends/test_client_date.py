"""The build date of the installed client, asked of its own Python."""

import os
import sys
from pathlib import Path

import pytest

from babysitter.backends.iris.connection.client_date import installed_client_date, python_of


def client(folder: Path, date: str) -> Path:
    """An installed client: a script beside an interpreter that has `iris.version`."""
    package = folder / "packages" / "iris"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "version.py").write_text(f"def client_revision_date():\n    return {date!r}\n")
    scripts = folder / "bin"
    scripts.mkdir()
    (scripts / "python").write_text(
        f'#!/bin/sh\nPYTHONPATH={folder / "packages"} exec {sys.executable} "$@"\n'
    )
    (scripts / "iris").write_text("#!/bin/sh\nexit 1\n")
    for script in scripts.iterdir():
        script.chmod(0o755)
    return scripts / "iris"


async def test_client_date_is_the_installed_clients(tmp_path: Path):
    script = client(tmp_path, "2026-11-20")
    assert await installed_client_date([str(script)]) == "2026-11-20"
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "iris"
    link.symlink_to(script)  # as `uv tool install` makes it
    assert await installed_client_date([str(link)]) == "2026-11-20"


async def test_client_date_ignores_the_working_folder(tmp_path: Path):
    script = client(tmp_path, "2026-11-20")
    shadow = tmp_path / "work" / "iris"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("")
    (shadow / "version.py").write_text("def client_revision_date():\n    return '1999-01-01'\n")
    assert await installed_client_date([str(script)], workdir=str(tmp_path / "work")) == "2026-11-20"


@pytest.mark.parametrize("date", ["", "yesterday"])
async def test_client_without_a_date_has_none(tmp_path: Path, date: str):
    assert await installed_client_date([str(client(tmp_path, date))]) == ""


async def test_no_client_has_no_date():
    assert await installed_client_date(["no-such-command-anywhere"]) == ""
    assert await installed_client_date([sys.executable, "-m", "babysitter.sim.iris"]) == ""


@pytest.mark.parametrize(
    ("iris", "python"),
    [
        (("uv", "run", "iris"), ("uv", "run", "python")),
        (("uv", "run", "--project", "/m", "/v/bin/iris"), ("uv", "run", "--project", "/m", "python")),
        (("python3", "-m", "iris.cli.main"), ("python3",)),
        (("no-such-command-anywhere",), ()),
        ((), ()),
    ],
)
def test_python_behind_a_command(iris, python):
    assert python_of(iris) == python


def test_python_beside_a_script(tmp_path: Path):
    script = client(tmp_path, "")
    assert python_of((str(script),)) == (str(tmp_path / "bin" / "python"),)
    os.remove(tmp_path / "bin" / "python")
    assert python_of((str(script),)) == ()
