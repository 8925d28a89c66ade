"""Parts of the work that take many times their usual time, where each line tells the time of one part."""

import re
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.counts.durations import DURATION, read_duration_s
from babysitter.diagnosis.timeline.entries import Entry

MAX_LINES = 400
MIN_USUAL = 3  # parts of the usual time
MIN_SLOW = 2  # one may be a checkpoint, a collection of garbage, an evaluation
RATIO = 8.0  # guess: of a part to what the faster half takes, from which on it is slow
MIN_SLOW_S = 30.0
MAX_KEY_CHARACTERS = 40

# step_time=38.4s; finished task 19.0 in stage 830.0 in 3858 ms
_TIME = re.compile(
    rf"(?i)\b(?P<name>(?:step|iter\w*|batch|task|epoch|shard|round|data)[_ ](?:time|duration|took|elapsed))"
    rf"\s?[=:]\s?(?P<named>{DURATION})"
    rf"|\b(?:finished|completed|done|took|processed|wrote|written)\b.{{0,80}}?\b(?:in|took)\s(?P<told>{DURATION})"
)
_MAY_TELL = re.compile(r"(?i)time|duration|took|elapsed| in ")
_ZEROS = re.compile(r"0[0.,]*")


def find_slow_parts(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the lines that tell of parts far slower than the others of their kind; () if fewer than two do.

    The first part of a kind does not count: it warms up.
    """
    times: defaultdict[str, list[tuple[float, Entry]]] = defaultdict(list)
    for entry in entries[-MAX_LINES:]:
        found = _TIME.search(entry.message) if _MAY_TELL.search(entry.message) else None
        if found is not None:
            key = found["name"] or _ZEROS.sub("0", without_digits(entry.message))[:MAX_KEY_CHARACTERS]
            times[key.lower()].append((read_duration_s(found["named"] or found["told"]), entry))
    for parts in times.values():
        limit_s = max(MIN_SLOW_S, RATIO * _usual_s([part for part, _ in parts]))
        slow = [entry for part, entry in parts[1:] if part >= limit_s]
        if len(slow) >= MIN_SLOW and len(parts) - len(slow) >= MIN_USUAL:
            return tuple(slow)
    return ()


def _usual_s(times_s: Sequence[float]) -> float:
    """The median of the faster half: near an end most of what reports may be slow."""
    return median(sorted(times_s)[: max(1, -(-len(times_s) // 2))])
