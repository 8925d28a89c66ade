"""Finds secrets in rows that a statement of SQL writes: the list of columns says which value is one.

`INSERT INTO users (name, password) VALUES ('ada', '...')`, the rows below `COPY users (name, password) FROM
stdin` (https://www.postgresql.org/docs/current/sql-copy.html), and the parameters of a statement with
placeholders, also of `UPDATE users SET password = ?`.
"""

from collections.abc import Iterable, Iterator, Sequence

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.formats.sql_values import PLACEHOLDERS, read_parameters, read_row
from babysitter.redact.phrases.labels import judge_label
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_secret
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

MAX_ROWS = 1_000
MAX_STATEMENT = 65_536  # characters
_PLACEHOLDER = r"(?:\?|%s|\$[0-9]{1,3}|:[a-z0-9]|@p[0-9])"
SIGNS = (
    r"\b(?:insert|replace) (?:[a-z]+ )?into |\bcopy [^\n]+\) from std"
    rf"|\bupdate [^\n ]+ set [^\n]*= ?{_PLACEHOLDER}"
)
_STATEMENTS = LinearPattern(SIGNS, ignore_case=True)
_COLUMNS = lazy_regex(
    r"(?i)\b(?:insert|replace) (?:\w+ )?into [^\s(]{1,200}\s{0,8}\((?P<insert>[^()]{1,4000})\)\s{0,40}"
    r"(?:\w{1,20} ){0,3}?values?\s{0,40}(?=\()"
    r"|\bcopy [^\s(]{1,200}\s{0,4}\((?P<copy>[^()]{1,4000})\) from std\w{2,3}[^\n]{0,200}\n"
)
_OPEN = lazy_regex(r"\s{0,40},?\s{0,40}\(\s{0,8}")
_UPDATE = lazy_regex(r"(?i)update \S{1,200} set ")
# What is compared in the condition has a place among the parameters too.
_SET = lazy_regex(rf"(?i)([\w.]{{1,128}})[`\"\]]?\s{{0,4}}(?:=|<>|[<>]=?|\blike\b)\s{{0,4}}{_PLACEHOLDER}")


def find_sql_rows(text: Text) -> Iterator[Span]:
    """Spans of the values of columns whose name is that of a secret."""
    done = 0
    for start, _ in _STATEMENTS.spans(text):
        if start < done:
            continue
        update = _UPDATE.match(text.text, start)
        rows = _updated(text, update.end()) if update is not None else _written(text.text, start)
        for span in rows:
            yield span
            done = span[1]


def _updated(text: Text, start: int) -> Iterator[Span]:
    """The secrets among the parameters of `UPDATE ... SET`."""
    end = text.line_of(start)[1]
    columns = list(_SET.finditer(text.text, start, end))
    if columns:
        judged = _columns(column[1] for column in columns)
        yield from _of_placeholders(text.text, columns[-1].end(), judged)


def _written(text: str, start: int) -> Iterator[Span]:
    """The secrets of the rows that `INSERT` and `COPY` write."""
    found = _COLUMNS.search(text, start, start + MAX_STATEMENT)
    if found is None or found.start() > start + 40:
        return
    judged = _columns((found["insert"] or found["copy"]).split(","))
    if any(name is not Name.INNOCENT for name in judged):
        read = _lines if found["copy"] else _tuples
        yield from read(text, found.end(), judged)


def _columns(names: Iterable[str]) -> Sequence[Name]:
    columns = [column.strip(" \t\n`\"'[]") for column in names]
    judged = [judge_name(column[-MAX_NAME:]) for column in columns]
    return [
        judge_label(column) if name is Name.INNOCENT else name
        for column, name in zip(columns, judged, strict=True)
    ]


def _tuples(text: str, at: int, judged: Sequence[Name]) -> Iterator[Span]:
    """The secrets of `(...), (...)`; where placeholders stand there, those of their parameters."""
    limit = min(len(text), at + MAX_STATEMENT)
    for _ in range(MAX_ROWS):
        opened = _OPEN.match(text, at, limit)
        if opened is None:
            return
        values, at = read_row(text, opened.end(), limit)
        if len(values) != len(judged):
            continue
        yield from _secrets(text, values, judged)
        places = [place for place, span in enumerate(values) if text.startswith(PLACEHOLDERS, span[0])]
        if places:
            yield from _of_placeholders(text, at, [judged[place] for place in places])


def _of_placeholders(text: str, at: int, judged: Sequence[Name]) -> Iterator[Span]:
    """The secrets among the parameters behind a statement, whose placeholders stand for these columns."""
    for place, span in read_parameters(text, at, len(judged)):
        if place < len(judged):
            yield from _secrets(text, [span], [judged[place]])


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
        if value != "\\N" and not value.startswith((*PLACEHOLDERS, REDACTED)) and is_secret(value, name):
            yield start, end
