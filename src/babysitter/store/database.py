"""SQLite in a folder, or PostgreSQL at a URL: how transactions begin there, and who may write when."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection as SyncConnection
from sqlalchemy import Engine, NullPool, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import create_async_engine

from babysitter.errors import StorageUnavailable
from babysitter.store.connection import Connection, PostgresConnection, SqliteConnection, is_locked

T = TypeVar("T")

WRITE_WAIT_S = 15.0  # how long a writer waits for other writers, of this process and of others
DRIVER_WAIT_MS = 100  # of that, in the driver at a time: a wait there cannot be cancelled
READ_WAIT_MS = 5_000  # readers wait only while another process opens or closes the file
READERS = 4
SYNCHRONOUS = "FULL"  # a commit is on the disk when it returns, also after a loss of power
# A failover must be noticed: without these, a connection to a host that vanished waits for 15 minutes.
POSTGRES_OPTIONS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "target_session_attrs": "read-write",  # after a failover: never the server that was demoted
}
# Within a transaction that writes: a stopped process gives the lock back when the server ends its session.
_POSTGRES_LIMITS = {"statement_timeout": "30s", "idle_in_transaction_session_timeout": "60s"}
_ONE_WRITER = 0x62616279  # the key of PostgreSQL's advisory lock


class Database(Protocol):
    """Gives out transactions. Writers come one after another; readers see one consistent picture."""

    def writing(self) -> AbstractAsyncContextManager[Connection]: ...

    def reading(self) -> AbstractAsyncContextManager[Connection]: ...

    async def change(self, work: Callable[[SyncConnection], None]) -> None:
        """Do this to the schema, in one transaction."""

    async def inspect(self, work: Callable[[SyncConnection], T]) -> T:
        """Look at the schema; writes nothing and waits for no writer."""

    async def close(self) -> None: ...


class SqliteDatabase:
    """One writing connection and a few reading ones, each opened when it is first needed."""

    def __init__(self, file: Path, *, write_wait_s: float = WRITE_WAIT_S) -> None:
        self.writers = _engine(file, "BEGIN IMMEDIATE", query_only=0, wait_ms=DRIVER_WAIT_MS)
        self.readers = _engine(file, "BEGIN", query_only=1, wait_ms=READ_WAIT_MS)
        self._write_wait_s = write_wait_s
        self._writer: SqliteConnection | None = None
        self._turn = asyncio.Lock()
        self._idle: list[SqliteConnection] = []
        self._places = asyncio.Semaphore(READERS)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        async with self._write() as connection:
            yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        async with self._read() as connection:
            yield connection

    async def change(self, work: Callable[[SyncConnection], None]) -> None:
        async with self._write() as writer:
            await writer.work(work)

    async def inspect(self, work: Callable[[SyncConnection], T]) -> T:
        async with self._read() as reader:
            return await reader.work(work)

    async def close(self) -> None:
        for connection in (self._writer, *self._idle):
            if connection is not None:
                await connection.close()
        self._writer, self._idle = None, []

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[SqliteConnection]:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._write_wait_s
        try:
            async with asyncio.timeout(self._write_wait_s):
                await self._turn.acquire()
        except TimeoutError as fault:
            raise StorageUnavailable(f"busy, other writers took {self._write_wait_s:g} s") from fault
        try:
            if self._writer is None:
                self._writer = await SqliteConnection.opened(self.writers)
            async with self._writer.begin(wait_s=max(0.0, deadline - clock())) as connection:
                yield connection
        except DatabaseError as fault:
            # After an error of the disk a connection may be stuck with it: the next writer opens a new one.
            if self._writer is not None and not is_locked(fault):
                broken, self._writer = self._writer, None
                await broken.close()
            raise
        finally:
            self._turn.release()

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[SqliteConnection]:
        async with self._places:
            reader = await self._free_reader()
            try:
                with reader.reading() as connection:
                    yield connection
            except DatabaseError:
                await reader.close()
                raise
            except BaseException:
                self._idle.append(reader)
                raise
            self._idle.append(reader)

    async def _free_reader(self) -> SqliteConnection:
        while self._idle:
            if (reader := self._idle.pop()).is_usable:
                return reader
            await reader.close()
        return await SqliteConnection.opened(self.readers)


class PostgresDatabase:
    """Connections from a pool. One advisory lock makes writers come one after another, as in SQLite."""

    def __init__(self, url: URL, *, write_wait_s: float = WRITE_WAIT_S) -> None:
        defaults = {name: value for name, value in POSTGRES_OPTIONS.items() if name not in url.query}
        self._engine = create_async_engine(url, pool_pre_ping=True, pool_timeout=10, connect_args=defaults)
        self._reading = self._engine.execution_options(postgresql_readonly=True)
        limits = _POSTGRES_LIMITS | {"lock_timeout": f"{write_wait_s * 1000:.0f}ms"}
        settings = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in limits.items())
        self._take_turn = text(f"SELECT {settings}, pg_advisory_xact_lock({_ONE_WRITER})")

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        async with self._afresh_after_failure(), self._engine.begin() as connection:
            await connection.execute(self._take_turn)
            yield PostgresConnection(connection)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        async with self._afresh_after_failure(), self._reading.begin() as connection:
            yield PostgresConnection(connection)

    async def change(self, work: Callable[[SyncConnection], None]) -> None:
        async with self._afresh_after_failure(), self._engine.begin() as connection:
            await connection.execute(self._take_turn)
            await connection.run_sync(work)

    async def inspect(self, work: Callable[[SyncConnection], T]) -> T:
        async with self._afresh_after_failure(), self._reading.begin() as connection:
            return await connection.run_sync(work)

    async def close(self) -> None:
        await self._engine.dispose()

    @asynccontextmanager
    async def _afresh_after_failure(self) -> AsyncIterator[None]:
        """Forget the pooled connections when one failed: a server that was demoted still answers on them."""
        try:
            yield
        except (DatabaseError, InterfaceError, PoolTimeout):
            await self._engine.dispose()
            raise


def _engine(file: Path, begin: str, *, query_only: int, wait_ms: int) -> Engine:
    """Says BEGIN itself: the driver would begin late, and find out late that somebody else writes."""
    engine = create_engine(f"sqlite:///{file}", poolclass=NullPool, connect_args={"check_same_thread": False})

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: object) -> None:  # noqa: ARG001
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={wait_ms}",
            "journal_mode=WAL",
            f"synchronous={SYNCHRONOUS}",
            f"query_only={query_only}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def start(connection: SyncConnection) -> None:
        connection.exec_driver_sql(begin)

    return engine
