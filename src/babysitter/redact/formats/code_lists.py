"""Finds the codes below `Recovery codes:`, with which somebody logs in who has lost the second factor."""

import re
from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

MAX_LINES = 40
MAX_LINE = 200
SHORTEST_CODE = 6  # characters
SIGNS = (
    r"(?:recovery|backup|scratch|emergency|rescue|one-time|2fa|mfa|two-factor)[ _\-]"
    r"(?:(?:pass|access|login|log-in|security|2fa|mfa)[ _\-]?)?(?:pass)?codes"
    r"|(?:recovery|2fa|mfa|two-factor)(?: (?:recovery|backup))? list"
    r"|(?:wiederherstellungs|ersatz|notfall)-?codes|codes de (?:secours|r.cup.ration)|c.digos de "
    r"(?:recupera|respaldo|backup)"
    r"|\b(?:recovery|backup|scratch): [a-z0-9]{4,6}-[a-z0-9]{4,6}(?:-[a-z0-9]+)*[ ,;]+[a-z0-9]{4,6}-"
    r"|codici di (?:recupero|backup)|herstelcodes|kody (?:zapasowe|odzyskiwania)|kurtarma kodlar"
)
_HEADS = LinearPattern(SIGNS, ignore_case=True)
_CODE = r"\d{3,5}(?: \d{3,5}){1,3}|[A-Za-z0-9]{3,16}(?:-[A-Za-z0-9]{3,16}){0,5}"
_WORD = lazy_regex(_CODE)
_BEHIND = lazy_regex(r"(?i)(?:codes|list|códigos de \w+|codici di \w+|kody \w+)[^\n:]{0,80}:[ \t]{1,4}(?=\S)")
_BULLET = lazy_regex(r"[ \t]{0,40}(?:[-*•][ \t]|\d{1,2}[.):][ \t]?)?[ \t]{0,4}")
_BETWEEN = lazy_regex(r"[ \t,;|]{0,8}")
# `recovery: 1a2b-3c4d 5e6f-7a8b`: the codes alone tell what they are.
_GROUPS = lazy_regex(
    r"(?i)\b(?:recovery|backup|scratch): (?P<codes>(?:[ ,;]{0,2}(?=[a-z0-9\-]{0,24}\d)(?=[0-9\-]{0,24}[a-z])"
    r"(?![a-z]{4,6}-\d{4,6}(?![\w\-]))[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,3}(?![\w\-])){2,16})"
)
_DATE = lazy_regex(r"\d{4}-\d\d-\d\d")


def find_code_lists(text: Text) -> Iterator[Span]:
    """Spans of the codes behind such a heading, and on the lines below it."""
    for start, end in _HEADS.lines(text):
        behind = _BEHIND.search(text.text, start, min(end, start + MAX_LINE))
        if behind is not None:
            yield from _codes(text.text, behind.end(), min(end, behind.end() + MAX_LINE))
        yield from (found.span("codes") for found in _GROUPS.finditer(text.text, start, end))
        yield from _below(text.text, end + 1)


def _below(text: str, at: int) -> list[Span]:
    """The codes on the next lines, up to a line that holds anything else.

    A code of letters alone counts where another one of the list has groups as long as its own.
    """
    words: list[Span] = []
    for _ in range(MAX_LINES):
        end = text.find("\n", at, at + MAX_LINE)
        end = min(len(text), at + MAX_LINE) if end < 0 else end
        line = text[at:end]
        if at >= len(text) or (words and not line.strip()):
            break
        if line.strip() and REDACTED not in line:
            found = _words(text, at, end)
            if not found:
                break
            words += found
        at = end + 1
    shapes = {_shape(text, word) for word in words if _is_code(text[word[0] : word[1]])}
    return [word for word in words if _shape(text, word) in shapes]


def _words(text: str, start: int, end: int) -> list[Span]:
    """The words of a line that holds nothing but what may be codes; [] of any other line."""
    bullet = _BULLET.match(text, start, end)
    at = bullet.end() if bullet is not None else start
    words = []
    while (word := _WORD.match(text, at, end)) is not None:
        words.append(word.span())
        between = _BETWEEN.match(text, word.end(), end)
        at = between.end() if between is not None else word.end()
        if at == word.end():
            break
    return words if at == end else []


def _codes(text: str, start: int, end: int) -> Iterator[Span]:
    """Codes on the line of the heading, up to the first word that is none."""
    at = start
    while (word := _WORD.match(text, at, end)) is not None and _is_code(word[0]):
        yield word.span()
        between = _BETWEEN.match(text, word.end(), end)
        at = between.end() if between is not None else word.end()


def _is_code(word: str) -> bool:
    return len(word) >= SHORTEST_CODE and any(map(str.isdigit, word)) and _DATE.match(word) is None


def _shape(text: str, word: Span) -> tuple[int, ...]:
    return tuple(map(len, re.split("[ -]", text[word[0] : word[1]])))
