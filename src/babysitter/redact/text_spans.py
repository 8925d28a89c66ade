"""The text being redacted, the spans that detectors find in it, and their replacement."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

REDACTED = "[redacted]"


def word_set(text: str) -> frozenset[str]:
    """The words of a table that is written as prose."""
    return frozenset(text.split())


Span = tuple[int, int]  # characters [start, end)
T = TypeVar("T")


@dataclass(frozen=True)  # no slots: the byte view is made once, when first needed
class Text:
    """A text and a view of it for the linear scanner: one byte per character, "?" for what is not ASCII.

    The view makes offsets of the scanner and of the text the same numbers.
    """

    text: str

    @cached_property
    def view(self) -> bytes:
        return self.text.encode("ascii", "replace")

    @cached_property
    def lower(self) -> str:
        """ASCII letters in lower case; offsets stay the same."""
        return self.lower_view.decode("ascii")

    @cached_property
    def lower_view(self) -> bytes:
        return self.view.lower()

    def holds_any(self, words: tuple[str, ...]) -> bool:
        """Whether one of these words (in lower case) occurs: for short texts quicker than a scanner."""
        lower = self.lower
        for word in words:  # noqa: SIM110 - a generator costs twice as much, and every line asks
            if word in lower:
                return True
        return False

    def line_of(self, position: int) -> Span:
        """Start and end of the line around a position, without its newline."""
        start = self.text.rfind("\n", 0, position) + 1
        end = self.text.find("\n", position)
        return start, len(self.text) if end < 0 else end

    @cached_property
    def _made(self) -> dict[object, object]:
        return {}

    def once(self, make: "Callable[[Text], T]") -> T:
        """What the function makes of this text; made once, when first needed."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])

    def lines_of(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The lines in which spans begin, each once, without their newlines; spans in order."""
        done = -1
        for start, _ in spans:
            if start >= done:
                line = self.line_of(start)
                done = line[1] + 1
                yield line

    @cached_property
    def lines(self) -> tuple[Span, ...]:
        """Every line, without its newline."""
        spans, start = [], 0
        for line in self.text.split("\n"):
            spans.append((start, start + len(line)))
            start += len(line) + 1
        return tuple(spans)


Detector = Callable[[Text], Iterable[Span]]


class LinearPattern:
    """Finds a pattern in linear time, whatever the text. RE2 syntax: no look-around, no back-references.

    Compiled on first use: a command that redacts nothing does not pay for it.
    """

    def __init__(self, pattern: str, *, ignore_case: bool = False) -> None:
        self._expression = pattern.encode("ascii")
        self._is_case_sensitive = not ignore_case

    @cached_property
    def _pattern(self) -> Any:  # re2 has no types
        import re2

        options = re2.Options()
        options.log_errors = False
        options.encoding = re2.Options.Encoding.LATIN1
        options.case_sensitive = self._is_case_sensitive
        options.max_mem = 64 << 20
        return re2.compile(self._expression, options)

    def found_in(self, text: Text) -> bool:
        """Whether the pattern occurs."""
        return self._pattern.search(text.view) is not None

    def found_in_lower(self, text: Text) -> bool:
        """Whether the pattern occurs in the text with its ASCII letters in lower case."""
        return self._pattern.search(text.lower_view) is not None

    def first(self, text: Text, start: int) -> int | None:
        """Where it begins for the first time at or after `start`."""
        found = self._pattern.search(text.view, start)
        return None if found is None else int(found.start())

    def spans(self, text: Text) -> Iterator[Span]:
        """Where it occurs, leftmost first, without overlap."""
        return (found.span() for found in self._pattern.finditer(text.view))

    def lines(self, text: Text) -> Iterator[Span]:
        """The lines in which it occurs, each once, without their newlines."""
        return text.lines_of(self.spans(text))


class PatternSet:
    """Says which of many patterns occur in a text, in one scan in linear time. RE2 syntax, in lower case.

    Compiled on first use. The text is read with its ASCII letters in lower case.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._expressions = [pattern.encode("ascii", "replace") for pattern in patterns]

    @cached_property
    def _set(self) -> Any:  # re2 has no types
        import re2

        options = re2.Options()
        options.log_errors = False
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = 64 << 20
        patterns = re2.Set.SearchSet(options)
        for expression in self._expressions:
            patterns.Add(expression)
        patterns.Compile()
        return patterns

    def found_in(self, text: Text) -> list[int]:
        """The numbers of the patterns that occur, in order."""
        return sorted(self._set.Match(text.lower_view) or ())


def replaced(text: str, spans: Iterable[Span]) -> str:
    """Return the text with every span replaced by `[redacted]`. Newlines stay: lines keep their numbers."""
    parts, at = [], 0
    for start, end in _merged(spans):
        parts += [text[at:start], _mark(text[start:end])]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _mark(secret: str) -> str:
    if "\n" not in secret:
        return REDACTED
    return "\n".join(_mark_line(line) for line in secret.split("\n"))


def _mark_line(line: str) -> str:
    indent = len(line) - len(line.lstrip())
    return line[:indent] + REDACTED if line.strip() else line
