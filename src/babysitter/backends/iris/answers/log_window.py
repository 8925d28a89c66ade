"""Keeps the newest entries of a page of log lines while it is read, however many a server sends.

A server may ignore the limit that it was given. What comes beyond it is dropped piece by piece, oldest first,
so that neither memory nor the time to read the page grows with it. The cursor, which comes last, stays true.
"""

import re
from collections import deque

_FIRST = re.compile(rb'\s*\{\s*"entries"\s*:\s*\[\s*\{')
# Between two entries. No string holds this: a quote in a string is escaped, and one that ends a string is
# not followed by a name.
_BETWEEN = re.compile(rb'\}\s*,\s*(\{)\s*"\w+"\s*:')
_OVERLAP_BYTES = 256  # a separator may be split between two pieces
_TRIM_BYTES = 1 << 20


class LogWindow:
    """Fed with the pieces of one answer's text. `dropped`: entries that were more than asked for."""

    def __init__(self, max_entries: int) -> None:
        self.dropped = 0
        self._max_entries = max_entries
        self._text = bytearray()
        self._offset = 0  # of the text's first byte, in the whole answer
        self._scanned = 0  # in the whole answer
        self._starts: deque[int] = deque()  # of the newest entries, in the whole answer
        self._is_page: bool | None = None  # None = too little was read to know

    @property
    def held_bytes(self) -> int:
        return len(self._text)

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the text."""
        self._text += piece
        if self._is_page is None:
            self._is_page = self._begins_as_page()
        if self._is_page:
            self._scan()
            self._trim()

    def text(self) -> bytes:
        """The whole text, without the entries that were dropped."""
        if not self.dropped:
            return bytes(self._text)
        return b'{"entries":[' + bytes(self._text[self._starts[0] - self._offset :])

    def _begins_as_page(self) -> bool | None:
        first = _FIRST.match(self._text)
        if first is None:
            return None if len(self._text) < _OVERLAP_BYTES else False
        self._starts.append(first.end() - 1)
        self._scanned = first.end()
        return True

    def _scan(self) -> None:
        start = max(self._scanned - _OVERLAP_BYTES, self._starts[-1] + 1) - self._offset
        for found in _BETWEEN.finditer(self._text, start):
            self._starts.append(self._offset + found.start(1))
        self._scanned = self._offset + len(self._text)
        while len(self._starts) > self._max_entries:
            self._starts.popleft()
            self.dropped += 1

    def _trim(self) -> None:
        unneeded = self._starts[0] - self._offset
        if self.dropped and unneeded > _TRIM_BYTES:
            del self._text[:unneeded]
            self._offset += unneeded
