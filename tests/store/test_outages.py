"""A database that cannot be written or read for a while: what is said, what is left, how it goes on."""

import asyncio
import itertools
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from babysitter.errors import StorageUnavailable, Unreachable
from babysitter.model.ids import JobId, WatchId
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.store import Store, open_store
from tests.support import build
from tests.support.locked import locked
from tests.support.postgres import PostgresServer, program

_numbers = itertools.count(1)
Noted = list[tuple[str, bool]]


@asynccontextmanager
async def impatient(folder: Path, noted: Noted | None = None) -> AsyncIterator[Store]:
    """A store that waits for no lock."""
    heard = [] if noted is None else noted
    store = await open_store(
        folder, lambda fault, took_s: heard.append((fault, took_s >= 0)), write_wait_s=0.05
    )
    try:
        yield store
    finally:
        await store.close()


async def add(store: Store, name: str) -> None:
    async with store.transaction() as tx:
        await tx.watches.add(build.watch(id=WatchId(name), root=JobId(f"/ada/{name}")))


async def names(store: Store) -> list[str]:
    async with store.reading() as tx:
        return [watch.id for watch in await tx.watches.all()]


async def test_write_behind_a_lock_fails_and_reads_go_on(tmp_path: Path):
    noted: Noted = []
    async with impatient(tmp_path, noted) as store:
        await add(store, "w-before")
        with locked(tmp_path):
            with pytest.raises(StorageUnavailable, match=r"database is locked.*nothing was changed"):
                await add(store, "w-during")
            assert await names(store) == ["w-before"]
        await add(store, "w-after")
        assert sorted(await names(store)) == ["w-after", "w-before"]
    assert [bool(fault) for fault, _ in noted] == [False, True, False]


async def test_write_waits_for_a_lock_that_ends(tmp_path: Path):
    store = await open_store(tmp_path)
    with locked(tmp_path):
        writing = asyncio.create_task(add(store, "w-1"))
        for _ in range(3):
            await names(store)
        assert not writing.done()
    await writing
    assert await names(store) == ["w-1"]
    await store.close()


async def test_write_behind_a_lock_can_be_cancelled(tmp_path: Path):
    store = await open_store(tmp_path)
    with locked(tmp_path):
        writing = asyncio.create_task(add(store, "w-1"))
        await names(store)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    await add(store, "w-2")
    assert await names(store) == ["w-2"]
    await store.close()


async def test_writers_that_queue_do_not_wait_for_ever(tmp_path: Path):
    async with impatient(tmp_path) as store, store.transaction():
        with pytest.raises(StorageUnavailable, match="busy"):
            await add(store, "w-1")


async def test_open_while_locked_reads_what_is_there(tmp_path: Path):
    first = await open_store(tmp_path)
    await add(first, "w-1")
    with locked(tmp_path):
        second = await open_store(tmp_path)
        assert await names(second) == ["w-1"]
        await second.close()
    await first.close()


async def test_open_of_an_empty_database_while_locked(tmp_path: Path):
    sqlite3.connect(tmp_path / FILE_NAME).execute("PRAGMA journal_mode=WAL").close()
    with locked(tmp_path), pytest.raises(Unreachable, match="locked by another process"):
        await open_store(tmp_path, write_wait_s=0.05)


async def test_full_disk_leaves_nothing_and_is_over_with_room(tmp_path: Path):
    async with impatient(tmp_path) as store:
        await add(store, "w-before")

        async def fill() -> None:
            async with store.transaction() as tx:
                connection = tx.watches._connection
                pages = await connection.scalar(text("PRAGMA page_count"))
                await connection.execute(text(f"PRAGMA max_page_count={pages}"))
                for number in range(1000):
                    await tx.watches.add(build.watch(id=WatchId(f"w-{number}"), root=JobId(f"/a/{number}")))

        with pytest.raises(StorageUnavailable, match="disk is full"):
            await fill()
        await add(store, "w-after")  # by a new connection, which has room
        assert sorted(await names(store)) == ["w-after", "w-before"]


async def test_fault_of_our_own_is_not_an_outage(tmp_path: Path):
    noted: Noted = []
    async with impatient(tmp_path, noted) as store:

        async def add_twice() -> None:
            async with store.transaction() as tx:
                for _ in range(2):
                    await tx.watches._connection.execute(
                        text("INSERT INTO clusters (name, description) VALUES ('a', '')")
                    )

        with pytest.raises(IntegrityError, match="UNIQUE"):
            await add_twice()
    assert noted == []


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that these tests may stop."""
    if program("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    with PostgresServer.running() as started:
        yield started


@pytest.fixture
def database(own_server: PostgresServer) -> str:
    """The URL of a new database on it."""
    name = f"outage_{next(_numbers)}"
    own_server.execute(f"CREATE DATABASE {name}")
    return own_server.url(name)


async def test_postgres_that_stops_and_starts_is_used_again(own_server: PostgresServer, database: str):
    noted: Noted = []
    store = await open_store(database, lambda fault, _: noted.append((fault, True)))
    await add(store, "w-before")
    own_server.stop()
    with pytest.raises(StorageUnavailable):
        await add(store, "w-during")
    with pytest.raises(StorageUnavailable):
        await names(store)
    own_server.start()
    await add(store, "w-after")
    assert sorted(await names(store)) == ["w-after", "w-before"]
    assert [bool(fault) for fault, _ in noted] == [False, True, False]
    await store.close()


async def test_postgres_that_became_read_only_is_an_outage(own_server: PostgresServer, database: str):
    store = await open_store(database)
    own_server.execute("ALTER ROLE babysit SET default_transaction_read_only = on")
    await store._database._engine.dispose()  # as after a failover: new connections meet the standby
    with pytest.raises(StorageUnavailable):
        await add(store, "w-during")
    own_server.execute(
        "SET default_transaction_read_only = off", "ALTER ROLE babysit RESET default_transaction_read_only"
    )
    await add(store, "w-after")
    assert await names(store) == ["w-after"]
    await store.close()


async def test_postgres_writer_does_not_wait_for_ever(database: str):
    first = await open_store(database)
    second = await open_store(database, write_wait_s=0.05)
    async with first.transaction():
        with pytest.raises(StorageUnavailable, match="lock timeout"):
            await add(second, "w-1")
    await add(second, "w-2")
    await first.close()
    await second.close()
