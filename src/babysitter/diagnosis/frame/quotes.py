"""Spans of a message that repeat somebody else's words: quotation marks, repr, JSON values, backticks."""

import re
from functools import lru_cache

MAX_MESSAGE_CHARACTERS = 4000

_QUOTE = re.compile(
    r"`(?P<ticks>[^`]{1,2000})`"
    r'|"(?P<double>(?:[^"\\]|\\.){1,2000})(?:"|$)'
    # An apostrophe inside a word opens nothing; a closing one ends its word.
    r"|(?<![\w'])'(?P<single>(?:[^'\\]|\\.|(?<=\w)'(?=\w)){1,2000})'(?!\w)"
    r"|[“«](?P<curly>[^”»]{1,2000})[”»]"
    r"|(?<!\w)‘(?P<curly_single>[^’]{1,2000})’(?!\w)"
)


@lru_cache(maxsize=512)
def find_quoted_spans(message: str) -> tuple[tuple[int, int], ...]:
    """First and end of each quoted span, without its marks, in order. A key of JSON counts as a span too."""
    if not any(mark in message for mark in "\"'`“«‘"):
        return ()
    found = _QUOTE.finditer(message[:MAX_MESSAGE_CHARACTERS])
    return tuple(match.span(match.lastgroup or 0) for match in found)
