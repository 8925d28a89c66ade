"""Finds secrets by their place: a column under a secret heading, a YAML block, a section of an ini file."""

import re
from collections.abc import Iterator, Sequence

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.phrases.labels import judge_label, lines_with_labels
from babysitter.redact.settings.name_scan import lines_with_names
from babysitter.redact.settings.names import Name, at_most_probable, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_secret
from babysitter.redact.settings.value_shapes import is_placeholder, is_spoken, looks_random
from babysitter.redact.settings.value_span import bare, quoted
from babysitter.redact.text_spans import REDACTED, Span, Text, word_set

MAX_TABLE_ROWS = 200
MAX_LINE = 2_000  # of a heading
_RULE = lazy_regex(r"^[\s\-+=|─━┄╌═╞╪╡├┼┤┏┳┓┡╇┩┗┻┛└┴┘┌┬┐╭╮╰╯│┃]*$")
_HEADING = lazy_regex(r"[^\W\d_][\w .\-]{0,40}$")
# No heading has these letters, nor, without bars, a cell that begins with another than a letter.
_QUOTED_ROW = lazy_regex(r"[ \t]{0,8}\"[^\"\n]{0,200}\"(?:[,;]\"[^\"\n]{0,4000}\"){1,40}[ \t]*$")
_NO_HEADING = lazy_regex(
    r"[^\w .\-│┃║|\t,;]|^[ \t]*[^A-Za-z\u00c0-\uffff \t|]"
    r"|^[^│┃║|\n]*(?:  |\t)[ \t]*[^A-Za-z\u00c0-\uffff \t|][^│┃║|\n]*$"
)
_BLOCK = lazy_regex(
    r"^([ \t]{0,80}(?:- )?)[\"']?([A-Za-z_][\w.\-]{0,80})[\"']?:[ \t]*(?:[|>][+-]?\d?|&\w+)?[ \t]*$"
)
_ENTRY = lazy_regex(r"^([ \t]{0,80})(- )?(?:[\"']?([A-Za-z_][\w.\-]{0,80})[\"']?:[ \t]+)?(?=\S)")
_NAME_ALONE = lazy_regex(
    r"[ \t]{0,80}(?:(?:#{1,3}|//|--|;) )?[\"']?(?:\$|(?:[\w.\-]{0,64}/){1,8})?"
    r"((?:[A-Za-z]{1,20} ){0,3}[A-Za-z_][\w.\-]{0,80})[\"']?[ \t]*[:=]?[ \t]*$"
)
_ALONE_BELOW = lazy_regex(
    r"[ \t]{0,80}(?:\[1\] )?[\"']?([A-Za-z0-9_\-+/=.~]{16,4096})[\"']?[ \t]*$", re.MULTILINE
)
_SECTION = lazy_regex(r"^[ \t]{0,8}\[{1,2}([\w.\- \"]{1,80})\]{1,2}[ \t]*$")
_SETTING = lazy_regex(r"^[ \t]{0,16}([\w.\-]{1,80})[ \t]*=[ \t]*(?=\S)")
# What every reader below needs: a column's divider, or a line that opens what follows.
_OPENS = lazy_regex(
    r"[\t|│┃║,;]|  |[:|>+\-]\s*$|^\s*\[|^\s*(?:password|passphrase|passwd)[ \t]|&\w+[ \t]*$"
    r"|^\s*kind: Secret\s*$"
)
_ALONE = lazy_regex(r"[ \t]*(password|passphrase|passwd)[ \t]+(\S{1,256})[ \t]*$")


_PASSWORDS_OF_USERS = word_set("pass pin passcode")
_USERS = word_set("user users username login account acct usr email mail owner") | {"user name", "e-mail"}
_RESULTS = word_set("fail failed fails failure failures skip skipped total tests")


def find_by_layout(text: Text) -> Iterator[Span]:
    """Spans of secrets whose name stands on another line, or alone before them."""
    done = 0
    for start, end in lines_with_names(text):
        if start < done or end - start > MAX_LINE:
            continue
        line = text.text[start:end]
        below = None if "=" in line.rstrip(" \t=") else _ALONE_BELOW.match(text.text, end + 1)
        if below is not None and _is_name_of_below(line, below[1]):
            yield below.span(1)
            continue
        if _OPENS.search(line) is None:
            continue
        if (alone := _ALONE.match(line)) is not None and not is_placeholder(alone[2]):
            yield start + alone.start(2), start + alone.end(2)
            continue
        if end == len(text.text):
            return
        for reader in (_block, _section, _table):
            spans, at = reader(text.text, end + 1, line)
            yield from spans
            if at > end + 1:
                done = at
                break


def find_below_labels(text: Text) -> Iterator[Span]:
    """Spans of the cells below a heading in another language than English."""
    done = 0
    for start, end in lines_with_labels(text):
        if start >= done and end - start <= MAX_LINE:
            spans, done = _table(text.text, end + 1, text.text[start:end])
            yield from spans


Read = tuple[list[Span], int]  # spans, and where to go on from


def _lines_from(text: str, at: int) -> Iterator[Span]:
    """The next lines, as many as a table may have."""
    for _ in range(MAX_TABLE_ROWS):
        if at > len(text):
            return
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield at, end
        at = end + 1


def _block(text: str, at: int, line: str) -> Read:
    """`secrets:` on a line of its own, and what is indented below it; also `data:` of a Kubernetes Secret."""
    if line.strip() == "kind: Secret":
        return _kubernetes(text, at)
    head = _BLOCK.match(line) if line.rstrip()[-1:] in tuple(":|>-+") else None
    if head is None:
        return [], at
    judged = judge_name(head[2][-MAX_NAME:])
    if judged is Name.POSSIBLE and head[2].endswith("s"):  # a list of what one of them is called
        judged = at_most_probable(judge_name(head[2][-MAX_NAME:-1]))
    if judged not in (Name.SECRET, Name.PASSWORD, Name.PROBABLE):
        return [], at
    if text[at : at + 1] not in ("", "-") and not text[at : at + 1].isspace():
        return [], at  # nothing is indented below it
    return _below(text, at, len(head[1]), judged, is_text=line.rstrip()[-1] in "|>-+")


def _kubernetes(text: str, at: int) -> Read:
    """The data of a Secret, above its kind (as `kubectl get` sorts the fields) or below it."""
    spans, done = _data_of_secret(text, _document_start(text, at), at)
    below, done = _data_of_secret(text, at, len(text) + 1)
    return spans + below, done


def _document_start(text: str, at: int) -> int:
    """Where the YAML document begins that the line before `at` belongs to."""
    for _ in range(MAX_TABLE_ROWS):
        earlier = text.rfind("\n", 0, max(0, at - 1)) + 1
        if at == 0 or text[earlier:at].strip() == "---":
            return at
        at = earlier
    return at


def _data_of_secret(text: str, at: int, limit: int) -> Read:
    spans: list[Span] = []
    done = at
    for start, end in _lines_from(text, at):
        line = text[start:end]
        if start >= limit or line.strip() == "---" or line.startswith("kind:"):
            break
        if start >= done and line.strip() in ("data:", "stringData:"):
            indent = len(line) - len(line.lstrip())
            found, done = _below(text, end + 1, indent, Name.SECRET, is_text=False, has_any_name=True)
            spans += found
    return spans, done


def _below(
    text: str, at: int, indent: int, judged: Name, *, is_text: bool, has_any_name: bool = False
) -> Read:
    """The entries that are indented more than `indent`, or that are items of a list at it.

    `has_any_name`: also those whose own names say that they are an address, a user, a path.
    """
    spans: list[Span] = []
    for start, end in _lines_from(text, at):
        line = text[start:end]
        if line.strip():
            own_indent = len(line) - len(line.lstrip())
            if own_indent < indent or (own_indent == indent and not line.lstrip().startswith("- ")):
                break
            spans += _entry(
                text, start, line, judged, is_text=is_text, has_any_name=has_any_name, is_first=not spans
            )
        at = end + 1
    return spans, at


def _entry(
    text: str,
    start: int,
    line: str,
    judged: Name,
    *,
    is_text: bool,
    has_any_name: bool,
    is_first: bool,
) -> list[Span]:
    if is_text:
        body = line.strip()
        begin = start + len(line) - len(line.lstrip())
        return [(begin, begin + len(body))] if is_secret(body, judged) else []
    entry = _ENTRY.match(line)
    if entry is None:
        return []
    if not (entry[2] or entry[3]):
        return _word_alone(text, start, line, at_most_probable(judged)) if is_first else []
    own = judge_name(entry[3][-MAX_NAME:]) if entry[3] and not has_any_name else judged
    if own is Name.INNOCENT and judge_name(f"secret_{entry[3]}") is Name.INNOCENT:
        return []
    return _value_span(text, start + entry.end(), start + len(line), judged)


def _word_alone(text: str, start: int, line: str, judged: Name) -> list[Span]:
    """`password:` with its value on a line of its own."""
    begin = start + len(line) - len(line.lstrip())
    span = bare(text, begin)
    if span is None or text[span[1] : start + len(line)].strip() or ":" in text[span[0] : span[1]]:
        return []
    return [span] if is_secret(text[span[0] : span[1]], judged) else []


def _value_span(text: str, start: int, end: int, judged: Name) -> list[Span]:
    if text.startswith(REDACTED, start):
        return []
    string = quoted(text, start)
    span = string[0] if string else bare(text, start)
    if span is None or span[1] > end or not is_secret(text[span[0] : span[1]], judged):
        return []
    return [span]


def _is_name_of_below(line: str, word: str) -> bool:
    """Whether a line is only the name of a secret, and the word that is alone on the next one is random."""
    head = _NAME_ALONE.match(line)
    if head is None:
        return False
    judged = judge_name(head[1].replace(" ", "_")[-MAX_NAME:])
    is_sure = judged in (Name.SECRET, Name.PASSWORD)
    is_probable = judged is Name.PROBABLE and line.rstrip().endswith((":", "="))
    return (is_sure or is_probable) and looks_random(word, least=16, hex_too=True)


def _section(text: str, at: int, line: str) -> Read:
    """`[secrets]` of an ini or TOML file, and the settings below it."""
    head = _SECTION.match(line) if line.lstrip().startswith("[") else None
    if head is None:
        return [], at
    judged = judge_name(head[1].strip('" ')[-MAX_NAME:])
    if judged not in (Name.SECRET, Name.PASSWORD):
        return [], at
    spans: list[Span] = []
    for start, end in _lines_from(text, at):
        below = text[start:end]
        setting = _SETTING.match(below)
        if setting is None and below.strip() and not below.lstrip().startswith(("#", ";")):
            break
        if setting is not None and judge_name(f"secret_{setting[1]}") is not Name.INNOCENT:
            spans += _value_span(text, start + setting.end(), end, judged)
        at = end + 1
    return spans, at


def _table(text: str, at: int, line: str) -> Read:
    """A heading that names a secret, and the cells below it."""
    if _NO_HEADING.search(line) is not None and _QUOTED_ROW.match(line) is None:
        return [], at
    cells = _cells(line)
    if not 2 <= len(cells) <= 40 or not all(_HEADING.match(cell) for cell, _, _ in cells):
        return [], at
    strengths = _strengths([cell for cell, _, _ in cells])
    columns = [
        place for place, judged in enumerate(strengths) if judged not in (Name.INNOCENT, Name.POSSIBLE)
    ]
    if not columns:
        return [], at
    spans: list[Span] = []
    for start, end in _lines_from(text, at):
        row = text[start:end]
        if not (_RULE.match(row) and row.strip()):
            found = _cells(row)
            if len(found) != len(cells):
                break
            for place in columns:
                value, begin, stop = found[place]
                if _is_cell_secret(value, strengths[place]):
                    spans.append((start + begin, start + stop))
        at = end + 1
    return spans, at


def _strengths(headings: Sequence[str]) -> list[Name]:
    """How secret each column is. Beside a user, `pass` and `PIN` are a password: not a count, not a plug."""
    words = {heading.lower() for heading in headings}
    has_user = not words.isdisjoint(_USERS) and words.isdisjoint(_RESULTS)
    return [
        Name.LIKELY_PASSWORD if has_user and heading.lower() in _PASSWORDS_OF_USERS else _of_heading(heading)
        for heading in headings
    ]


def _of_heading(heading: str) -> Name:
    judged = judge_name(heading.replace(" ", "_")[-MAX_NAME:])
    return judge_label(heading) if judged is Name.INNOCENT else judged


_QUOTED_CELL = lazy_regex(r"\"([^\"\n]*)\"")
_DIVIDER = lazy_regex(r"[│┃║|\t,;]|  ")
_DIVIDERS = tuple(map(lazy_regex, (r"[ \t]*[│┃║|][ \t]*", r"[ \t]{2,}|\t", r",[ \t]?", r";[ \t]?")))


def _cells(line: str) -> list[tuple[str, int, int]]:
    """The cells of a line that white space, bars or commas divide, with their places; [] where none do."""
    if len(line) > 1_000 or _DIVIDER.search(line) is None:
        return []
    if line[:1] == '"' and _QUOTED_ROW.match(line):
        return [(cell[1], cell.start(1), cell.end(1)) for cell in _QUOTED_CELL.finditer(line)]
    stripped = line.strip(" \t│┃║|")
    offset = line.find(stripped) if stripped else 0
    for divider in _DIVIDERS:
        cells, at = [], 0
        for between in divider.finditer(stripped):
            cells.append((stripped[at : between.start()], offset + at, offset + between.start()))
            at = between.end()
        if cells:
            return [*cells, (stripped[at:], offset + at, offset + len(stripped))]
    return []


def _is_cell_secret(value: str, judged: Name) -> bool:
    weaker = at_most_probable(judged)
    if weaker is Name.LIKELY_PASSWORD and is_spoken(value):
        return True
    return is_secret(value, weaker) and (weaker is Name.LIKELY_PASSWORD or len(value) >= 6)
