"""Finds secrets by the words around them: a statement of SQL, a prompt, two lines that belong together.

The rows stand in `phrase_table.py`. Each has a literal that must occur (in lower case) and a pattern that
is tried on the lines around it. Group `value` is the secret; where there is a group `name`, that name
decides how secret it is.
"""

import re
from collections.abc import Iterator, Sequence

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.phrases.phrase import Phrase
from babysitter.redact.phrases.phrase_table import PHRASES
from babysitter.redact.settings.names import judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_secret
from babysitter.redact.text_spans import REDACTED, PatternSet, Span, Text

MAX_LINE = 2_000  # characters of a further line that are read


def _in_view(near: str) -> str:
    """The literal as `Text.lower` has it: "?" for what is not ASCII."""
    return near.encode("ascii", "replace").decode()


def _written(near: str) -> str:
    """The literal as a pattern of the linear scanner."""
    return re.escape(_in_view(near))


_ROW_OF_NEAR = [phrase for phrase in PHRASES for _ in phrase.near]
_NEARS = PatternSet([_written(near) for phrase in PHRASES for near in phrase.near])
SIGNS = "|".join(sorted({_written("└ "), *(_written(near) for phrase in PHRASES for near in phrase.near)}))


def find_phrases(text: Text) -> Iterator[Span]:
    """Spans of the secrets that the rows of the table find."""
    rows = {_ROW_OF_NEAR[number].id: _ROW_OF_NEAR[number] for number in _NEARS.found_in(text)}
    yield from _of_rows(text, tuple(rows.values()))
    yield from _pointed_at(text)


def _of_rows(text: Text, phrases: Sequence[Phrase]) -> Iterator[Span]:
    for phrase in phrases:
        for begin, end in _places(text, phrase):
            for found in phrase.pattern.finditer(text.text, begin, end):
                yield from _secret(found, phrase)


def _places(text: Text, phrase: Phrase) -> Iterator[Span]:
    """The lines around each occurrence; every line is read as often as windows overlap, which is bounded."""
    if phrase.hint is not None:
        yield from (_window(text, start, phrase) for start, _ in phrase.hint.lines(text))
        return
    for near in map(_in_view, phrase.near):
        at = text.lower.find(near)
        while at >= 0:
            position = at + len(near) - 1
            yield _window(text, position, phrase)
            at = text.lower.find(near, text.line_of(position)[1] + (1 if near[0] != "\n" else 0))


def _window(text: Text, position: int, phrase: Phrase) -> Span:
    """The line of a position and, as the phrase wants, lines before and after it."""
    begin, end = text.line_of(position)
    for _ in range(phrase.lines_before):
        if begin == 0 or begin - 1 - (earlier := text.text.rfind("\n", 0, begin - 1)) > MAX_LINE:
            break
        begin = earlier + 1
    for _ in range(phrase.lines_after):
        if end >= len(text.text):
            break
        next_end = text.text.find("\n", end + 1, end + 1 + MAX_LINE)
        end = next_end if next_end >= 0 else min(len(text.text), end + 1 + MAX_LINE)
    return begin, end


def _secret(found: re.Match[str], phrase: Phrase) -> Iterator[Span]:
    name = found["name"] if "name" in phrase.pattern.groupindex else None
    judged = phrase.judged if name is None else judge_name(name[-MAX_NAME:])
    if not found["value"].startswith(REDACTED) and is_secret(found["value"], judged):
        yield found.span("value")


_POINTER = lazy_regex(
    r"└ (?:[bru]{0,2}[\"'](?P<quoted>[^\"'\n]{1,2000})[\"']|(?P<bare>[^\s<(\[{][^\n]{0,400}))"
)
_IDENTIFIER = lazy_regex(r"\w{1,128}")
MAX_POINTERS = 16  # lines of values below one line of code


def _pointed_at(text: Text) -> Iterator[Span]:
    """Values below a line of code, each joined to its name by a line of `│` (loguru's tracebacks)."""
    plain, at = text.text, text.text.find("└ ")
    while at >= 0:
        begin, end = text.line_of(at)
        found = _POINTER.match(plain, at, end)
        if found is not None and (name := _name_above(plain, begin, at - begin)):
            group = "quoted" if found["quoted"] is not None else "bare"
            if is_secret(found[group], judge_name(name)) and not found[group].startswith(REDACTED):
                yield found.span(group)
        at = plain.find("└ ", at + 1)


def _name_above(text: str, line: int, column: int) -> str:
    """The name in the line of code above this column; "" when the column does not lead to one."""
    for _ in range(MAX_POINTERS):
        if line == 0:
            return ""
        line = text.rfind("\n", 0, line - 1) + 1
        letter = text[line + column : line + column + 1]
        if letter in ("│", "└", " "):
            continue
        found = _IDENTIFIER.match(text, line + column) if letter != "\n" else None
        return found[0] if found is not None else ""
    return ""
