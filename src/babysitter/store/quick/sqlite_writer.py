"""One small transaction with sqlite3 alone, for a command that writes nothing else (docs/adr/0010)."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from babysitter.store.quick.sqlite_snapshot import LOCK_WAIT_S, NotReadable
from babysitter.store.schema.version import VERSION

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@contextmanager
def sqlite_transaction(file: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that is committed, durably, when the block ends.

    Raises NotReadable when only the store can do it (an older schema, a lock); then nothing was written.
    """
    address = f"{file.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=LOCK_WAIT_S, isolation_level=None)) as opened:
            opened.execute("PRAGMA synchronous=FULL")
            opened.execute("BEGIN IMMEDIATE")
            if opened.execute("SELECT value FROM meta WHERE key = 'version'").fetchone() != (str(VERSION),):
                raise NotReadable
            yield opened
            opened.execute("COMMIT")
    except sqlite3.Error as fault:
        raise NotReadable(str(fault)) from fault


def as_microseconds(at: datetime) -> int:
    """A moment as the database holds it."""
    return (at - _EPOCH) // _MICROSECOND
