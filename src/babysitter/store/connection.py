"""One database connection, as the repositories see it: ask, and get all rows of the answer.

SQLite's driver is synchronous. Each connection has a thread of its own and is asked with one hop per
statement; an asynchronous driver over it makes four or five, and those are what a check's time goes into.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection as SyncConnection
from sqlalchemy import CursorResult, Engine, Executable, Row
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from babysitter.waits import waiting_for

T = TypeVar("T")

Parameters = Sequence[Mapping[str, Any]] | Mapping[str, Any] | None

BEGIN_RETRY_PAUSE_S = 0.02


def new_thread() -> Executor:
    """The thread of one connection."""
    return ThreadPoolExecutor(1, thread_name_prefix="babysit-db")


class QueryResult:
    """What a statement brought: its rows, all read, and how many rows it changed."""

    __slots__ = ("_rows", "has_changed", "rowcount")

    def __init__(self, result: CursorResult[Any]) -> None:
        self.rowcount = result.rowcount
        self.has_changed = result.context.isinsert or (
            (result.context.isupdate or result.context.isdelete) and result.rowcount > 0
        )
        self._rows: Sequence[Row[Any]] = result.all() if result.returns_rows else ()

    def __iter__(self) -> Iterator[Row[Any]]:
        return iter(self._rows)

    def all(self) -> Sequence[Row[Any]]:
        return self._rows

    def first(self) -> Row[Any] | None:
        return self._rows[0] if self._rows else None

    def scalar(self) -> Any:
        """The first column of the first row, None when there is no row."""
        return self._rows[0][0] if self._rows else None


class Connection(Protocol):
    """Asks within the transaction that it belongs to."""

    @property
    def has_changed(self) -> bool:
        """Whether a statement of this transaction changed a row."""

    async def execute(self, statement: Executable, parameters: Parameters = None) -> QueryResult: ...

    async def scalar(self, statement: Executable) -> Any: ...


class PostgresConnection:
    """Over the asynchronous driver."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self.has_changed = False

    async def execute(self, statement: Executable, parameters: Parameters = None) -> QueryResult:
        answer = QueryResult(await self._connection.execute(statement, parameters))
        self.has_changed |= answer.has_changed
        return answer

    async def scalar(self, statement: Executable) -> Any:
        return (await self.execute(statement)).scalar()


class SqliteConnection:
    """A connection and its thread. `opened` gives it; transactions on it come one after another."""

    def __init__(self, connection: SyncConnection, thread: Executor) -> None:
        self._connection = connection
        self.has_changed = False
        self._thread = thread
        self._begins_with_statement = False
        self._released: Future[None] | None = None

    @classmethod
    async def opened(cls, engine: Engine) -> "SqliteConnection":
        thread = new_thread()
        return cls(await asyncio.get_running_loop().run_in_executor(thread, engine.connect), thread)

    async def execute(self, statement: Executable, parameters: Parameters = None) -> QueryResult:
        answer = await self.work(lambda bare: QueryResult(bare.execute(statement, parameters)))
        self.has_changed |= answer.has_changed
        return answer

    async def scalar(self, statement: Executable) -> Any:
        return (await self.execute(statement)).scalar()

    @property
    def is_usable(self) -> bool:
        """False when the end of the last reading failed."""
        return self._released is None or not self._released.done() or self._released.exception() is None

    @contextmanager
    def reading(self) -> Iterator["SqliteConnection"]:
        """A transaction that only reads: begun by its first statement, and ended without waiting for it.

        SQLite takes the picture that all statements see at the first of them, so a BEGIN of its own would
        cost a hop and change nothing. The thread does one thing after another, the end included.
        """
        self._begins_with_statement = True
        try:
            yield self
        finally:
            if not self._begins_with_statement:
                with contextlib.suppress(RuntimeError):  # a thread that was shut down holds no transaction
                    self._released = self._thread.submit(self._connection.rollback)
            self._begins_with_statement = False

    async def run(self, work: Callable[[], T]) -> T:
        """Do this in the connection's thread, after whatever it was asked before."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @asynccontextmanager
    async def begin(self, *, wait_s: float = 0.0) -> AsyncIterator["SqliteConnection"]:
        """A transaction: committed at the end of the block, rolled back by any exception.

        `wait_s`: how long a lock of another process is waited for. Whoever waits can be cancelled at once.
        """
        self.has_changed = False
        try:
            with waiting_for("the database of babysit's own state; another process writes to it"):
                await self._begin(wait_s)
            yield self
            await self.run(self._connection.commit)
        except BaseException:
            # Also when cancelled, and then in order: the thread is done with the cancelled statement first.
            # The first failure is reported; a thread that was shut down (RuntimeError) holds no transaction.
            with contextlib.suppress(SQLAlchemyError, RuntimeError):
                await asyncio.shield(self.run(self._connection.rollback))
            raise

    async def _begin(self, wait_s: float) -> None:
        """Begin; try again while the database is locked. A long wait in the driver would hold the thread."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + wait_s
        while True:
            try:
                await self.run(self._connection.begin)
                return
            except OperationalError as fault:
                if not is_locked(fault) or clock() >= deadline:
                    raise
            await asyncio.sleep(BEGIN_RETRY_PAUSE_S)

    async def work(self, work: Callable[[SyncConnection], T]) -> T:
        """Do this with the bare connection, within the transaction."""
        begins_now, self._begins_with_statement = self._begins_with_statement, False

        def in_thread() -> T:
            if begins_now:
                self._connection.begin()
            return work(self._connection)

        return await self.run(in_thread)

    async def close(self) -> None:
        await self.run(self._connection.close)
        self._thread.shutdown(wait=False)


def is_locked(fault: BaseException) -> bool:
    """Whether another process writes to the SQLite file at this moment."""
    return isinstance(fault, OperationalError) and "locked" in str(fault.orig)
