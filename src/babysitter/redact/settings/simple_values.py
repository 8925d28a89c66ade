"""Finds the most common secrets in one step: a sure name, one sign, and a value that looks random.

What is found here would be found by `named.py` too, with the same span, at ten times the cost. So every
condition is narrower than there; whatever is doubtful is left to it.
"""

import re
from functools import lru_cache

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.name_scan import is_named_by, with_earlier_word
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_secret
from babysitter.redact.text_spans import Span

_LETTERS = r"[A-Za-z0-9_+/=\-]"
# Of 12 letters and more, with a digit behind a letter; not a date, a number, a placeholder or a type.
_VALUE = (
    r"(?!Optional|Union|Annotated|List|Dict|Tuple|Literal|Any|Callable|Secret|TypeAlias|Sequence)"
    r"(?!\d{4}-?\d\d-?\d\d|[Yy][Oo][Uu][Rr][-_])"
    rf"(?:(?=[A-Za-z]{_LETTERS}{{0,100}}?\d)|(?={_LETTERS}{{0,100}}?[A-Za-z]\d{_LETTERS}{{0,100}}?[A-Za-z]\d))"
    rf"[A-Za-z0-9]{_LETTERS}{{11,198}}"
)
_SIMPLE = lazy_regex(
    rf"[\"']?[ \t]{{0,4}}[=:][ \t]{{0,4}}(?P<quote>[\"'])({_VALUE})(?P=quote)(?!\s{{0,80}}[\"'])"
    rf"|[ \t]{{0,4}}=[ \t]{{0,4}}({_VALUE})(?=\n|\Z|[ \t](?![ \t]?\|))"
    rf"|:[ \t]{{0,4}}({_VALUE})(?=\n|\Z)"
    rf"|(?:[ \t]{{2,40}}|\t)({_VALUE})(?=[ \t\n]|\Z)(?=[^\n=|]*(?:\n|\Z))"  # a column
)
_MASKS = ("xxxxxx", "XXXXXX")
_END_OF_SCOPE = "4_request"  # behind the id of a key, and no part of it
_NAMED_BY = (":", "=", ">")  # the name may itself be a value
_BEFORE_VALUE = (":", "=", ">", '"', "'", " ", "\t")
_IN_QUERY = ("?", "&", ";")
_ESCAPES = ("\\", "%")  # what they begin runs into the name
_QUOTES = ('"', "'", "`")


# What is never secret under a name that is only possibly one, as it is shorter than a random string.
_SHORT = lazy_regex(
    r"[ \t]{0,4}=[ \t]{0,4}[A-Za-z0-9_.+\-]{1,11}(?=[ \t\n,;)]|\Z)"
    r"|[\"']?:[ \t]{0,4}\d[\d.]{0,10}(?=[\s,;)}\]]|\Z)"
    r"|(?::[ \t]{1,4}|[ \t])[A-Za-z0-9][A-Za-z0-9_.\-]{0,10}(?=[ \t,;]|\Z)(?![ \t]*[=:|])"
)
# An earlier pass has taken the value out.
_DONE = lazy_regex(r"(?:[\"']?[ \t]{0,4}[=:]|[ \t]{2,40}|\t)[ \t]{0,4}[\"']?\[redacted\]")
NOTHING: Span = (0, 0)


def simple_value(text: str, start: int, end: int) -> Span | None:
    """Span of the value of the name at `start` to `end`; NOTHING where none is secret.

    None where it takes a closer look.
    """
    if end - start > MAX_NAME:
        return None
    judged = _judge_run(text[start:end])
    if judged is None or text[start - 1 : start] in _ESCAPES:
        return None
    if judged is Name.INNOCENT:
        return NOTHING
    found = _SIMPLE.match(text, end)
    if found is None and _DONE.match(text, end) is not None and not _has_context(text, start, end):
        return NOTHING
    if judged is Name.POSSIBLE:
        return _possible(text, start, end, found)
    if found is None or _has_context(text, start, end):
        return None
    if text[start - 1 : start] in ("/", ":"):
        return None  # `checksum/secret`, `secretsmanager:eu:12:secret:...`
    group = found.lastindex or 0
    value = found[group]
    is_read = _MASKS[0] in value or _MASKS[1] in value or value.endswith(_END_OF_SCOPE)
    return None if is_read else found.span(group)


def _possible(text: str, start: int, end: int, found: re.Match[str] | None) -> Span | None:
    """The same for a name of which only a value that looks random is secret."""
    if found is None and _SHORT.match(text, end) is None:
        return None
    if _has_context(text, start, end) or text[start - 1 : start] in _IN_QUERY:
        return None
    if _is_behind_word(text, start):
        judged = with_earlier_word(text, start, text[start:end], Name.POSSIBLE)
        if judged is Name.INNOCENT:
            return NOTHING
        if judged is not Name.POSSIBLE or found is not None:
            return None
    if found is not None:
        value = found[found.lastindex or 0]
        if "=" in value:
            return None
        if is_secret(value, Name.POSSIBLE):
            return found.span(found.lastindex or 0)
    return NOTHING


def _has_context(text: str, start: int, end: int) -> bool:
    """Whether what stands before the name decides too: a quote closed elsewhere, or `name=`."""
    before = text[start - 1 : start]
    if before in _QUOTES and text[end : end + 1] != before:
        return True
    if before not in _BEFORE_VALUE:
        return False
    earlier = text[max(0, start - 24) : start].rstrip("\"' \t")[-1:]
    return earlier == "\\" or (earlier in _NAMED_BY and is_named_by(text, start))


def _is_behind_word(text: str, start: int) -> bool:
    """`api key=`: the word before belongs to the name."""
    return text[start - 1 : start] in (" ", "\t") and not text[start - 2 : start - 1].isdigit()


@lru_cache(maxsize=16_384)
def _judge_run(name: str) -> Name | None:
    """How secret a value of this name is; None where that takes a closer look."""
    if name[0] in ".-" or name[-1] in ".-":
        return None
    judged = judge_name(name)
    if judged is Name.INNOCENT or judged is Name.POSSIBLE:
        return judged
    lower = name.lower()
    is_read = lower.endswith("authorization") or "gpg" in lower or "pgp" in lower  # elsewhere
    return None if is_read or judged in (Name.LIKELY_PASSWORD, Name.CHOSEN) else judged
