"""Finds secrets in dumps of bytes that show a text: `hexdump -C`, `xxd`, `tcpdump -X`.

Lines that follow each other are read as one text. What is secret in it is taken out of both columns.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import LinearPattern, Span, Text

MAX_BYTES = 65_536  # of one dump
SIGNS = r"[0-9a-f]{4}:? {1,2}(?:[0-9a-f]{2} ?[0-9a-f]{2} ){3}[^\n]*[a-z0-9.]{4}"
_LINES = LinearPattern(SIGNS, ignore_case=True)
# An offset, up to 16 bytes, and the same as letters, with a dot for what is none.
_ROW = lazy_regex(
    r"(?i)(?<![0-9a-z])(?:0x)?[0-9a-f]{4,8}:? {1,2}(?P<bytes>[0-9a-f]{2}(?: {0,2}[0-9a-f]{2}){3,15})"
    r" {1,60}(?P<bar>\|?)(?P<letters>[^\n]{4,16})(?P=bar)"
)
_PAIR = lazy_regex(r"[0-9A-Fa-f]{2}")


@dataclass(slots=True)
class _Dump:
    """The text that rows of a dump mean, with the two places of each of its characters."""

    letters: list[str] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)  # in the column of bytes, in that of letters


def find_in_dumps(text: Text, find: Callable[[Text], Iterator[Span]]) -> Iterator[Span]:
    """Spans of the bytes and the letters in which `find` finds something."""
    for dump in _dumps(text):
        for start, end in find(Text("".join(dump.letters))):
            yield from _runs([(place, 2) for place, _ in dump.places[start:end]])
            yield from _runs([(place, 1) for _, place in dump.places[start:end]])


def _dumps(text: Text) -> Iterator[_Dump]:
    dump, last = _Dump(), -1
    for start, end in _LINES.lines(text):
        row = _ROW.search(text.text, start, min(end, start + 400))
        pairs = [] if row is None else list(_PAIR.finditer(text.text, *row.span("bytes")))
        if row is None or len(pairs) > len(row["letters"]):
            continue
        if start != last or len(dump.letters) > MAX_BYTES:
            if dump.letters:
                yield dump
            dump = _Dump()
        last = end + 1
        for number, pair in enumerate(pairs):
            code = int(pair[0], 16)
            dump.letters.append(chr(code) if 32 <= code < 127 or code == 10 else " ")
            dump.places.append((pair.start(), row.start("letters") + number))
    if dump.letters:
        yield dump


def _runs(places: list[tuple[int, int]]) -> Iterator[Span]:
    """Spans of characters that stand beside each other, with nothing but a blank or two between them."""
    begin = end = -1
    for start, width in places:
        if begin >= 0 and start - end > 2:
            yield begin, end
            begin = -1
        if begin < 0:
            begin = start
        end = start + width
    if begin >= 0:
        yield begin, end
