"""Durations as logs print them: `37h04m`, `50 min`, `1d 3h`, `1:23:45`, `3600s`."""

import re

_UNITS_S = {
    "d": 86_400.0,
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 0.001,
}
_UNIT = r"ms|milliseconds?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s"
_PART = rf"\d+(?:\.\d+)?\s?(?:{_UNIT})(?![A-Za-z])"
_PARTS_TIGHT = r"\d+(?:\.\d+)?\s?[dhm]\s?(?:\d+\s?[hms]\s?){1,3}(?![A-Za-z])"
DURATION = rf"(?:{_PARTS_TIGHT}|{_PART}(?:(?:,| and)?\s?{_PART}){{0,3}}|\d+:\d\d:\d\d(?!\d))"
_READ = re.compile(rf"(\d+(?:\.\d+)?)\s?({_UNIT}|[dhms])")
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d)")


def read_duration_s(text: str) -> float:
    """Return the seconds of a text that `DURATION` matches."""
    if clock := _CLOCK.search(text):
        hours, minutes, seconds = (int(part) for part in clock.groups())
        return hours * 3600.0 + minutes * 60 + seconds
    return sum(float(number) * _seconds(unit) for number, unit in _READ.findall(text))


def _seconds(unit: str) -> float:
    return _UNITS_S["ms"] if unit.startswith(("ms", "milli")) else _UNITS_S[unit[0]]
