"""Finds the second half of a secret that was wrapped onto the next line, and first halves too short."""

import re
from collections.abc import Iterator, Sequence

from babysitter.redact.text import REDACTED, Scanner, Span, Text
from babysitter.redact.tokens import find_tokens
from babysitter.redact.values import is_number, is_plain, is_uuid, looks_random

MOST_LINES = 8  # of one secret
_EDGE = re.compile(r"[\"'│┃║|\\ \t]{0,200}$")
_HEAD = re.compile(r"[\"'│┃║|> \t]{0,200}([A-Za-z0-9_\-+/=.%~]{1,400})")
_STAMP = re.compile(
    r"(?:[IWEFDCN]\d{4,8}$|\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d|\d\d[-/.]\d\d[-/.]\d\d|\w{1,20}[=:]|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|Traceback|File|at|step)\b)"
)
_TAIL = Scanner(r"(?m)[A-Za-z0-9_\-+/=.%~:]{3,400}[\"'\\ \t]{0,8}$")


def find_continued(text: Text, found: Sequence[Span]) -> Iterator[Span]:
    """Spans on the lines after a secret that ends with its line, when what stands there goes on with it."""
    if "\n" not in text.text:
        return
    for start, end in found:
        yield from _after(text.text, start, end)
    for start, end in _TAIL.spans(text):
        yield from _joined(text, start, end)


def _after(text: str, start: int, end: int) -> Iterator[Span]:
    for _ in range(MOST_LINES):
        line_end = text.find("\n", end, end + 220)
        if line_end < 0 or _EDGE.fullmatch(text, end, line_end) is None:
            return
        if "\n" in text[start:end] or text[end : end + 1] in ('"', "'"):
            return  # closed by its quote
        head = _HEAD.match(text, line_end + 1)
        if head is None or not _goes_on(text, head, is_only=_is_alone(text, head)):
            return
        start, end = head.span(1)
        yield start, end


def _is_alone(text: str, head: re.Match[str]) -> bool:
    """Whether nothing but quotes and borders stands behind it on its line."""
    line_end = text.find("\n", head.end())
    return (
        re.compile(r"[\s\"'│┃║|\\,;)\]}]*$").match(text, head.end(), line_end if line_end >= 0 else len(text))
        is not None
    )


def _goes_on(text: str, head: re.Match[str], *, is_only: bool) -> bool:
    """Whether this first word of a line looks like the rest of a random string, and not like a new line."""
    word = head[1]
    if REDACTED in text[head.start() : head.end() + 1] or _STAMP.match(word) or is_uuid(word):
        return False
    behind = text[head.end() : head.end() + 1]
    if behind in ("=", ":", "(", "["):
        return False
    has_digit, has_letter = any(map(str.isdigit, word)), any(map(str.isalpha, word))
    is_mixed = has_digit and has_letter and not is_number(word)
    is_one_case = word.islower() or word.isupper() or word.istitle() or not has_letter
    if is_only:
        return is_mixed or not is_one_case or (len(word) >= 6 and not is_plain(word) and not is_number(word))
    return len(word) >= 6 and (is_mixed or (not is_one_case and not is_plain(word)) or looks_random(word))


def _joined(text: Text, start: int, end: int) -> Iterator[Span]:
    """A token whose first half is too short to be known by itself: both halves together are."""
    first = text.text[start:end].rstrip("\"'\\ \t")
    if first.isdigit() or (is_plain(first) and not first.endswith(("_", "-")) and len(first) > 5):
        return
    line_end = text.text.find("\n", start)
    head = _HEAD.match(text.text, line_end + 1) if line_end >= 0 else None
    if head is None or _STAMP.match(head[1]) or (is_plain(head[1]) and head[1][1:].islower()):
        return
    if any(True for _ in find_tokens(Text(head[1]))):
        return  # known by itself: it does not need the line before
    whole = Text(first + head[1])
    for begin, stop in find_tokens(whole):
        if begin < len(first) < stop:
            yield start + begin, start + len(first)
            yield head.start(1), head.start(1) + min(stop - len(first), len(head[1]))
            return
