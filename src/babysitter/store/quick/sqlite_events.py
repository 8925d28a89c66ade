"""One event written with sqlite3 alone, for a command that does nothing else (docs/adr/0010)."""

from dataclasses import replace
from pathlib import Path

import msgspec

from babysitter.model.events import DecisionRefused
from babysitter.redact import redact
from babysitter.store.quick.sqlite_writer import as_microseconds, sqlite_transaction


def append_refusal(file: Path, refused: DecisionRefused) -> None:
    """Write an attempt down, with the watch that its proposal is about.

    Raises NotReadable when only the store can do it; then nothing was written.
    """
    with sqlite_transaction(file) as opened:
        found = opened.execute("SELECT watch FROM proposals WHERE id = ?", (refused.proposal,)).fetchone()
        event = replace(refused, watch=found[0] if found else None, because=redact(refused.because))
        opened.execute(
            "INSERT INTO events (kind, at, watch, body) VALUES (?, ?, ?, ?)",
            (event.kind, as_microseconds(event.at), event.watch, msgspec.json.encode(event).decode()),
        )
