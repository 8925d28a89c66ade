"""Finds the bytes of a key that are written one by one: `master key: 2e 97 d6 ...`, also as an array of C.

A name decides whether they are secret, as those of a public key are not.
"""

from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.names import Name, judge_name
from babysitter.redact.text_spans import LinearPattern, Span, Text

MAX_BYTES_LINES = 400  # characters of the bytes, which may go on over some lines
_NOUN = r"(?:key|secret|psk)(?: dump)?(?:\[[0-9]*\])?[\"']?(?: is |\s?[:=]\s*)[{\[]?\s*"
SIGNS = rf"(?:{_NOUN}|\bmk dump:\s*)(?:0x)?[0-9a-f]{{2}}[, ]+(?:0x)?[0-9a-f]{{2}}[, ]"
_SIGNS = LinearPattern(SIGNS, ignore_case=True)
_BYTE = r"(?:0x)?[0-9a-fA-F]{2}"
# https://gitlab.com/cryptsetup/cryptsetup/-/wikis/FrequentlyAskedQuestions: `MK dump:`
_KEY = lazy_regex(
    r"(?<![\w\-])(?i:(?P<name>(?:[a-z]{2,16}[ _\-])?[\w\-]{0,40}(?:key|secret|psk))(?: dump)?|MK dump)"
    r"(?:\[\d{0,4}\])?[\"']?(?: is |\s?[:=]\s{0,8})[{\[]?\s{0,8}"
    rf"(?P<value>{_BYTE}(?:(?:,\s{{0,24}}|\s{{1,24}}){_BYTE}){{11,127}})\b"
)


def find_key_bytes(text: Text) -> Iterator[Span]:
    """Spans of the bytes behind the name of a key that is not public."""
    for start, end in _SIGNS.lines(text):
        for found in _KEY.finditer(text.text, start, min(len(text.text), end + MAX_BYTES_LINES)):
            if found["name"] is None or judge_name(found["name"]) in (Name.SECRET, Name.PASSWORD):
                yield found.span("value")
