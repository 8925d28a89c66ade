"""Durations as logs print them: `37h04m`, `50 min`, `1d 3h`, `1:23:45`, `3600s`."""

import re

MAX_S = 100 * 365 * 86_400.0  # nothing lasts longer, and dates can be reckoned with it

_UNITS_S = {
    "d": 86_400.0,
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 0.001,
}
_UNIT = r"ms|milliseconds?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s"
_NUMBER = r"\d{1,15}(?:\.\d{1,30})?"
_PART = rf"{_NUMBER}\s?(?:{_UNIT})(?![A-Za-z])"
_PARTS_TIGHT = rf"{_NUMBER}\s?[dhm]\s?(?:\d{{1,15}}\s?[hms]\s?){{1,3}}(?![A-Za-z])"
DURATION = rf"(?<!\d)(?:{_PARTS_TIGHT}|{_PART}(?:(?:,| and)?\s?{_PART}){{0,3}}|\d{{1,5}}:\d\d:\d\d(?!\d))"
_READ = re.compile(rf"(?<![\d.])({_NUMBER})\s?({_UNIT}|[dhms])")
_CLOCK = re.compile(r"(?<!\d)(\d{1,5}):(\d\d):(\d\d)")


def read_duration_s(text: str) -> float:
    """Return the seconds of a text that `DURATION` matches, `MAX_S` at most."""
    if clock := _CLOCK.search(text):
        hours, minutes, seconds = (int(part) for part in clock.groups())
        return hours * 3600.0 + minutes * 60 + seconds
    return min(MAX_S, sum(float(number) * _seconds(unit) for number, unit in _READ.findall(text)))


def _seconds(unit: str) -> float:
    return _UNITS_S["ms"] if unit.startswith(("ms", "milli")) else _UNITS_S[unit[0]]
