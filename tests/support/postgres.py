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
            str(path / name)
            for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"))
            if (path / name).exists()
        ),
        None,
    )
    can_run = os.geteuid() != 0 or shutil.which("runuser") is not None  # it refuses to run as root
    return found if can_run else None


class PostgresServer:
    """A server in its folder, reached through a socket there. It can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    @contextmanager
    def running() -> "Iterator[PostgresServer]":
        """A new server, gone with its folder at the end."""
        with TemporaryDirectory(prefix="pg-") as name:
            folder = Path(name)
            if os.geteuid() == 0:
                shutil.chown(folder, "postgres")
            _run("initdb", "-D", f"{folder}/data", "-U", "babysit", "-A", "trust", "-E", "UTF8", "--no-sync")
            server = PostgresServer(folder)
            server.start()
            try:
                yield server
            finally:
                server.stop()

    def url(self, database: str) -> str:
        return f"postgresql://babysit@/{database}?host={self._folder}"

    def start(self) -> None:
        """Return when connections are accepted."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off"
        _run(
            "pg_ctl", "-D", f"{self._folder}/data", "-l", f"{self._folder}/log", "-o", options, "-w", "start"
        )

    def stop(self) -> None:
        """As by a crash: every connection breaks. Harmless when it is stopped."""
        if (self._folder / "data" / "postmaster.pid").exists():
            _run("pg_ctl", "-D", f"{self._folder}/data", "-m", "immediate", "-w", "stop")

    def execute(self, *statements: str) -> object:
        """Run each statement by itself, on one connection; the first column of the last answer."""
        import psycopg

        found: object = None
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
                row = cursor.fetchone() if cursor.description else None
                found = row[0] if row else None
        return found


@contextmanager
def postgres() -> Iterator[str]:
    """A running server; the URL lacks the database's name."""
    with PostgresServer.running() as server:
        yield server.url("{database}")


def _run(name: str, *arguments: str) -> None:
    path = program(name)
    assert path is not None
    as_somebody = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run(
        [*as_somebody, path, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=_WITHIN_S, cwd="/"
    )
