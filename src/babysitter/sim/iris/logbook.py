"""All log lines of the cluster, numbered by one counter, and the questions that can be asked of them."""

import heapq
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

LEVELS = ("UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_LETTERS = {"D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "C": "CRITICAL", "F": "CRITICAL"}
_LEVELLED = re.compile(r"([DIWECF])\d{8} ")


@dataclass(frozen=True, slots=True)
class Entry:
    number: int  # the cursor points here
    key: str  # `<task id>:<attempt>`
    at_ms: int
    source: str  # stdout, stderr, ...
    level: str
    data: str


def level_of(text: str) -> str:
    """The level as the log store reads it: only lines that begin like `W20261120 ` have one."""
    match = _LEVELLED.match(text)
    return _LETTERS[match[1]] if match else "UNKNOWN"


class LogBook:
    """Appends lines and finds them again. Numbers start at 1 and are shared by all keys."""

    def __init__(self) -> None:
        self._by_key: dict[str, list[Entry]] = {}
        self._last = 0

    def add(self, key: str, at: float, data: str, source: str = "stderr") -> None:
        self._last += 1
        entry = Entry(self._last, key, int(at * 1000), source, level_of(data), data)
        self._by_key.setdefault(key, []).append(entry)

    @property
    def keys(self) -> Iterable[str]:
        return self._by_key.keys()

    def last_of(self, key: str) -> Entry | None:
        entries = self._by_key.get(key)
        return entries[-1] if entries else None

    def last_error_line(self, key: str) -> str:
        """The last line a process wrote to stderr: what the cluster quotes when it dies."""
        lines = (entry.data for entry in reversed(self._by_key.get(key, [])) if entry.source == "stderr")
        return next((line for line in lines if line.strip()), "")

    def forget(self) -> None:
        """Lose everything and count from one again, as a log store kept in memory does when it restarts."""
        self._by_key.clear()
        self._last = 0

    def find(
        self,
        keys: Iterable[str],
        *,
        after: int = 0,
        since_ms: int = 0,
        substring: str = "",
        min_level: str = "",
        limit: int = 1000,
        tail: bool = False,
    ) -> list[Entry]:
        """At most `limit` entries of `keys` in order; with `tail` the last ones, else the first ones."""
        floor = LEVELS.index(min_level) if min_level in LEVELS else 0

        def wanted(entry: Entry) -> bool:
            loud = entry.level == "UNKNOWN" or LEVELS.index(entry.level) >= floor
            return loud and entry.at_ms > since_ms and substring in entry.data

        streams = [self._after(key, after, backwards=tail) for key in keys if key in self._by_key]
        merged = heapq.merge(*streams, key=attrgetter("number"), reverse=tail)
        found: list[Entry] = []
        for entry in merged:
            if wanted(entry):
                found.append(entry)
                if len(found) >= limit:
                    break
        return found[::-1] if tail else found

    def _after(self, key: str, number: int, *, backwards: bool) -> Iterator[Entry]:
        entries = self._by_key[key]
        first = bisect_right(entries, number, key=attrgetter("number"))
        indexes = range(len(entries) - 1, first - 1, -1) if backwards else range(first, len(entries))
        return (entries[index] for index in indexes)
