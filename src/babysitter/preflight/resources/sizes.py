"""Sizes as clients of Iris read them: a number and a word whose beginning names the unit."""

import re
from collections.abc import Mapping
from enum import Enum

_BINARY_NAMES: Mapping[str, int] = {
    "kibibyte": 1,
    "mebibyte": 2,
    "gibibyte": 3,
    "tebibyte": 4,
    "pebibyte": 5,
    "exbibyte": 6,
    "zebibyte": 7,
    "yobibyte": 8,
}
_PREFIXES = "kmgtpezy"
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


class Units(Enum):
    """What GB means: to the check for extra resources 10^9 bytes, to the request that is sent 2^30."""

    DECIMAL = 1000
    BINARY = 1024


def parse_size(text: str, units: Units) -> int | None:
    """Bytes, None for a text that clients refuse. `8` is 8 bytes; 5GB, 5 gigs and 5Gx have the same unit."""
    words = [word.strip() for word in _NUMBER.split(text) if word.strip()]
    if not words or not _NUMBER.fullmatch(words[0]):
        return None
    number = float(words[0]) if "." in words[0] else int(words[0])
    unit = words[1].lower() if len(words) == 2 else ""
    if len(words) == 1 or unit.startswith("b"):
        return int(number)
    unit = unit.rstrip("s")
    if len(words) > 2 or not unit:
        return None
    if (power := _binary_power(unit)) is not None:
        return int(number * 1024**power)
    power = _PREFIXES.find(unit[0]) + 1
    return int(number * units.value**power) if power else None


def has_unit(text: str) -> bool:
    """Whether a size names its unit."""
    return not re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", text)


def _binary_power(unit: str) -> int | None:
    """The power of 1024 of an unambiguous unit (GiB, gibibyte); None for others."""
    if unit in _BINARY_NAMES:
        return _BINARY_NAMES[unit]
    if len(unit) == 3 and unit[1:] == "ib" and unit[0] in _PREFIXES:
        return _PREFIXES.index(unit[0]) + 1
    return None
