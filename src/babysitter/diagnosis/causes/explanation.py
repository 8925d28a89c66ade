"""Fill what lines and fields captured into the words of a rule."""

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_IN_PARENTHESES = re.compile(r"\s*\([^()]*\{\w+\}[^()]*\)")
_AT_THE_END = re.compile(r"[:,]?(?:\s*\{\w+\}[:.]?)+\s*$")
_SECONDS = re.compile(r"\{(\w+_s)\} s\b")
_QUOTES = "'\"`"
MINUTES_FROM_S = 120.0


class _Words(dict[str, str]):
    """What no line gave reads as "?"."""

    def __missing__(self, name: str) -> str:
        return "?"


def fill(text: str, captures: Mapping[str, str]) -> str:
    """The text with what was captured; a remark in parentheses, or at the end, that lacks it is left out."""
    if "{" not in text:
        return text

    def is_known(part: str) -> bool:
        return all(name in captures for name in _PLACEHOLDER.findall(part))

    text = _IN_PARENTHESES.sub(lambda found: found[0] if is_known(found[0]) else "", text)
    ending = _AT_THE_END.search(text)
    if ending is not None and ending.start() and not is_known(ending[0]):
        text = f"{text[: ending.start()]}."
    text = _SECONDS.sub(lambda found: _duration(captures.get(found[1], "")) or found[0], text)
    return text.format_map(_Words({name: _without_quote(value) for name, value in captures.items()}))


def _duration(seconds: str) -> str:
    """Many seconds as minutes or hours; "" for what is not a number or too short for them."""
    try:
        amount = float(seconds)
    except ValueError:
        return ""
    if amount < MINUTES_FROM_S:
        return ""
    return f"{amount / 60:.0f} min" if amount < 2 * 3600 else f"{amount / 3600:.1f} h"


def _without_quote(value: str) -> str:
    """A captured word without the quotation mark that ended it."""
    is_open = value[-1:] in _QUOTES and value.count(value[-1:]) % 2 == 1
    return value[:-1] if is_open and value[-1:] else value
