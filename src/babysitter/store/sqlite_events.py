"""One event written with sqlite3 alone, for a command that does nothing else (docs/adr/0010)."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from babysitter.model.events import DecisionRefused
from babysitter.redact import redact
from babysitter.store.sqlite_reader import LOCK_WAIT_S, NotReadable
from babysitter.store.version import VERSION

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def append_refusal(file: Path, refused: DecisionRefused) -> None:
    """Write an attempt down, with the watch that its proposal is about.

    Raises NotReadable when only the store can do it; then nothing was written.
    """
    address = f"{file.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=LOCK_WAIT_S, isolation_level=None)) as opened:
            opened.execute("PRAGMA synchronous=FULL")
            opened.execute("BEGIN IMMEDIATE")
            if opened.execute("SELECT value FROM meta WHERE key = 'version'").fetchone() != (str(VERSION),):
                raise NotReadable
            found = opened.execute("SELECT watch FROM proposals WHERE id = ?", (refused.proposal,)).fetchone()
            event = replace(refused, watch=found[0] if found else None, because=redact(refused.because))
            opened.execute(
                "INSERT INTO events (kind, at, watch, body) VALUES (?, ?, ?, ?)",
                (
                    event.kind,
                    (event.at - _EPOCH) // _MICROSECOND,
                    event.watch,
                    msgspec.json.encode(event).decode(),
                ),
            )
            opened.execute("COMMIT")
    except sqlite3.Error as fault:
        raise NotReadable(str(fault)) from fault
