"""The fast engine: all patterns as one Hyperscan database, one pass over the buffer.

Patterns cannot match newlines (regex.py sees to that), so an end of a match names its line exactly.
"""

import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import hyperscan

from babysitter.classify.engine import Hit
from babysitter.classify.pattern import Pattern, compiled

_INDEX_BITS = 16
_INDEX_MASK = (1 << _INDEX_BITS) - 1


HyperscanRefusal = hyperscan.HyperscanError


class HyperscanEngine:
    """`cache`: a file for the compiled database; None = compile always."""

    def __init__(self, patterns: Sequence[Pattern], *, cache: Path | None = None) -> None:
        assert len(patterns) <= _INDEX_MASK
        self._database = _database(patterns, cache) if patterns else None
        self._confirm = {
            index: compiled(pattern).search for index, pattern in enumerate(patterns) if not pattern.is_exact
        }

    def scan(self, text: bytes) -> list[Hit]:
        if self._database is None or not text:
            return []
        ends: list[int] = []
        keep = ends.append

        def on_match(index: int, start: int, end: int, flags: int, context: object) -> None:  # noqa: ARG001
            keep(end << _INDEX_BITS | index)

        self._database.scan(text, match_event_handler=on_match)
        ends.sort()  # ends come nearly in order, so this is quick
        return self._by_line(text, ends)

    def _by_line(self, text: bytes, ends: Sequence[int]) -> list[Hit]:
        """Ends of matches, rising -> lines, each pattern once a line."""
        hits: list[Hit] = []
        find, rfind, count = text.find, text.rfind, text.count
        line = start = 0
        line_end = -1
        here: list[int] = []
        for packed in ends:
            last = (packed >> _INDEX_BITS) - 1
            if last >= line_end:
                if here:
                    hits.extend(self._confirmed(here, line, text, start, line_end))
                    here = []
                begin = rfind(b"\n", max(0, line_end), last) + 1 or max(0, line_end + 1)
                line += count(b"\n", start, begin)
                start = begin
                line_end = find(b"\n", last)
                if line_end < 0:
                    line_end = len(text)
            here.append(packed & _INDEX_MASK)
        if here:
            hits.extend(self._confirmed(here, line, text, start, line_end))
        return hits

    def _confirmed(self, indices: list[int], line: int, text: bytes, start: int, end: int) -> list[Hit]:
        """The hits of one line; those of inexact patterns only when the whole expression agrees."""
        confirm = self._confirm
        found = sorted(set(indices)) if len(indices) > 1 else indices
        return [
            (line, index, start, end)
            for index in found
            if index not in confirm or confirm[index](text[start:end]) is not None
        ]


def _database(patterns: Sequence[Pattern], cache: Path | None) -> hyperscan.Database:
    kept = _load(cache) if cache else None
    if kept is not None:
        return kept
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[pattern.quick.encode("ascii") for pattern in patterns],
        ids=list(range(len(patterns))),
        flags=[
            hyperscan.HS_FLAG_MULTILINE | (hyperscan.HS_FLAG_CASELESS if pattern.ignore_case else 0)
            for pattern in patterns
        ],
    )
    if cache:
        _save(database, cache)
    return database


def _load(cache: Path) -> hyperscan.Database | None:
    """A kept database of this machine; None when there is none, or it is damaged (it carries a checksum)."""
    with suppress(OSError, ValueError, hyperscan.HyperscanError):
        head, _, body = cache.read_bytes().partition(b"\n")
        if head == _signature():
            database = hyperscan.loadb(body, hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
            return database
    return None


def _save(database: hyperscan.Database, cache: Path) -> None:
    """Keep it if that is possible; a read-only home is no trouble."""
    with suppress(OSError):
        cache.parent.mkdir(parents=True, exist_ok=True)
        fresh = cache.with_suffix(f".{id(database):x}.new")
        fresh.write_bytes(_signature() + b"\n" + hyperscan.dumpb(database))
        fresh.replace(cache)


def _signature() -> bytes:
    return f"hyperscan {version('hyperscan')} {platform.machine()} {platform.processor()}".encode()
