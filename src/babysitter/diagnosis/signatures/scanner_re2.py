"""The portable engine: RE2 with its own literal filter in front, line by line."""

from collections.abc import Sequence

import re2

from babysitter.diagnosis.signatures.hit import Hit
from babysitter.diagnosis.signatures.needed_words import has_needed, words_of
from babysitter.diagnosis.signatures.pattern import Pattern, re2_options

SCANS_BEFORE_ALL = 4  # to compile all patterns takes as long as to compile those that so many texts need


class Re2Scanner:
    """Slower than Hyperscan by an order of magnitude, ready in a fraction of its compile time.

    For the first texts only those patterns are compiled whose words occur in them.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns = patterns
        self._scans = 0
        self._all: _Filter | None = None

    def scan(self, text: bytes) -> list[Hit]:
        if not self._patterns or not text:
            return []
        self._scans += 1
        if self._all is None and self._scans > SCANS_BEFORE_ALL:
            self._all = _Filter(self._patterns, range(len(self._patterns)))
        return (self._all or self._filter_for(text)).scan(text)

    def _filter_for(self, text: bytes) -> "_Filter":
        words = words_of(text)
        wanted = [
            index for index, pattern in enumerate(self._patterns) if has_needed(words, pattern.needed_words)
        ]
        return _Filter(self._patterns, wanted)


class _Filter:
    """Some of the patterns, compiled. `wanted`: their indices, rising."""

    def __init__(self, patterns: Sequence[Pattern], wanted: Sequence[int]) -> None:
        self._wanted = wanted
        self._filter = re2.Filter()
        for index in wanted:
            options = re2_options(ignore_case=patterns[index].ignore_case)
            self._filter.Add(patterns[index].regex.encode("ascii"), options)
        if wanted:
            self._filter.Compile()

    def scan(self, text: bytes) -> list[Hit]:
        if not self._wanted:
            return []
        hits: list[Hit] = []
        match, wanted = self._filter.Match, self._wanted
        start = 0
        for number, line in enumerate(text.split(b"\n")):
            end = start + len(line)
            matching = match(line) if line else None
            if matching:
                hits.extend((number, wanted[index], start, end) for index in sorted(matching))
            start = end + 1
        return hits
