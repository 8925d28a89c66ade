"""A PostgreSQL server of our own in a temporary folder, where its programs are installed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_WITHIN_S = 60


def program(name: str) -> str | None:
    """Where a program of PostgreSQL is; Debian keeps most of them out of PATH."""
    found = shutil.which(name) or next(
        (
            str(each / name)
            for each in sorted(Path("/usr/lib/postgresql").glob("*/bin"))
            if (each / name).exists()
        ),
        None,
    )
    can_run = os.geteuid() != 0 or shutil.which("runuser") is not None  # it refuses to run as root
    return found if can_run else None


@contextmanager
def postgres() -> Iterator[str]:
    """A running server, reached through a socket in its folder; the URL lacks the database's name."""
    with TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        _run("initdb", "-D", f"{folder}/data", "-U", "babysit", "-A", "trust", "-E", "UTF8", "--no-sync")
        _run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-o", options, "-w", "start")
        try:
            yield f"postgresql://babysit@/{{database}}?host={folder}"
        finally:
            _run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")


def _run(name: str, *arguments: str) -> None:
    path = program(name)
    assert path is not None
    as_somebody = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run(
        [*as_somebody, path, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=_WITHIN_S, cwd="/"
    )
