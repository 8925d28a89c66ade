"""What does not fit, in a person's words instead of the validator's."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

_KINDS = (
    (("float_", "int_", "finite_"), "must be a number"),
    (("bool_",), "must be true or false"),
    (("tuple_", "list_", "frozen_set_", "set_"), "must be a list"),
    (("dict_", "model_", "dataclass_", "mapping_"), "must hold names with values"),
    (("path_",), "must be a path"),
    (("string_type", "string_sub"), "must be text"),
    (("time_",), "must be a time such as 22:00"),
    (("datetime_",), "must be a date with a time, such as 2026-11-20T08:00:00Z"),
    (("missing",), "is needed here"),
)
_MAX_SHOWN = 60
_MAX_CHOICES = 6


def what_is_wrong(fault: Mapping[str, Any], keys: Sequence[str], siblings: Sequence[str]) -> str:
    """The rest of the sentence that begins with the setting's name. `siblings`: names that it may have."""
    kind = str(fault["type"])
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return "there is no such setting" + _meant(keys[-1], siblings)
    if kind in ("enum", "literal_error"):
        return _choice(str(fault["ctx"]["expected"]), fault["input"])
    for beginnings, words in _KINDS:
        if kind.startswith(beginnings):
            return words + _found(fault, keys)
    if kind == "string_pattern_mismatch" and keys[-1] == "listen":
        return "must be HOST:PORT, such as 127.0.0.1:8088" + _found(fault, keys)
    said = str(fault["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    said = said[:1].lower() + said[1:]
    if kind == "value_error":
        return said  # our own words
    return said.replace("should", "must", 1) + _found(fault, keys)


def _choice(expected: str, found: object) -> str:
    choices = re.findall(r"'([^']*)'", expected)
    if len(choices) <= _MAX_CHOICES:
        return f"must be {expected}, not {found!r}"
    return f"{found!r} is not known" + (_meant(str(found), choices) or f"; there are {', '.join(choices)}")


def _found(fault: Mapping[str, Any], keys: Sequence[str]) -> str:
    """What was there instead, unless it may be a secret."""
    found = fault.get("input")
    may_be_shown = isinstance(found, (str, int, float, bool)) and not re.search(
        "token|secret|url|apprise", ".".join(keys)
    )
    if not may_be_shown or fault["type"] == "missing" or len(str(found)) > _MAX_SHOWN:
        return ""
    return f", not {found!r}"


def _meant(word: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {near[0]}?" if near else ""
