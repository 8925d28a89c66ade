"""A job that prints on and says nothing new: for long only lines that it has printed before, digit by digit.

No count rises in them, and no time, rate or id differs; only a failure may be told again with other numbers.
docs/diagnosis-accuracy.md says how often that was so, and that it never was where all was well.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.only_polls import is_poll

MIN_REPEATS = 3
MIN_S = 1200.0
GAP_FACTOR = 3.0  # times the longest pause between two new things before

_NUMBER = re.compile(r"\d[\d.,]*")
_SERVES = re.compile(
    r"(?i)\b(?:wait\w*|listen\w*|ready|idle|poll\w*) (?:for|on|to) (?:\w+ ){0,2}?"
    r"(?:requests?|connections?|clients?|jobs?|work|tasks?|messages?|events?|input|commands?|users?|port)\b"
)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Lines behind the last new one. `for_s`: from that one to the last of them."""

    lines: tuple[Entry, ...]
    for_s: float


def find_nothing_new(entries: Sequence[Entry]) -> Repeats | None:
    """Return the lines that repeat at the end for long; None where something is new.

    A server that waits for work may repeat itself, and so may one that is asked whether it is well. Only
    lines with a time of their own count. `entries`: of one living job, oldest first.
    """
    timed = [entry for entry in entries if entry.frame.at_s is not None and entry.at_s is not None]
    if len(timed) <= MIN_REPEATS:
        return None
    known: set[str] = set()
    news: list[int] = []
    for index, entry in enumerate(timed):
        told = _told(entry)
        if told not in known:
            news.append(index)
        known.add(told)
    moments = [timed[index].at_s or 0.0 for index in news]
    for_s = (timed[-1].at_s or 0.0) - moments[-1]
    longest_s = max((after - before for before, after in pairwise(moments)), default=0.0)
    repeated = timed[news[-1] + 1 :]
    if len(repeated) < MIN_REPEATS or for_s < max(MIN_S, GAP_FACTOR * longest_s):
        return None
    if all(is_poll(entry) or _SERVES.search(entry.message) for entry in repeated):
        return None
    return Repeats(tuple(repeated), for_s)


def _told(entry: Entry) -> str:
    """What a line says. A failure that is told again with other numbers is nothing new."""
    return _NUMBER.sub("0", entry.message) if reports_failure(entry.frame) else entry.message
