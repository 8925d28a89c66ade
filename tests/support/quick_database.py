"""Databases of tests do not wait for the disk, and answer in the thread that asks: a hop costs 0.2 ms.

A test ends processes, never the machine. What threads are for is tested in tests/store, which has them.
A statement is compiled once in a process and not anew for each database, which takes 1 ms a statement.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from sqlalchemy import Engine, create_engine

from babysitter.store import connection, database

SHIPPED_SYNCHRONOUS = database.SYNCHRONOUS
SHIPPED_THREAD = connection.new_thread


class _SameThread(Executor):
    """Does at once what it is given."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        try:
            done.set_result(work(*args, **named))
        except BaseException as fault:  # noqa: BLE001  as a thread does
            done.set_exception(fault)
        return done


def quicken() -> None:
    """Use it in this process from now on."""
    database.SYNCHRONOUS = "OFF"
    connection.new_thread = _SameThread


def share_statements() -> None:
    """Let every SQLite database of this process use the statements that another one has compiled."""
    first = create_engine("sqlite://", query_cache_size=5_000)
    first.connect().close()  # the dialect learns the version of SQLite

    def created(*given: Any, **named: Any) -> Engine:
        engine = create_engine(*given, **named)
        engine.dialect = first.dialect  # a part of the key of a compiled statement
        engine._compiled_cache = first._compiled_cache
        return engine

    database.create_engine = created  # type: ignore[attr-defined]
