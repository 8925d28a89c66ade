"""A part of the work that takes many times what the others take, where one line holds both numbers."""

import re
from collections.abc import Sequence

from babysitter.diagnosis.timeline.entries import Entry

MAX_LINES = 40  # of the end: what was slow before is over
RATIO = 5.0  # guess: of a part to the others, from which on it holds them up

_UNIT = (
    r"(?P<{0}>\d+(?:\.\d+)?)\s?(?P<{0}_unit>ms|s|sec|seconds?|m|min|minutes?|h|hours?|KB|MB|GB|TB|[KMGT]iB)"
)
_PART = r"\b(?:rank|worker|shard|task|partition|host|node|replica|stage|\d+) ?#?\d*\b"
_OUTLIER = re.compile(
    rf"(?i){_PART}.{{0,60}}?{_UNIT.format('one')}\b.{{0,30}}?\b(?:median|average|avg|mean|typical|usual|others?)\b"
    rf"[^\d\n]{{0,30}}{_UNIT.format('usual')}\b"
)
_USUAL = re.compile(r"(?i)median|average|avg|mean|typical|usual|other")
# A summary of many, not a report of one.
_SUMMARY = re.compile(r"(?i)\b(?:p\d\d|min|max|percentiles?|std|latency|histogram)\b[ :=]")
_SCALES = (
    (1e-3, "ms"),
    (1.0, "s sec second seconds"),
    (60.0, "m min minute minutes"),
    (3600.0, "h hour hours"),
    (1e3, "kb kib"),
    (1e6, "mb mib"),
    (1e9, "gb gib"),
    (1e12, "tb tib"),
)
_SCALE = {unit: scale for scale, units in _SCALES for unit in units.split()}


def find_outlier(entries: Sequence[Entry]) -> Entry | None:
    """Return the last line of the end that tells of one part far behind the others; None if none does."""
    for entry in reversed(entries[-MAX_LINES:]):
        if not _USUAL.search(entry.message) or _SUMMARY.search(entry.message):
            continue
        found = _OUTLIER.search(entry.message)
        if found is None or _is_size(found["one_unit"]) != _is_size(found["usual_unit"]):
            continue
        usual = _value(found["usual"], found["usual_unit"])
        if usual > 0 and _value(found["one"], found["one_unit"]) / usual >= RATIO:
            return entry
    return None


def _is_size(unit: str) -> bool:
    return unit.lower().endswith("b")


def _value(number: str, unit: str) -> float:
    return float(number) * _SCALE[unit.lower()]
