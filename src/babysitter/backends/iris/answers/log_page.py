"""A page of log lines straight from the bytes of an answer: a fifth of the time that decode.py needs.

Thousands of lines come at a time, everything else by the dozen. Only the usual shape is read here, as HTTP
spells it (camelCase); of any other nothing is guessed, decode.py reads it and says what is odd.
"""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from babysitter.model.ids import TaskId
from babysitter.model.log import LogLevel, LogLine, LogSource

LEVELS = {f"LOG_LEVEL_{level.name}": level for level in LogLevel}


class _Stamp(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    epoch_ms: int = 0


class _Entry(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    timestamp: _Stamp = _Stamp()
    source: str = ""
    data: str = ""
    attempt_id: int = -1
    level: str = ""
    key: str = ""


class LogPage(msgspec.Struct, frozen=True, rename="camel"):
    """The answer to FetchLogs. 64-bit integers are strings on the wire."""

    entries: tuple[_Entry, ...] = ()
    cursor: int | msgspec.UnsetType = msgspec.UNSET


_decoder = msgspec.json.Decoder(LogPage, strict=False)


def read_page(text: bytes) -> LogPage | None:
    """The page, or None when the answer has another shape or is no JSON."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def lines_of(entries: Sequence[_Entry], source: LogSource) -> list[LogLine]:
    """The lines of these entries, whoever's they are; exact questions are answered without a key."""
    owners = _Owners(source)
    level_of, unknown = LEVELS.get, LogLevel.UNKNOWN
    lines: list[LogLine] = []
    for entry in entries:
        task, attempt = owners[entry.key]
        if attempt is None:
            attempt = entry.attempt_id
        level = level_of(entry.level, unknown)
        lines.append(_line((entry.data, entry.timestamp.epoch_ms, task, attempt, level, entry.source)))
    return lines


# LogLine(...) without its own __new__, which takes a third of the time for a page.
_line: Callable[[tuple[str, int, TaskId, int, LogLevel, str]], LogLine] = partial(tuple.__new__, LogLine)


class _Owners(dict[str, tuple[TaskId, int | None]]):
    """Key of an entry -> its task and attempt; a page has thousands of entries and few keys."""

    def __init__(self, source: LogSource) -> None:
        self._asked_for = source.task or TaskId("")

    def __missing__(self, key: str) -> tuple[TaskId, int | None]:
        task, attempt = owner_of(key)
        self[key] = task or self._asked_for, attempt
        return self[key]


def owner_of(key: str) -> tuple[TaskId, int | None]:
    """`/u/j/0:3` -> the task /u/j/0 and its attempt 3; None when the key does not say."""
    task, _, attempt = key.rpartition(":")
    if task and attempt.isdecimal():
        return TaskId(task), int(attempt)
    return TaskId(task or key), None
