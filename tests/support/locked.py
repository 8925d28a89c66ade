"""Another process that holds the lock of our SQLite file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babysitter.store.database import SqliteDatabase
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.store import Store


@contextmanager
def locked(folder: Path, *stores: Store) -> Iterator[None]:
    """Hold a transaction as long as the block lasts. `stores`: those that are not to wait for it."""
    databases = [store._database for store in stores]
    waits = {
        database: database._write_wait_s for database in databases if isinstance(database, SqliteDatabase)
    }
    for database in waits:
        database._write_wait_s = 0.0
    other = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.rollback()
        other.close()
        for database, wait_s in waits.items():
            database._write_wait_s = wait_s
