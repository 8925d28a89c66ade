"""Reads the values of a statement of SQL: a row in brackets, and what a program prints for placeholders.

Parameters stand behind the statement or on a line below it: `[parameters: ('ada', '...')]`, `[generated in
0.1s] (...)` (SQLAlchemy), `args=(...)` (Django), `$1 = 'ada', $2 = '...'` (PostgreSQL), `Parameters:
ada(String), ...` (MyBatis), `binding parameter [1] as [VARCHAR] - [...]` (Hibernate).
"""

from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import Span

MAX_BETWEEN = 1_000  # characters between a statement and its parameters
MAX_LIST = 65_536
PLACEHOLDERS = ("%", "?", ":", "$", "@")
_VALUE = lazy_regex(
    r"[EeNnBbXx]?'(?P<single>(?:[^'\\\n]|''|\\.){0,8000})'|\"(?P<double>(?:[^\"\\\n]|\\.){0,8000})\""
    r"|(?P<bare>[^\s,()\[\]'\"]{1,400}(?:\([^()\n]{0,400}\))?)"
)
_NEXT = lazy_regex(r"\s{0,8}(?P<sign>,|[)\]])\s{0,8}")
_LIST = lazy_regex(
    r"(?i)(?:\[(?:generated in|cached since|no key|raw sql|dialect)[^\]\n]{0,80}\] "
    r"|\b(?:args|params|parameters|bindings|binds|variables)[\"']?\s?[=:]\s?|, )(?=[\[(])"
)
_OPEN = lazy_regex(r"[\[(]{1,2}\s{0,8}")
_NEXT_ROW = lazy_regex(r",\s{0,8}\(\s{0,8}")
_TYPED = lazy_regex(r"(?i)\bparameters: (?=[^\n]*\(\w{1,20}\))")
_TYPED_VALUE = lazy_regex(r"(?P<value>[^\n]{0,4000}?)\([A-Z]\w{1,19}\)(?:, |(?=\s|$))|null(?:, |(?=\s|$))")
_NUMBERED = lazy_regex(
    r"\$(?P<number>\d{1,3}) = '(?P<value>(?:[^'\n]|''){0,4000})'"
    r"|binding parameter [\[(](?P<place>\d{1,3})[^\n]{0,60}?(?:- |<- )\[(?P<bound>[^\]\n]{0,4000})\]"
)


def read_row(text: str, at: int, limit: int) -> tuple[list[Span], int]:
    """The values up to the closing bracket, without their quotes, and where they end."""
    values: list[Span] = []
    while (value := _VALUE.match(text, at, limit)) is not None:
        values.append(value.span(value.lastgroup or 0))
        sign = _NEXT.match(text, value.end(), limit)
        at = value.end() if sign is None else sign.end()
        if sign is None or sign["sign"] != ",":
            break
    return values, at


def read_parameters(text: str, at: int, count: int) -> Iterator[tuple[int, Span]]:
    """The parameters of a statement that ends at `at`, with their places from 0.

    `count`: how many placeholders it has; a list of another length belongs to something else.
    """
    limit = min(len(text), at + MAX_BETWEEN)
    listed = _LIST.search(text, at, limit)
    typed = _TYPED.search(text, at, limit)
    if typed is not None:
        yield from enumerate(_typed(text, typed.end()))
    elif listed is not None:
        end = min(len(text), listed.end() + MAX_LIST)
        opened = _OPEN.match(text, listed.end(), end)
        while opened is not None:  # one row for each time that the statement was run
            values, after = read_row(text, opened.end(), end)
            if len(values) == count:
                yield from enumerate(values)
            opened = _NEXT_ROW.match(text, after, end)
    for found in _NUMBERED.finditer(text, at, limit):
        number, group = (found["number"], "value") if found["number"] else (found["place"], "bound")
        yield int(number) - 1, found.span(group)


def _typed(text: str, at: int) -> Iterator[Span]:
    while (value := _TYPED_VALUE.match(text, at)) is not None and value.end() > at:
        yield value.span("value")
        at = value.end()
