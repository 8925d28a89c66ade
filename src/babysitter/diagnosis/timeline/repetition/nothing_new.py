"""A job that only repeats lines that it has printed before, digit by digit.

No count rises in them, and no time, rate or id differs; only a failure may be reported again with other
numbers. docs/timeline.md says how often that is so in jobs that hang, and in those that are well.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.timeline.counts.work_words import counts_work, says_done
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.repetition.housekeeping import is_housekeeping
from babysitter.diagnosis.timeline.repetition.nothing_came import says_nothing_came
from babysitter.diagnosis.timeline.repetition.only_polls import is_answered_request
from babysitter.model.progress import KnownTexts

MIN_REPEATS = 3
MIN_S = 1200.0  # of a text; a watch has a limit for it
GAP_FACTOR = 3.0  # times the longest pause between two new things before
MAX_TEXTS = 256  # different texts that a job may repeat in turn

_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"\d[\d.,]*")
# The clock of a header that no format describes.
_CLOCK = re.compile(r"^\D{0,24}(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?")
_SERVES = re.compile(
    r"(?i)\b(?:wait\w*|listen\w*|ready|idle|poll\w*) (?:for|on|to) (?:\w+ ){0,2}?"
    r"(?:requests?|connections?|clients?|jobs?|work|tasks?|messages?|events?|input|commands?|users?|port)\b"
)
# What is awaited takes its time and says so: a tool that another one runs, a thing that others will bring.
_AWAITS = re.compile(
    r"(?i)\bstill (?:running|building|working|\w+ing \w+\.{3})|\b(?:pok|sleep)(?:ing|es|s)\b"
    r"|\bsensor checks\b|\bthis may take|\bchecking again\b|\bqueued behind\b"
    r"|\b(?:query|statement) is running\b"
)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Lines behind the last new one. `for_s`: from that one to the last of them."""

    lines: tuple[Entry, ...]
    for_s: float


def find_nothing_new(entries: Sequence[Entry]) -> Repeats | None:
    """Return the lines that repeat at the end for long; None where something is new.

    Only lines with a time of their own count. `entries`: of one living job, oldest first.
    """
    timed = [entry for entry in entries if entry.frame.at_s is not None and entry.message.strip()]
    known = fold_texts(KnownTexts(), timed)
    repeated = timed[len(timed) - known.repeats :]
    if not is_long_since_new(known, MIN_S) or may_repeat(repeated):
        return None
    return Repeats(tuple(repeated), known.repeated_for_s)


def fold_texts(known: KnownTexts, entries: Iterable[Entry]) -> KnownTexts:
    """Return what is known with these lines, which follow the others."""
    marks, since_new = dict.fromkeys(known.marks), dict.fromkeys(known.since_new)
    new_at_s, gap_s, repeats, last_at_s = (
        known.new_at_s,
        known.longest_gap_s,
        known.repeats,
        known.last_at_s,
    )
    for entry in entries:
        if entry.at_s is None or not entry.message.strip():
            continue
        mark = crc32(_comparable_text(entry).encode("utf-8", "surrogatepass"))
        if mark in marks:
            del marks[mark]
            repeats += 1
            since_new[mark] = None
        else:
            gap_s = max(gap_s, entry.at_s - new_at_s) if new_at_s is not None else gap_s
            new_at_s, repeats = entry.at_s, 0
            since_new.clear()
            if len(marks) >= MAX_TEXTS:
                del marks[next(iter(marks))]
        marks[mark] = None
        last_at_s = entry.at_s
    return KnownTexts(tuple(marks), new_at_s, gap_s, repeats, last_at_s, tuple(since_new))


def is_long_since_new(known: KnownTexts, least_s: float) -> bool:
    """Whether only known lines were printed for so long, and for much longer than ever before."""
    for_s = max(least_s, GAP_FACTOR * known.longest_gap_s)
    return known.repeats >= MIN_REPEATS and known.repeated_for_s >= for_s


def may_repeat(repeated: Iterable[Entry]) -> bool:
    """Whether these lines may repeat: a server waits for work or is asked how it is, a wait says why.

    A line without a number that tells of work done tells of more of it each time.
    """
    lines = tuple(repeated)
    return any(_is_calm(entry.message) for entry in lines) or all(
        is_answered_request(entry) or _SERVES.search(entry.message) for entry in lines
    )


def _is_calm(message: str) -> bool:
    return bool(_AWAITS.search(message) or says_nothing_came(message) or _tells_of_more(message))


def _tells_of_more(message: str) -> bool:
    return _NUMBER.search(message) is None and says_done(_WORD.findall(message.lower()))


def _comparable_text(entry: Entry) -> str:
    """A message without its clock. A failure that is reported again with other numbers is nothing new.

    Nor is the load of a machine. A line that counts work says something new even if a part of that failed.
    """
    message = _CLOCK.sub("", entry.message, count=1)
    fails = reports_failure(entry.frame) and not counts_work(_WORD.findall(message.lower()))
    return _NUMBER.sub("0", message) if fails or is_housekeeping(message) else message
