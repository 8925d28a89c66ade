"""Finds a random string later in a sentence about a setting: `Loaded HF_TOKEN from .env: ...`."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence

from babysitter.redact.name_scan import find_names
from babysitter.redact.names import Name, judge_name
from babysitter.redact.secret_verdict import MAX_NAME
from babysitter.redact.text_spans import Span, Text
from babysitter.redact.value_shapes import looks_random

FARTHEST_WORD = 120  # characters behind the name
SHORTEST = 20
_WORD = re.compile(r"(?<=[\s\"'`])[A-Za-z0-9+/_\-]{20,400}={0,2}(?=[\s\"'`,;.)]|$)")


def find_mentioned(text: Text) -> Iterator[Span]:
    """Spans of strings that look random, on the line of a setting whose name surely is a secret's."""
    names = find_names(text)
    if not names:
        return
    for word in _WORD.finditer(text.text, names[0][1]):
        if looks_random(word[0], least=SHORTEST) and _is_behind_name(text.text, word.start(), names):
            yield word.span()


def _is_behind_name(text: str, start: int, names: Sequence[Span]) -> bool:
    earliest = max(text.rfind("\n", 0, start) + 1, start - FARTHEST_WORD)
    at = bisect(names, (start, 0)) - 1
    while at >= 0 and names[at][0] >= earliest:
        name = text[names[at][0] : names[at][1]]
        if "_" in name and judge_name(name[-MAX_NAME:]) in (Name.SECRET, Name.PASSWORD):
            return True
        at -= 1
    return False
