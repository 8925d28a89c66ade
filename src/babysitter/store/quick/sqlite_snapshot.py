"""One consistent picture of the SQLite file of the store, with sqlite3 alone (docs/adr/0010).

What decodes rows into values is in `sqlite_reader.py`: importing it takes four times as long.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from babysitter.store.schema.version import VERSION

LOCK_WAIT_S = 0.5
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOMENTS = frozenset({"at", "gone_since", "hold_until", "snoozed_until", "snooze_until", "alive_until"})


class NotReadable(Exception):
    """This file cannot be read by the short way; nothing is known of its content."""


class SqliteSnapshot:
    """One consistent picture of a SQLite store, while others may write.

    with SqliteSnapshot(file) as snapshot:
        is_corrected = snapshot.has_corrections()
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        with translated():
            self._connection = sqlite3.connect(
                f"{self._file.absolute().as_uri()}?mode=rw",
                uri=True,
                timeout=LOCK_WAIT_S,
                isolation_level=None,
            )
            self._connection.row_factory = _as_mapping
            self._connection.execute("PRAGMA query_only=1")
            self._connection.execute("BEGIN")
            found = self.rows("SELECT value FROM meta WHERE key = 'version'")
            if [row["value"] for row in found] != [str(VERSION)]:
                raise NotReadable
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()

    def has_corrections(self) -> bool:
        """Whether a person called a diagnosis wrong."""
        return bool(self.rows("SELECT 1 AS found FROM feedback WHERE NOT was_right LIMIT 1"))

    def rows(self, statement: str, *values: str, **named: str | int) -> Sequence[dict[str, Any]]:
        """Return what a query finds, one mapping from column to value for each row. Raises NotReadable."""
        assert self._connection is not None
        with translated():
            return self._connection.execute(statement, named or values).fetchall()


def _as_mapping(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    names = (column[0] for column in cursor.description)
    return {
        name: _moment(value) if is_moment(name) else value for name, value in zip(names, row, strict=True)
    }


def is_moment(column: str) -> bool:
    """Whether a column of this name holds microseconds since 1970."""
    return column.endswith("_at") or column in _MOMENTS


def _moment(value: int | None) -> datetime | None:
    return None if value is None else EPOCH + timedelta(microseconds=value)


@contextmanager
def translated() -> Iterator[None]:
    """Raise NotReadable for what a file that is not as expected raises."""
    try:
        yield
    except (sqlite3.Error, msgspec.MsgspecError, ValueError, TypeError, KeyError, OverflowError) as fault:
        raise NotReadable(str(fault)) from fault
