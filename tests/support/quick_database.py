"""Databases of tests do not wait for the disk, and answer in the thread that asks: a hop costs 0.2 ms.

A test ends processes, never the machine. What threads are for is tested in tests/store, which has them.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

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
