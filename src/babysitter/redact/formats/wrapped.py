"""Finds the second half of a secret that was wrapped onto the next line, and first halves too short."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.kinds.tokens import find_tokens
from babysitter.redact.settings.value_shapes import is_number, is_plain, is_uuid, looks_random
from babysitter.redact.text_spans import REDACTED, Span, Text

MAX_ROW = 400  # characters
MAX_LINES = 8  # of one secret
_BETWEEN = "\n" * 8  # more than any pattern of a token reads across
_EDGE = lazy_regex(r"[\"'│┃║|\\ \t]{0,200}$")
_HEAD = lazy_regex(r"[\"'│┃║|> \t]{0,200}([A-Za-z0-9_\-+/=.%~]{1,400})")
_SHELL_WORD = lazy_regex(r"([^\s\"'|&;]{1,400})")
_STAMP = lazy_regex(
    r"(?:[IWEFDCN]\d{4,8}$|\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d|\d\d[-/.]\d\d[-/.]\d\d|\w{1,20}[=:]|[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}=|"
    r"[a-z]{2,20}(?:[.\-][a-z]{2,20}){1,6}=|HTTP/\d|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|Traceback|File|at|step)\b)"
)
_HEADER_NAME = lazy_regex(r"[A-Z][A-Za-z]{0,20}(?:-[A-Z][A-Za-z]{0,20}){1,6}")
# What `kubectl` says of an object: `secret/lab-creds created`.
_OBJECT = lazy_regex(
    r"[a-z][a-z.]{2,60}/[a-z0-9][a-z0-9.\-]{0,120} "
    r"(?:created|configured|unchanged|deleted|patched|replaced)\b"
)
_SETTING_NAME = lazy_regex(r"[A-Za-z][A-Za-z0-9]{0,40}(?:[._\-]{1,2}[A-Za-z][A-Za-z0-9]{0,40}){1,10}")
_PROMPT = lazy_regex(r"[#>$] ")  # of a shell, of a switch
_CLOSING = lazy_regex(r"[\s\"'│┃║|\\,;)\]}]*$")
_WORD_BACKWARDS = lazy_regex(r"\n[\"'\\ \t]{0,8}([A-Za-z0-9_\-+/=.%~:]{3,400})")


def find_continued(text: Text, found: Sequence[Span]) -> Iterator[Span]:
    """Spans on the lines after a secret that ends with its line, when what stands there goes on with it."""
    if "\n" not in text.text:
        return
    for start, end in found:
        yield from _after(text.text, start, end)
    yield from _joined(text)


def _after(text: str, start: int, end: int) -> Iterator[Span]:
    for _ in range(MAX_LINES):
        line_end = text.find("\n", end, end + 220)
        if line_end < 0 or _EDGE.fullmatch(text, end, line_end) is None:
            return
        if "\n" in text[start:end] or text[end : end + 1] in ('"', "'"):
            return  # closed by its quote
        head = _HEAD.match(text, line_end + 1)
        if _is_of_other_cell(text, start, head):
            return
        if text[line_end - 1] == "\\" and (word := _SHELL_WORD.match(text, line_end + 1)) is not None:
            head = word  # the shell joins both lines
        elif head is None or not _goes_on(text, head, is_only=_is_alone(text, head)):
            return
        start, end = head.span(1)
        yield start, end


def _is_of_other_cell(text: str, start: int, head: re.Match[str] | None) -> bool:
    """Whether the value stands in a cell of a table, and the word on the next line in another column."""
    bars = _bars(text, start)
    return head is not None and bars > 1 and bars != _bars(text, head.start(1))


def _bars(text: str, at: int) -> int:
    """How many bars stand before a place on its line; of a line that is not long."""
    before = text[max(text.rfind("\n", 0, at) + 1, at - MAX_ROW) : at]
    return sum(map(before.count, "│┃║|"))


def _is_setting(word: str) -> bool:
    """`ACME__CORE__WORKERS=64`, `acme.storeType=...`: a name of words, and behind its sign a value."""
    name, _, value = word.partition("=")
    return (
        value.strip("=") != ""
        and _SETTING_NAME.fullmatch(name) is not None
        and not looks_random(name, least=8)
    )


def _is_alone(text: str, head: re.Match[str]) -> bool:
    """Whether nothing but quotes and borders stands behind it on its line."""
    line_end = text.find("\n", head.end())
    return _CLOSING.match(text, head.end(), line_end if line_end >= 0 else len(text)) is not None


def _goes_on(text: str, head: re.Match[str], *, is_only: bool) -> bool:
    """Whether this first word of a line looks like the rest of a random string, and not like a new line."""
    word = head[1]
    if REDACTED in text[head.start() : head.end() + 1] or _STAMP.match(word) or is_uuid(word):
        return False
    behind = text[head.end() : head.end() + 1]
    if (
        behind in ("=", ":", "(", "[")
        or _PROMPT.match(text, head.end())
        or _is_setting(word)
        or _OBJECT.match(text, head.start(1)) is not None
    ):
        return False
    has_digit, has_letter = any(map(str.isdigit, word)), any(map(str.isalpha, word))
    is_mixed = has_digit and has_letter and not is_number(word)
    if not has_digit and not has_letter and len(word) > 2:
        return False  # the rule of a table
    is_one_case = word.islower() or word.isupper() or word.istitle() or not has_letter
    if is_only:
        return is_mixed or not is_one_case or (len(word) >= 6 and not is_plain(word) and not is_number(word))
    return len(word) >= 6 and (is_mixed or (not is_one_case and not is_plain(word)) or looks_random(word))


@dataclass(frozen=True, slots=True)
class _Wrapped:
    """The last word of a line, at `start`, and the first word of the next one, at `head_start`."""

    first: str
    head: str
    start: int
    head_start: int


def _joined(text: Text) -> Iterator[Span]:
    """Tokens whose first half is too short to be known by itself: both halves together are.

    All pairs are scanned as one text: a scan of its own for each costs 0.3 ms.
    """
    pairs = [pair for start, end in _tails(text.text) if (pair := _pair(text, start, end)) is not None]
    known = {number for number, _ in _tokens_of([pair.head for pair in pairs])}  # without the line before
    done: set[int] = set()
    for number, (begin, stop) in _tokens_of([pair.first + pair.head for pair in pairs]):
        pair = pairs[number]
        length = len(pair.first)
        if number in known or number in done or not begin < length < stop:
            continue
        done.add(number)
        yield pair.start + begin, pair.start + length
        yield pair.head_start, pair.head_start + min(stop - length, len(pair.head))


def _tails(text: str) -> Iterator[Span]:
    """The last word of every line but the last; read from its end, which is linear."""
    length = len(text)
    spans = [found.span(1) for found in _WORD_BACKWARDS.finditer(text[::-1])]
    for begin, stop in reversed(spans):
        yield length - stop, length - begin


def _pair(text: Text, start: int, end: int) -> _Wrapped | None:
    """The words around the end of a line that may be two halves of a token."""
    first = text.text[start:end]
    if first.isdigit():
        return None
    tail = first.rsplit("=", 1)[-1] if "=" in first else first  # of `NAME=h`
    if len(tail) > 5 and tail[-1] not in "_-" and is_plain(tail):
        return None
    line_end = text.text.find("\n", start)
    head = _HEAD.match(text.text, line_end + 1) if line_end >= 0 else None
    if head is None or _STAMP.match(head[1]) or (is_plain(head[1]) and head[1][1:].islower()):
        return None
    if is_plain(head[1]) and text.text[head.end() : head.end() + 2].strip(" ").isalpha():
        return None  # a word of a sentence
    if _is_label(text.text, head, first) or _is_closed(text.text, end, head):
        return None
    return _Wrapped(first, head[1], start, head.start(1))


def _is_label(text: str, head: re.Match[str], first: str) -> bool:
    """Whether a word begins a line of its own: `X-Name: ...`; `NAME ...` below a token with small letters."""
    if head[1].startswith("-----") and not first.startswith("-"):
        return True
    behind = text[head.end() : head.end() + 2]
    is_name = behind in (": ", ":\n") or (behind[:1] == " " and head[1].isupper() and not first.isupper())
    return is_name and (is_plain(head[1]) or _HEADER_NAME.fullmatch(head[1]) is not None)


def _is_closed(text: str, end: int, head: re.Match[str]) -> bool:
    """Whether a quote closes the first word, and none opens before the next one."""
    return (
        text[end : end + 1] in ('"', "'")
        and text[end : end + 1] not in head[0][: head.start(1) - head.start()]
    )


def _tokens_of(words: Sequence[str]) -> Iterator[tuple[int, Span]]:
    """Tokens of many words, each with the number of its word and its place in it."""
    starts = list(accumulate((len(word) + len(_BETWEEN) for word in words), initial=0))
    for begin, stop in find_tokens(Text(_BETWEEN.join(words))):
        number = bisect(starts, begin) - 1
        yield number, (begin - starts[number], stop - starts[number])
