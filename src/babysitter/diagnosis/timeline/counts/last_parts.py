"""The last parts of a job that works on many at once: nearly all are done, none waits, the rest takes long.

What most of the parts took was often not seen. Each of the last takes ten minutes and more, and all that is
left is said to be in flight, or all at such a pace would have taken days. In a text without times each report
tells of fewer parts than the one before.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from babysitter.diagnosis.timeline.counts.numbers import SlotKind, read_wording
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.progress import CountAt, CountedWork, CountNote

NEAR_END_SHARE = 0.95
NEAR_END_SHARE_WITHOUT_TIMES = 0.9
MIN_PART_S = 600.0  # guess: of each of the last parts
MIN_ALL_S = 7 * 86_400.0  # guess: nobody starts what takes so long one after the other
MIN_ALL_DEALT_OUT_S = 86_400.0  # guess: the same of what is mostly dealt out to many
SLOWER = 3.0  # guess: a last part to one of those before, where they were seen
MIN_REPORTS = 3  # without times
FALL = 2.0  # guess: of the parts that a report adds, from the first of such reports to the last

_IN_FLIGHT = re.compile(
    r"(?i)(?<![\d.,/])(\d{1,15}) (?:\w+ )?"
    r"(?:in[- _]?flight|running|active|in progress|outstanding)\b(?!\s?[:=])"
    r"|\b(?:in[-_]?flight|running|active|outstanding)(?:[-_ ]\w+)?\s?[:=]\s?(\d{1,15})(?![\d/]|[.,]\d)"
)
_QUEUED = re.compile(
    r"(?i)(?<![\d.,/])(\d{1,15}) (?:\w+ )?(?:queued|waiting|pending)\b(?!\s?[:=])"
    r"|\b(?:queued?|waiting|pending|backlog)(?:[-_ ]\w+)?\s?[:=]\s?(\d{1,15})(?![\d/]|[.,]\d)"
)
_DEALT_OUT = re.compile(r"(?i)\b(?:tasks?|shards?|partitions?|ranks?|requests?|groups?|blocks?|prompts?)\b")
_IN_TURN = re.compile(r"(?i)(?<![a-z])(?:steps?|iter(?:ation)?s?|epochs?|batch(?:es)?|rounds?|it)(?![a-z])")


class Rest(NamedTuple):
    """What a line says is not done: parts that are worked on, parts that wait; None = it does not say."""

    in_flight: int | None
    queued: int | None


class _Report(NamedTuple):
    place: int
    done: float
    total: float


def find_last_parts(work: CountedWork, entries: Sequence[Entry]) -> int | None:
    """Return the place of the line that reports the slow rest of a set of parts; None where none is slow."""
    slow = [note.last_place for note in work.counts if _is_slow(note)]
    if slow:
        return max(slow)
    has_times = any(note.longest_gap_s for note in work.counts)  # a watch knows when lines came
    return None if has_times else _find_without_times(entries)


def read_rest(message: str) -> Rest:
    """Return how many parts are worked on and how many wait, by this message."""
    in_flight, queued = (
        [int(a or b) for a, b in pattern.findall(message)] for pattern in (_IN_FLIGHT, _QUEUED)
    )
    return Rest(max(in_flight, default=None), max(queued, default=None))


def _is_slow(note: CountNote) -> bool:
    """Whether a fraction is near its end and each of its last parts takes long."""
    if note.kind != SlotKind.FRACTION.value or note.total is None or _IN_TURN.search(note.template):
        return False
    near = [at for at in note.course if at.value >= NEAR_END_SHARE * note.total]
    if "%" in note.still.text or len(near) < 2 or not near[0].value < near[-1].value < note.total:
        return False
    part_s = _part_s(near)
    before = note.course[: len(note.course) - len(near) + 1]
    if part_s < MIN_PART_S:
        return False
    if len(before) > 1 and (before[-1].value <= before[0].value or part_s < SLOWER * _part_s(before)):
        return False
    rest = read_rest(note.still.text)
    if rest.in_flight:
        return not rest.queued and rest.in_flight >= note.total - note.still.value
    least_s = MIN_ALL_DEALT_OUT_S if _DEALT_OUT.search(note.template) else MIN_ALL_S
    return not rest.queued and part_s * note.value >= least_s


def _part_s(course: Sequence[CountAt]) -> float:
    return (course[-1].at_s - course[0].at_s) / (course[-1].value - course[0].value)


def _find_without_times(entries: Sequence[Entry]) -> int | None:
    """The last report of a set whose rest is all worked on, and of which fewer and fewer get done."""
    courses: defaultdict[tuple[str, str, int], list[_Report]] = defaultdict(list)
    for entry in entries:
        rest = read_rest(entry.message) if entry.frame.at_s is None else Rest(None, None)
        wording = read_wording(entry.message) if rest.in_flight and not rest.queued else None
        for index, slot in enumerate(wording.slots if wording is not None else ()):
            read = slot.read(entry.message)
            report = _report(entry, rest, *read) if read is not None else None
            if wording is not None and report is not None:
                courses[entry.speaker, wording.template, index].append(report)
    slow = [course[-1].place for course in courses.values() if _gets_slower(course)]
    return max(slow, default=None)


def _report(entry: Entry, rest: Rest, done: float, total: float | None) -> _Report | None:
    """What a number says of a set of parts, if nearly all are done and all others are worked on."""
    in_flight = rest.in_flight or 0
    if total is None and rest.queued == 0:
        total = done + in_flight
    if total is None or total - done != in_flight or done < NEAR_END_SHARE_WITHOUT_TIMES * total:
        return None
    return _Report(entry.place, done, total)


def _gets_slower(course: Sequence[_Report]) -> bool:
    """Whether one set, by reports without times, has fewer parts done from each report to the next."""
    if len(course) < MIN_REPORTS or len({report.total for report in course}) > 1:
        return False
    added = [after.done - before.done for before, after in pairwise(course)]
    is_falling = all(before >= after for before, after in pairwise(added))
    return is_falling and added[0] >= FALL * added[-1] > 0
