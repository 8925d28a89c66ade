"""SQLite in a folder, or PostgreSQL at a URL: how transactions begin there, and who may write when."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection as SyncConnection
from sqlalchemy import Engine, NullPool, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from babysitter.store.connection import Connection, PostgresConnection, SqliteConnection

BUSY_MS = 15_000  # how long a writer waits for the writer of another process
READERS = 4
_ONE_WRITER = 0x62616279  # the key of PostgreSQL's advisory lock


class Database(Protocol):
    """Gives out transactions. Writers come one after another; readers see one consistent picture."""

    def writing(self) -> AbstractAsyncContextManager[Connection]: ...

    def reading(self) -> AbstractAsyncContextManager[Connection]: ...

    async def change(self, work: Callable[[SyncConnection], None]) -> None:
        """Do this to the schema, in one transaction."""

    async def close(self) -> None: ...


class SqliteDatabase:
    """One writing connection and a few reading ones, each opened when it is first needed."""

    def __init__(self, file: Path) -> None:
        self.writers = _engine(file, "BEGIN IMMEDIATE", query_only=0)
        self.readers = _engine(file, "BEGIN", query_only=1)
        self._writer: SqliteConnection | None = None
        self._turn = asyncio.Lock()
        self._idle: list[SqliteConnection] = []
        self._places = asyncio.Semaphore(READERS)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        async with self._turn:
            if self._writer is None:
                self._writer = await SqliteConnection.opened(self.writers)
            async with self._writer.begin() as connection:
                yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        async with self._places:
            reader = self._idle.pop() if self._idle else await SqliteConnection.opened(self.readers)
            try:
                async with reader.begin() as connection:
                    yield connection
            finally:
                self._idle.append(reader)

    async def change(self, work: Callable[[SyncConnection], None]) -> None:
        async with self.writing():
            assert self._writer is not None
            await self._writer.work(work)

    async def close(self) -> None:
        for connection in (self._writer, *self._idle):
            if connection is not None:
                await connection.close()
        self._writer, self._idle = None, []


class PostgresDatabase:
    """Connections from a pool. One advisory lock makes writers come one after another, as in SQLite."""

    def __init__(self, url: URL) -> None:
        self._engine = create_async_engine(url, pool_pre_ping=True)
        self._reading = self._engine.execution_options(postgresql_readonly=True)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        async with self._engine.begin() as connection:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_ONE_WRITER})"))
            yield PostgresConnection(connection)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        async with self._reading.begin() as connection:
            yield PostgresConnection(connection)

    async def change(self, work: Callable[[SyncConnection], None]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_ONE_WRITER})"))
            await connection.run_sync(work)

    async def close(self) -> None:
        await self._engine.dispose()


def _engine(file: Path, begin: str, *, query_only: int) -> Engine:
    """Says BEGIN itself: the driver would begin late, and find out late that somebody else writes."""
    engine = create_engine(f"sqlite:///{file}", poolclass=NullPool, connect_args={"check_same_thread": False})

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: object) -> None:  # noqa: ARG001
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={BUSY_MS}",
            "journal_mode=WAL",
            "synchronous=FULL",
            f"query_only={query_only}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def start(connection: SyncConnection) -> None:
        connection.exec_driver_sql(begin)

    return engine
