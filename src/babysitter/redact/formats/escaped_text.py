"""Reads a text whose line breaks and quotes are written out (JSON, a `repr`) as the text that it means.

A table, a YAML file or two lines of a prompt inside one entry of a log have no line break for the
detectors to see, and every quote in them has a backslash. What is found in the plain text is a span of the
escaped one.
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import Span, Text

MAX_DEPTH = 3  # JSON in a string of JSON in a string of JSON
_ESCAPE = lazy_regex(r"\\(?:[nrt\"'\\/]|u00[0-7][0-9a-f])")
_WORTH_READING = lazy_regex(r"\\(?:[n\"']|u00[4-7][0-9a-f])")
_BREAKS = lazy_regex(r"\\[^u]")
_PLAIN = {"n": "\n", "r": " ", "t": "\t"}
# A string in quotes: where it holds an escape, its quotes begin and end a line as well.
_STRING = lazy_regex(r"(?<![\\\w])\"(?:[^\"\\\n]|\\.){2,65536}\"|(?<![\\\w])'(?:[^'\\\n]|\\.){2,65536}'")


def find_in_escaped(text: Text, find: Callable[[Text], Iterator[Span]]) -> Iterator[Span]:
    """Spans that `find` finds in the text that this one means."""
    yield from _find(text, find, MAX_DEPTH)


def _find(text: Text, find: Callable[[Text], Iterator[Span]], depth: int) -> Iterator[Span]:
    if depth == 0 or _WORTH_READING.search(text.text) is None:
        return
    plain, starts, shifts = _unescaped(text.text)
    view = Text(plain)
    for start, end in (*find(view), *_find(view, find, depth - 1)):
        value = plain[start:end]
        first = start + len(value) - len(value.lstrip())
        last = first + len(value.strip()) - 1
        if last >= first:
            yield _place(first, starts, shifts), _place(last + 1, starts, shifts)


def _opened(string: re.Match[str]) -> str:
    return string[0] if _BREAKS.search(string[0]) is None else f"\n{string[0][1:-1]}\n"


def _unescaped(text: str) -> tuple[str, list[int], list[int]]:
    """The text with one level of escapes read; from where on the escaped one is how many characters ahead.

    Lines without an escape are left empty: they are read as they are.
    """
    parts: list[str] = []
    starts, shifts, length, shift = [0], [0], 0, 0
    for line in text.split("\n"):
        if _WORTH_READING.search(line) is None:
            shift += len(line)
        else:
            opened, at = _STRING.sub(_opened, line), 0
            for escape in _ESCAPE.finditer(opened):
                parts += [opened[at : escape.start()], _meaning(escape[0][1:])]
                length += escape.start() - at + 1
                shift += len(escape[0]) - 1
                starts.append(length)
                shifts.append(shift)
                at = escape.end()
            parts.append(opened[at:])
            length += len(opened) - at
        starts.append(length)
        shifts.append(shift)
        parts.append("\n")
        length += 1
    return "".join(parts), starts, shifts


def _meaning(escape: str) -> str:
    return chr(int(escape[1:], 16)) if escape[0] == "u" else _PLAIN.get(escape, escape)


def _place(at: int, starts: list[int], shifts: list[int]) -> int:
    return at + shifts[bisect(starts, at) - 1]
