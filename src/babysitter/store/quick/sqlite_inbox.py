"""Answers left in the inbox, and taken back, with sqlite3 alone (docs/adr/0010)."""

from datetime import datetime
from pathlib import Path

import msgspec

from babysitter.model.proposal import Surface
from babysitter.model.terminal_answer import TerminalAnswer
from babysitter.store.quick.sqlite_writer import as_microseconds, sqlite_transaction


def put_answer(file: Path, given: TerminalAnswer, *, now: datetime) -> int:
    """Leave an answer for the service; return the number of the last event before it.

    Raises NotReadable when only the store can do it; then nothing was written.
    """
    body = msgspec.json.encode(given).decode()
    with sqlite_transaction(file) as opened:
        opened.execute(
            "INSERT INTO inbox (id, door, came_at, body) VALUES (?, ?, ?, ?)",
            (given.id, Surface.TERMINAL.value, as_microseconds(now), body),
        )
        (last_event,) = opened.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    return int(last_event)


def take_back_answer(file: Path, answer_id: str) -> bool:
    """Remove an answer that is not decided yet; False when it was decided before. Raises NotReadable."""
    with sqlite_transaction(file) as opened:
        return opened.execute("DELETE FROM inbox WHERE id = ?", (answer_id,)).rowcount == 1


def answer_from(body: str) -> TerminalAnswer:
    """The answer that a row holds. Raises ValueError for a row that `put_answer` did not write."""
    return msgspec.json.decode(body, type=TerminalAnswer)
