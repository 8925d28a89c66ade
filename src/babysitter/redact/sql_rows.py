"""Finds secrets in rows that a statement of SQL writes: the list of columns says which value is one.

`INSERT INTO users (name, password) VALUES ('ada', '...')`, the rows below `COPY users (name, password) FROM
stdin` (https://www.postgresql.org/docs/current/sql-copy.html), and the parameters that SQLAlchemy prints
below a statement.
"""

from collections.abc import Iterator, Sequence

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.labels import judge_label
from babysitter.redact.names import Name, judge_name
from babysitter.redact.secret_verdict import MAX_NAME, is_secret
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

MAX_ROWS = 1_000
MAX_STATEMENT = 65_536  # characters
SIGNS = r"\b(?:insert|replace) (?:[a-z]+ )?into |\bcopy [^\n]+\) from std"
_STATEMENTS = LinearPattern(SIGNS, ignore_case=True)
_COLUMNS = lazy_regex(
    r"(?i)\b(?:insert|replace) (?:\w+ )?into [^\s(]{1,200}\s{0,8}\((?P<insert>[^()]{1,4000})\)\s{0,40}"
    r"(?:\w{1,20} ){0,3}?values?\s{0,40}(?=\()"
    r"|\bcopy [^\s(]{1,200}\s{0,4}\((?P<copy>[^()]{1,4000})\) from std\w{2,3}[^\n]{0,200}\n"
)
_OPEN = lazy_regex(r"\s{0,40},?\s{0,40}\(\s{0,8}")
_VALUE = lazy_regex(
    r"[EeNnBbXx]?'(?P<single>(?:[^'\\\n]|''|\\.){0,8000})'|\"(?P<double>(?:[^\"\\\n]|\\.){0,8000})\""
    r"|(?P<bare>[^\s,()'\"]{1,400}(?:\([^()\n]{0,400}\))?)"
)
_NEXT = lazy_regex(r"\s{0,8}(?P<sign>[,)])\s{0,8}")
_PARAMETERS = lazy_regex(r"[^\[]{0,400}\[parameters: (?=\(\(?['\"\d])")
_PLACEHOLDERS = ("%", "?", ":", "$")


def find_sql_rows(text: Text) -> Iterator[Span]:
    """Spans of the values of columns whose name is that of a secret."""
    done = 0
    for start, _ in _STATEMENTS.spans(text):
        found = _COLUMNS.search(text.text, start, start + MAX_STATEMENT) if start >= done else None
        if found is None or found.start() > start + 40:
            continue
        done = found.end()
        judged = _columns(found["insert"] or found["copy"])
        if all(name is Name.INNOCENT for name in judged):
            continue
        rows = _lines(text.text, done, judged) if found["copy"] else _tuples(text.text, done, judged)
        for span in rows:
            yield span
            done = span[1]


def _columns(names: str) -> Sequence[Name]:
    columns = [column.strip(" \t\n`\"'[]") for column in names.split(",")]
    judged = [judge_name(column[-MAX_NAME:]) for column in columns]
    return [
        judge_label(column) if name is Name.INNOCENT else name
        for column, name in zip(columns, judged, strict=True)
    ]


def _tuples(text: str, at: int, judged: Sequence[Name]) -> Iterator[Span]:
    """The secrets of `(...), (...)`; where placeholders stand there, those of the parameters behind them."""
    limit = min(len(text), at + MAX_STATEMENT)
    for _ in range(MAX_ROWS):
        opened = _OPEN.match(text, at, limit)
        if opened is None:
            return
        at = opened.end()
        if text.startswith(_PLACEHOLDERS, at) and (found := _PARAMETERS.match(text, at, limit)) is not None:
            at = found.end() + (2 if text.startswith("((", found.end()) else 1)
        values, at = _row(text, at, limit)
        if len(values) == len(judged):
            yield from _secrets(text, values, judged)


def _row(text: str, at: int, limit: int) -> tuple[list[Span], int]:
    """The values up to the closing bracket, without their quotes."""
    values: list[Span] = []
    while (value := _VALUE.match(text, at, limit)) is not None:
        values.append(value.span(value.lastgroup or 0))
        sign = _NEXT.match(text, value.end(), limit)
        at = value.end() if sign is None else sign.end()
        if sign is None or sign["sign"] == ")":
            break
    return values, at


def _lines(text: str, at: int, judged: Sequence[Name]) -> Iterator[Span]:
    """The secrets of lines whose values are divided by tabs, up to the line `\\.`."""
    for _ in range(MAX_ROWS):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        cells = text[at:end].split("\t")
        if at >= len(text) or len(cells) != len(judged):
            return
        spans, begin = [], at
        for cell in cells:
            spans.append((begin, begin + len(cell)))
            begin += len(cell) + 1
        yield from _secrets(text, spans, judged)
        at = end + 1


def _secrets(text: str, values: Sequence[Span], judged: Sequence[Name]) -> Iterator[Span]:
    for (start, end), name in zip(values, judged, strict=True):
        value = text[start:end]
        if value != "\\N" and not value.startswith((*_PLACEHOLDERS, REDACTED)) and is_secret(value, name):
            yield start, end
