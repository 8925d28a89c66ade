"""Every moment at which a process can be killed between a thought and its effect, counted from outside.

The product has no hooks for this: commits are seen in the database driver, calls in the HTTP client.
"""

import os
import signal
from collections.abc import Callable
from typing import Any

import aiohttp
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.engine.default import DefaultDialect

_WRITES = ("INSERT", "UPDATE", "DELETE")


class Points:
    """Counts points; at number `kill_at` (from 1) the process ends as by `kill -9`. 0 = only count.

    With a `label` only the points of that label are counted: side by side, tasks do not always pass by theirs
    in the same order.
    """

    def __init__(self, kill_at: int = 0, label: str = "", tell: Callable[[str], None] | None = None) -> None:
        self._kill_at = kill_at
        self._label = label
        self._passed = 0
        self._tell = tell
        self.labels: list[str] = []

    def pass_by(self, label: str) -> None:
        self.labels.append(label)
        self._passed += self._label in ("", label)
        if self._passed == self._kill_at and self._label in ("", label):
            if self._tell is not None:
                self._tell(label)
            os.kill(os.getpid(), signal.SIGKILL)


def install(points: Points) -> None:
    """Have every writing statement, commit and outside call of this process pass by. For good."""
    _watch_database(points)
    _watch_calls(points)


def _watch_database(points: Points) -> None:
    written: set[int] = set()  # connections with something to commit

    @event.listens_for(Engine, "before_cursor_execute")
    def before(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        words = statement.split(None, 3)
        if words[0].upper() in _WRITES:
            written.add(id(connection.connection.dbapi_connection))
            table = next(word for word in words[1:] if word.upper() not in ("INTO", "FROM", "OR"))
            points.pass_by(f"write {table.strip('(').lower()}")

    commit = DefaultDialect.do_commit

    def do_commit(dialect: DefaultDialect, connection: Any) -> None:
        is_written = id(getattr(connection, "dbapi_connection", connection)) in written
        written.clear()
        if is_written:
            points.pass_by("before commit")
        commit(dialect, connection)
        if is_written:
            points.pass_by("after commit")

    DefaultDialect.do_commit = do_commit  # type: ignore[method-assign]


def _watch_calls(points: Points) -> None:
    request = aiohttp.ClientSession._request

    async def _request(session: Any, method: str, url: Any, **rest: Any) -> Any:
        name = str(url).partition("?")[0].rpartition("/")[2] or "socket"
        points.pass_by(f"before {name}")
        answer = await request(session, method, url, **rest)
        points.pass_by(f"after {name}")
        return answer

    aiohttp.ClientSession._request = _request  # type: ignore[method-assign]
