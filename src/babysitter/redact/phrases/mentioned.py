"""Finds a random string later in a sentence about a setting: `Loaded HF_TOKEN from .env: ...`."""

from collections.abc import Iterator
from functools import lru_cache

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.name_scan import find_names
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME
from babysitter.redact.settings.value_shapes import looks_random
from babysitter.redact.text_spans import Span, Text

FARTHEST_WORD = 120  # characters from the start of the name to that of the word
SHORTEST = 20
LONGEST = 404  # characters of a word with what stands around it
_WORD = lazy_regex(r"(?<=[\s\"'`])[A-Za-z0-9+/_\-]{20,400}={0,2}(?=[\s\"'`,;.)]|$)")


def find_mentioned(text: Text) -> Iterator[Span]:
    """Spans of strings that look random, on the line of a setting whose name surely is a secret's."""
    done = 0
    for start, end in find_names(text):
        if not _is_sure(text.text[max(start, end - MAX_NAME) : end]):
            continue
        line_end = text.text.find("\n", end)
        limit = min(start + FARTHEST_WORD, line_end if line_end >= 0 else len(text.text))
        stop = min(limit + LONGEST, line_end if line_end >= 0 else len(text.text))
        for word in _WORD.finditer(text.text, max(end, done), stop):
            if word.start() > limit:
                break
            if looks_random(word[0], least=SHORTEST):
                yield word.span()
        done = max(done, limit)


@lru_cache(maxsize=16_384)
def _is_sure(name: str) -> bool:
    return "_" in name and judge_name(name) in (Name.SECRET, Name.PASSWORD)
