"""Every test of the store runs on SQLite, and on PostgreSQL where it is installed."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from babysitter.store import connection
from babysitter.store.store import Store, open_store
from tests.support.postgres import postgres, program
from tests.support.quick_database import SHIPPED_THREAD

_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def _shipped_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "new_thread", SHIPPED_THREAD)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if program("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres() as url:
        yield url


@pytest.fixture
def new_database(server: str) -> Callable[[], str]:
    """Create an empty database on the server; give its URL."""

    def create() -> str:
        import psycopg

        name = f"test_{next(_numbers)}"
        with psycopg.connect(server.format(database="postgres"), autocommit=True) as opened:
            opened.execute(f"CREATE DATABASE {name}")
        return server.format(database=name)

    return create


@pytest.fixture
def database(new_database: Callable[[], str]) -> str:
    """A new database on the server."""
    return new_database()


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    is_sqlite = request.param == "sqlite"
    opened = await open_store(tmp_path / "state" if is_sqlite else request.getfixturevalue("database"))
    yield opened
    await opened.close()
