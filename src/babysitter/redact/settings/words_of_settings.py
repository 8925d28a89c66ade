"""Finds passwords of several words that stand without quotes of their own in a file of settings."""

import re

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name
from babysitter.redact.settings.secret_verdict import is_secret
from babysitter.redact.settings.value_shapes import reads_as_sentence
from babysitter.redact.settings.value_span import begins_line, spoken_to_line_end
from babysitter.redact.text_spans import Span

_ITEM_OF_ENVIRONMENT = lazy_regex(r"([^\s\"'\\=;&|]{1,256}(?: [^\s\"'\\=;&|]{1,256}){1,23})\\*[\"']")
_SETTING_OF_SHELL = lazy_regex(r"[A-Za-z_][\w.\-]{0,80}=(?:[^\s=]|\n|$)")
_SETTING_OF_YAML = lazy_regex(r"[a-z_][\w.\-]{0,80}:(?: \S|\n|$)")


def words_of_setting(text: str, name: Span, sign: re.Match[str], judged: Name) -> Span | None:
    """Span of the words behind a name and its sign when all of them are one value."""
    if judged is Name.PASSWORD and begins_line(text, name[0]):
        return _to_line_end(text, name, sign)
    return _item_of_environment(text, name, sign, judged)


def _to_line_end(text: str, name: Span, sign: re.Match[str]) -> Span | None:
    """The words of `passwd = two words and more`, alone on a line: in such a file they need no quotes."""
    kind = sign[0].strip()
    is_spaced = kind == "=" and sign[0][0] + sign[0][-1] == "  "
    # No shell takes `a.b=c` for a command's variable: it is a property.
    is_property = kind == "=" and "." in text[name[0] : name[1]]
    is_setting = is_spaced or is_property or _is_among_settings(text, name, kind)
    span = spoken_to_line_end(text, sign.end(), is_setting=is_setting)
    if span is not None and kind == ":" and reads_as_sentence(text[span[0] : span[1]]):
        return None
    return span


def _item_of_environment(text: str, name: Span, sign: re.Match[str], judged: Name) -> Span | None:
    """The words of `"SMTP_PASSWORD=two words"`, an item of an environment that somebody has put in quotes."""
    quote = text[name[0] - 1 : name[0]]
    if quote not in ('"', "'") or sign[0] != "=" or not text[name[0] : name[1]].isupper():
        return None
    found = _ITEM_OF_ENVIRONMENT.match(text, sign.end())
    if found is None or not found[0].endswith(quote) or not is_secret(found[1], judged):
        return None
    return found.span(1)


def _is_among_settings(text: str, name: Span, sign: str) -> bool:
    """Whether the line before or behind is a setting of the same form, indented as deep."""
    if sign not in ("=", ":"):
        return False
    form = _SETTING_OF_SHELL if sign == "=" else _SETTING_OF_YAML
    begin, end = text.rfind("\n", 0, name[0]) + 1, text.find("\n", name[1])
    neighbours = [text.rfind("\n", 0, begin - 1) + 1] if begin else []
    neighbours += [end + 1] if end >= 0 else []
    indent = text[begin : name[0]]
    return any(
        text.startswith(indent, at) and form.match(text, at + len(indent)) is not None for at in neighbours
    )
