"""The fast engine: all patterns as one Hyperscan database, one pass over the buffer.

Patterns cannot match newlines (regex.py sees to that), so an end of a match names its line exactly.
"""

import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import hyperscan

from babysitter.diagnosis.signatures.hit import Hit
from babysitter.diagnosis.signatures.pattern import LINE_LIMIT_BYTES, Find, Pattern, finder
from babysitter.diagnosis.signatures.scanner_re2 import Re2Scanner

_INDEX_BITS = 16
_INDEX_MASK = (1 << _INDEX_BITS) - 1
_WIDE = _INDEX_MASK  # in place of a pattern's index: a line with two blanks in a row behind its indentation
_TWO_BLANKS = b"[^ \\n]  "
_AFTER_ALL = 1 << 80
_MAX_KINDS = 10_000
_RUN_OF_BLANKS = re.compile(rb"  +")


class HyperscanScanner:
    """`cache`: a file for the compiled database; None = compile always.

    What Hyperscan refuses (it is pickier than RE2 in rare cases) is left to the portable engine.
    """

    def __init__(self, patterns: Sequence[Pattern], *, cache: Path | None = None) -> None:
        assert len(patterns) <= _INDEX_MASK
        self._database, self._refused = _opened(patterns, cache)
        self._portable = Re2Scanner([patterns[index] for index in self._refused])
        self._patterns = patterns
        self._known = _Confirming(patterns)

    def scan(self, text: bytes) -> list[Hit]:
        if not text:
            return []
        hits = self._hits(text)
        if self._known.holds_wide:
            wide = [hit for hit in hits if hit[1] == _WIDE]
            found = {hit for hit in hits if hit[1] != _WIDE}
            hits = sorted({*found, *self._hits_of_wide(text, wide)}) if wide else hits
        if self._refused:
            others = self._portable.scan(text)
            hits += [(line, self._refused[index], start, end) for line, index, start, end in others]
            hits.sort()
        return hits

    def _hits(self, text: bytes) -> list[Hit]:
        """Hits of patterns in which a blank stands for itself."""
        ends: list[int] = []
        keep = ends.append

        def on_match(index: int, start: int, end: int, flags: int, context: object) -> None:  # noqa: ARG001
            keep(end << _INDEX_BITS | index)

        if self._database is not None:
            self._database.scan(text, match_event_handler=on_match)
        ends.sort()  # ends come nearly in order, so this is quick
        return self._by_line(text, ends)

    def _hits_of_wide(self, text: bytes, wide: list[Hit]) -> Iterator[Hit]:
        """What is found when runs of blanks are cut down to one, where the whole line agrees."""
        narrow = b"\n".join([_RUN_OF_BLANKS.sub(b" ", text[start:end]) for _, _, start, end in wide])
        for place, index, _, _ in self._hits(narrow):
            line, _, start, end = wide[place]
            if finder(self._patterns[index])(text[start:end], 0, end - start) >= 0:
                yield line, index, start, end

    def _by_line(self, text: bytes, ends: list[int]) -> list[Hit]:
        """Ends of matches, rising -> lines, each pattern once a line, inexact ones where the whole agrees."""
        hits: list[Hit] = []
        keep, find, rfind, count, known = hits.append, text.find, text.rfind, text.count, self._known
        line = start = 0
        line_end, beyond = -1, 0  # `beyond`: from this packed end on it is another line
        here: list[int] = []
        ends.append(_AFTER_ALL)
        for packed in ends:
            if packed < beyond:
                here.append(packed & _INDEX_MASK)
                continue
            sure_up_to, indices, checks = known[tuple(here)]
            if line_end - start <= sure_up_to:
                for index in indices:
                    keep((line, index, start, line_end))
            else:
                whole = text[start:line_end]
                for index, check in checks:
                    if check(whole, 0, line_end - start) >= 0:
                        keep((line, index, start, line_end))
            if packed == _AFTER_ALL:
                break
            last = (packed >> _INDEX_BITS) - 1
            begin = rfind(b"\n", start, last) + 1 or start
            line += count(b"\n", start, begin)
            start = begin
            line_end = find(b"\n", last)
            if line_end < 0:
                line_end = len(text)
            beyond = (line_end + 1) << _INDEX_BITS
            here = [packed & _INDEX_MASK]
        return hits


class _Confirming(dict[tuple[int, ...], tuple[int, list[int], list[tuple[int, Find]]]]):
    """Patterns that ended in one line, in that order -> each once, rising, with what confirms it.

    The first value: lines of up to so many bytes need no confirmation. A log has few kinds of lines, so that
    nearly all are known. What confirms a pattern is compiled when it first ends somewhere: of all patterns
    that takes as long as a thousand lines.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        super().__init__()
        self._patterns = patterns
        self.holds_wide = False

    def __missing__(self, here: tuple[int, ...]) -> tuple[int, list[int], list[tuple[int, Find]]]:
        self.holds_wide = self.holds_wide or _WIDE in here
        indices = sorted(set(here))
        sure_up_to = min((self._exact_up_to_bytes(index) for index in indices), default=0)
        checks = [(index, self._check(index)) for index in indices]
        confirmation = sure_up_to, indices, checks
        if len(self) < _MAX_KINDS:
            self[here] = confirmation
        return confirmation

    def _exact_up_to_bytes(self, index: int) -> int:
        return LINE_LIMIT_BYTES if index == _WIDE else self._patterns[index].exact_up_to_bytes

    def _check(self, index: int) -> Find:
        if self._exact_up_to_bytes(index) == LINE_LIMIT_BYTES:
            return _found
        return finder(self._patterns[index])


def _found(text: bytes, start: int, end: int) -> int:  # noqa: ARG001
    """Confirm without a look at the line."""
    return 0


Opened = tuple[hyperscan.Database | None, tuple[int, ...]]


def _opened(patterns: Sequence[Pattern], cache: Path | None) -> Opened:
    """The database, and the indices of patterns that it does not hold."""
    kept = _load(cache) if cache else None
    if kept is not None:
        return kept
    everything = tuple(range(len(patterns)))
    refused: tuple[int, ...] = ()
    try:
        database = _compiled(patterns, everything)
    except hyperscan.HyperscanError:
        refused = tuple(index for index in everything if _is_refused(patterns[index]))
        database = _compiled(patterns, tuple(index for index in everything if index not in refused))
    if cache:
        _save(database, refused, cache)
    return database, refused


def _compiled(patterns: Sequence[Pattern], indices: Sequence[int]) -> hyperscan.Database | None:
    if not indices:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[*(patterns[index].quick.encode("ascii") for index in indices), _TWO_BLANKS],
        ids=[*indices, _WIDE],
        flags=[
            *(
                hyperscan.HS_FLAG_MULTILINE
                | (hyperscan.HS_FLAG_CASELESS if patterns[index].ignore_case else 0)
                for index in indices
            ),
            hyperscan.HS_FLAG_MULTILINE,
        ],
    )
    return database


def _is_refused(pattern: Pattern) -> bool:
    try:
        _compiled([pattern], [0])
    except hyperscan.HyperscanError:
        return True
    return False


def _load(cache: Path) -> Opened | None:
    """A kept database of this machine; None when there is none, or it is damaged (it carries a checksum)."""
    with suppress(OSError, ValueError, hyperscan.HyperscanError):
        signature, refused, body = cache.read_bytes().split(b"\n", 2)
        if signature == _signature():
            database = hyperscan.loadb(body, hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
            return database, tuple(int(index) for index in refused.split())
    return None


def _save(database: hyperscan.Database | None, refused: tuple[int, ...], cache: Path) -> None:
    """Keep it if that is possible; a read-only home is no trouble."""
    if database is None:
        return
    indices = " ".join(map(str, refused)).encode()
    with suppress(OSError):
        cache.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = cache.with_suffix(f".{id(database):x}.new")
        fresh.write_bytes(b"\n".join([_signature(), indices, hyperscan.dumpb(database)]))
        fresh.replace(cache)


def _signature() -> bytes:
    return f"2 hyperscan {version('hyperscan')} {platform.machine()} {platform.processor()}".encode()
