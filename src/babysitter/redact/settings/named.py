"""Finds values of secret names, in every way of writing a setting down.

`name=value`, `name: value`, `"name": "value"` at any depth of escaping, `--name value`, `-e NAME value`,
`('name', 'value')`, `<name>value</name>`, `name | value`, aligned columns, `{"name": "NAME", "value":
"..."}`, a whole structure behind a name, and prose such as `the password is ...`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.formats.structure_behind_name import secret_leaves
from babysitter.redact.settings.name_scan import find_names, is_named_by, may_have_value, with_earlier_word
from babysitter.redact.settings.names import Name, at_most_probable, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_fingerprint, is_secret
from babysitter.redact.settings.simple_values import NOTHING, simple_value
from babysitter.redact.settings.value_context import (
    ENDS_OF_WRONG,
    is_about_file,
    is_address_of_user,
    is_field,
    is_object,
    is_of_code,
    is_sentence,
)
from babysitter.redact.settings.value_shapes import is_passphrase, is_uuid, looks_random
from babysitter.redact.settings.value_signs import (
    ARGUMENT,
    ASSIGN,
    CALLED,
    COLUMN,
    CONTINUED,
    DASH,
    GIVES,
    LINK,
    NAME_VALUE,
    NO_VALUE,
    OBJECT,
    OBJECT_OF_VALUE,
    PAIR,
    PROSE,
    QUERY_VALUE,
    ROW,
    SAYS_SO,
    SETS,
    TUPLE,
    VALUE_NAME,
    WEAK_SIGNS,
    XML,
    XML_ATTRIBUTES,
)
from babysitter.redact.settings.value_span import bare, begins_line, quoted, random_word
from babysitter.redact.settings.words_of_settings import words_of_setting
from babysitter.redact.text_spans import Span, Text

MAX_ELEMENT = 4_096
MAX_CELL = 512
FARTHEST_VALUE = 600
SHORTEST_MENTIONED = 7  # characters of a password in a sentence
SHORTEST_SURE = 20
_QUOTES = ('"', "'", "`")
_UNCERTAIN = (Name.POSSIBLE, Name.PROBABLE)
_BRACKETS = ("{", "[", "(")
_IN_QUERY = ("?", "&", ";")
_IN_FORM = ("?", "&", '"', "'")
_CLOSED = lazy_regex(r"</|&lt;/|&#60;/|u003[cC]/")
_NO_NAME = lazy_regex(
    r"/etc/passwd$|arn:[\w\-]*:secretsmanager:[\w\-]*:\d*:secret$"
    r"|(?<![\w\-])(?:checksum|digest|hash|sha256|sha1|md5|revision)[_\-]?/[\w.\-]{1,64}$"
)
_URL_USER = lazy_regex(r"[^\s/\"'<>]{1,512}@(?=[\w\-]{1,64}[.:])")
# The id of a key; behind it stand the day, the region and the service that a signature is for.
_SCOPED_ID = lazy_regex(
    r"[^\s/%]{4,128}(?=(/|%2[fF])\d{8}\1[\w\-]{2,30}\1[\w\-]{2,30}\1(?:aws4|goog4)_request)"
)
_CELL = lazy_regex(r"[A-Za-z0-9_\-+/=.~:]{12,512}")
_SCHEME = lazy_regex(
    r"\{[A-Za-z][\w\-]{1,15}\}(?=[\w+/$.])"
)  # of a hash: `{SSHA}...` (RFC 2307), `{bcrypt}...`
_JOINED = lazy_regex(r"\w_\w|\w-\w{1,20}-\w")  # the name of a setting or a header, and no word
_QUALIFIED = lazy_regex(r"[\"'][\w.\-/:]{1,60}[:/]$")
_ESCAPED = lazy_regex(r"\\[nrtbf]")
_ESCAPED_BYTE = lazy_regex(r"(?:25){0,3}[0-9A-Fa-f]{2}(?=[A-Za-z_])")  # `%3BPWD`; `%253Bpwd`, escaped twice


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name that stands in a text from `start` to `end`, and how secret its value is."""

    text: str
    name: str
    judged: Name
    start: int
    end: int

    @property
    def is_flag(self) -> bool:
        return self.name.startswith("-")

    @property
    def before(self) -> str:
        """The character before the name."""
        return self.text[self.start - 1 : self.start]


FirstLook = Callable[[str, int, int], Span | None]


def find_named(text: Text, first_look: FirstLook = simple_value) -> Iterator[Span]:
    """Spans of the values of secret names. `first_look`: finds the most common ones, and only saves time."""
    at = walked = 0  # ends of the last value and of the last structure
    for start, end in find_names(text):
        if start < at:
            continue
        if (simple := first_look(text.text, start, end)) is not None:
            if simple != NOTHING:
                yield simple
                at = simple[1]
            continue
        if not may_have_value(text.text, start, end):
            continue
        setting = _setting(text.text, start, end)
        if setting.judged is Name.INNOCENT or setting.name.lower().endswith("authorization"):
            continue  # http_headers.py reads `Authorization`
        if (before := _value_before(setting)) is not None:
            yield before
        place = _place(setting)
        if place is None:
            continue
        begin, span = place
        if span is not None:
            yield span
            at = span[1]
        elif setting.end >= walked and text.text[begin : begin + 1] in _BRACKETS:
            leaves, walked = secret_leaves(text.text, begin, setting.judged)
            yield from leaves


def _setting(text: str, start: int, end: int) -> NamedValue:
    """The name without an escape (`\\n`, `%3B`) that runs into it and the full stop behind it, judged."""
    if start and text[start] in "nrtbf" and _ESCAPED.match(text, start - 1):
        start += 1
    if text[start - 1 : start] == "%" and (code := _ESCAPED_BYTE.match(text, start, end)) is not None:
        start = code.end()
    while end > start and text[end - 1] in ".-":
        end -= 1
    while start < end and text[start] == ".":
        start += 1
    name = text[start:end]
    judged = judge_name(name[-MAX_NAME:])
    if name[:2] in ("-D", "-P") and name[2:3].isalpha():  # of Java, of Gradle
        judged = judge_name(name[2:][-MAX_NAME:])
    before, sign = text[max(0, start - 2) : start], text[start - 1 : start]
    if (sign == "/" or before in ENDS_OF_WRONG) and is_about_file(text, start, end):
        judged = Name.INNOCENT
    if sign in ("/", ":") and _NO_NAME.search(text, max(0, start - 120), end):
        judged = Name.INNOCENT
    if before == "${" and text[end : end + 2].lstrip(":")[:1] == "?":
        judged = Name.INNOCENT  # `${NAME:?message}` of a shell
    if judged is Name.POSSIBLE or judged is Name.PROBABLE:
        judged = with_earlier_word(text, start, name, judged)
    if judged is Name.POSSIBLE and sign in _IN_QUERY and name.lower().endswith("signature"):
        judged = Name.PROBABLE  # `?X-Amz-Signature=`: who has the whole address may read what it points to
    return NamedValue(text, name, judged, start, end)


Place = tuple[int, Span | None]  # where the value begins; its span, None when it is none or a structure


def _place(setting: NamedValue) -> Place | None:
    """Where the value of a name stands; None when nothing of the kind follows it."""
    ways = (_assigned, _as_argument, _in_prose) if setting.is_flag else _WAYS
    return next((place for way in ways if (place := way(setting)) is not None), None)


def _assigned(setting: NamedValue) -> Place | None:
    text, end = setting.text, setting.end
    if is_named_by(text, setting.start) and (found := NAME_VALUE.match(text, end)):
        return found.end(), _value(setting, found.end(), setting.judged)
    if (found := ASSIGN.match(text, end)) is not None:
        if _is_end_of_string(setting, found):
            return found.end(), None
        weaker = at_most_probable(setting.judged) if _is_weak(found[0]) else setting.judged
        return found.end(), _joined(setting, _assigned_value(setting, found, weaker))
    if _is_end_of_quoted(setting) and (found := TUPLE.match(text, end)) is not None:
        is_sure = setting.is_flag or setting.name.isupper()
        weaker = setting.judged if is_sure else at_most_probable(setting.judged)
        return found.end(), _value(setting, found.end(), weaker)
    if setting.before == "{" and (found := PAIR.match(text, end)) is not None:
        return found.end(), _value(setting, found.end(), setting.judged)
    found = XML.match(text, end)
    if found is None and setting.before in ("<", ":"):
        found = XML_ATTRIBUTES.match(text, end)
    if found is not None and _CLOSED.search(text, found.end(), found.end() + MAX_ELEMENT) is not None:
        return found.end(), _value(setting, found.end(), setting.judged)
    return None


def _is_end_of_quoted(setting: NamedValue) -> bool:
    """Whether a string may end with the name: `"x-acme-token"`, `"acme:x-token"`."""
    if setting.before in _QUOTES:
        return True
    earliest = max(0, setting.start - 64)
    return (
        setting.before in (":", "/") and _QUALIFIED.search(setting.text, earliest, setting.start) is not None
    )


def _is_weak(sign: str) -> bool:
    """Whether what stands behind the sign may be something else than the value."""
    around = OBJECT.search(sign)
    return WEAK_SIGNS.search(sign) is not None or (
        around is not None and OBJECT_OF_VALUE.match(around[1]) is None
    )


def _assigned_value(setting: NamedValue, sign: re.Match[str], judged: Name) -> Span | None:
    whole = QUERY_VALUE.match(setting.text, setting.end) if setting.before in _IN_FORM else None
    if whole is not None and is_secret(whole[1], judged):  # it holds an escaped `&` or blank
        return whole.span(1)
    words = words_of_setting(setting.text, (setting.start, setting.end), sign, setting.judged)
    span = words or _value(setting, sign.end(), judged, is_colon=":" in sign[0])
    if span is not None and (scoped := _SCOPED_ID.match(setting.text, *span)) is not None:
        return scoped.span()
    if span is None or not setting.text.startswith("://", setting.start - 3):
        return span
    # `https://x-access-token:...@host`: the host stays
    user = _URL_USER.match(setting.text, span[0], span[1])
    return span if user is None else (span[0], user.end() - 1)


def _joined(setting: NamedValue, span: Span | None) -> Span | None:
    """The span with the strings right behind it, which a program joins: `'one' 'two'`."""
    if span is None or setting.is_flag or setting.text[span[0] - 1] not in ('"', "'"):
        return span
    quote = setting.text[span[0] - 1]
    while setting.text.startswith(quote, span[1]):
        between = CONTINUED.match(setting.text, span[1] + 1)
        if between is None or not setting.text.startswith(quote, between.end()):
            break
        string = quoted(setting.text, between.end())
        if string is None or not is_secret(setting.text[string[0][0] : string[0][1]], Name.PROBABLE):
            break
        span = (span[0], string[0][1])
    return span


def _is_end_of_string(setting: NamedValue, sign: re.Match[str]) -> bool:
    """`"token="`: the quote behind the sign closes what the quote before the name opened."""
    behind = setting.text[sign.end() : sign.end() + 1]
    return (
        sign[0][0] not in "\"'`\\"
        and behind in _QUOTES
        and (behind == setting.before or setting.before + behind == "`'")
    )


def _as_argument(setting: NamedValue) -> Place | None:
    is_set = not setting.is_flag and SETS.search(setting.text, max(0, setting.start - 16), setting.start)
    if not setting.is_flag and not is_set and not (setting.name.isupper() and len(setting.name) > 4):
        return None
    found = ARGUMENT.match(setting.text, setting.end)
    if found is None or NO_VALUE.match(setting.text, found.end()):
        return None
    if not setting.is_flag and LINK.match(setting.text, found.end()) is not None:
        return None  # `HF_TOKEN is set to ...`
    judged = setting.judged if setting.is_flag or is_set else at_most_probable(setting.judged)
    span = _value(setting, found.end(), judged)
    if span is not None and is_sentence(setting.text, span):
        span = None  # the manual's `--password options are ...`
    return found.end(), span


def _in_column(setting: NamedValue) -> Place | None:
    found = COLUMN.match(setting.text, setting.end)
    if found is None:
        return None
    judged = at_most_probable(setting.judged)
    if "|" in found[0] and (cell := _first_cell(setting.text, found.end(), judged)) is not None:
        return found.end(), cell
    return found.end(), _value(setting, found.end(), judged)


def _first_cell(text: str, start: int, judged: Name) -> Span | None:
    """The cell of a row without blanks around its bars; None when it does not look random by itself."""
    bar = text.find("|", start, start + MAX_CELL)
    cell = text[start:bar] if bar > start else ""
    is_random = _CELL.fullmatch(cell) is not None and looks_random(cell, hex_too=True)
    return (start, bar) if is_random and is_secret(cell, judged) else None


def _in_row(setting: NamedValue) -> Place | None:
    """`NAME,value`, alone on its line, as in a table of settings."""
    if setting.before not in ("", "\n") or (found := ROW.match(setting.text, setting.end)) is None:
        return None
    return found.end(), _value(setting, found.end(), at_most_probable(setting.judged))


def _in_prose(setting: NamedValue) -> Place | None:
    """`the password is x`, and a random string right behind a name."""
    found = PROSE.match(setting.text, setting.end)
    if found is None:
        return None
    if setting.judged is Name.POSSIBLE:
        span = _value(setting, found.end(), Name.POSSIBLE) if _JOINED.search(setting.name) else None
        is_line = span is not None and _is_line(setting, span)
        return (found.end(), span) if is_line else None
    if setting.before in _QUOTES and setting.text[found.end()] in _BRACKETS:
        return None  # `variable "password" {`
    span = _value(setting, found.end(), at_most_probable(setting.judged))
    if span is None or SAYS_SO.search(found[0]) or _is_quoted_or_alone(setting, span):
        return found.end(), span
    word = setting.text[span[0] : span[1]]
    is_mixed = len(word) >= SHORTEST_MENTIONED and any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    is_known = is_mixed and (setting.judged is Name.PASSWORD or looks_random(word, hex_too=True))
    is_known = is_known or (_JOINED.search(setting.name) is not None and _is_sure(word, is_mixed=is_mixed))
    return found.end(), span if is_known else None


def _is_sure(word: str, *, is_mixed: bool) -> bool:
    """Whether no sentence goes on so behind the name of a setting."""
    return is_uuid(word) or is_passphrase(word) or (is_mixed and len(word) >= SHORTEST_SURE)


def _is_quoted_or_alone(setting: NamedValue, span: Span) -> bool:
    """`invalid api_key '...'`; `spark.hadoop.fs.token x`, which is a whole line."""
    text = setting.text
    if text[span[0] - 1] in _QUOTES:
        return setting.judged in (Name.SECRET, Name.PASSWORD)
    return _is_line(setting, span) and "." in setting.name


def _is_line(setting: NamedValue, span: Span) -> bool:
    """Whether the name and the value are a whole line, as in files of settings that need no sign."""
    text = setting.text
    return begins_line(text, setting.start) and text[span[1] : span[1] + 1] in ("", "\n")


def _called(setting: NamedValue) -> Place | None:
    """`set_token("...")`: what `get_token("...")` is given is more often the name of a token."""
    found = CALLED.match(setting.text, setting.end)
    if found is None:
        return None
    is_given = GIVES.match(setting.name) is not None
    judged = at_most_probable(setting.judged) if is_given else Name.POSSIBLE
    return found.end(), _value(setting, found.end(), judged)


def _behind_dash(setting: NamedValue) -> Place | None:
    """`NAME – value`, alone on its line; more often an explanation follows."""
    found = DASH.match(setting.text, setting.end)
    return None if found is None else (found.end(), _value(setting, found.end(), Name.POSSIBLE))


_WAYS = (_assigned, _called, _in_column, _in_row, _behind_dash, _as_argument, _in_prose)


def _value(setting: NamedValue, start: int, judged: Name, *, is_colon: bool = False) -> Span | None:
    """Span of the value at `start` when it is secret under a name that is judged so."""
    text = setting.text
    string = quoted(text, start)
    if string is not None:
        body = text[string[0][0] : string[0][1]]
        is_template = text[start] in "fF" and "{" in body
        is_read = is_template or is_fingerprint(setting.name, body)
        is_read = is_read or (judged in _UNCERTAIN and is_address_of_user(body))
        is_read = is_read or is_object(text, string[0])
        return string[0] if not is_read and is_secret(body, judged) else None
    if text[start : start + 1] in _BRACKETS and _SCHEME.match(text, start) is None:
        return None
    word = bare(text, start) if judged is not Name.POSSIBLE else random_word(text, start)
    if word is None or not is_secret(text[word[0] : word[1]], judged):
        return None
    body = text[word[0] : word[1]]
    if is_fingerprint(setting.name, body) or (judged in _UNCERTAIN and is_address_of_user(body)):
        return None
    if is_colon and text[start - 1] == " " and (is_sentence(text, word) or is_field(text, word)):
        return None
    return None if is_of_code(text, word) else word


def _value_before(setting: NamedValue) -> Span | None:
    """`{"value": "...", "name": "HF_TOKEN"}`: the value stands before the name."""
    earliest = max(0, setting.start - FARTHEST_VALUE)
    if not is_named_by(setting.text, setting.start) or "alue" not in setting.text[earliest : setting.start]:
        return None
    found = VALUE_NAME.search(setting.text, earliest, setting.start)
    if found is None or not is_secret(found[2], setting.judged):
        return None
    return found.span(2)
