"""Work that goes on and has become worthless: its own numbers say so, in every report.

Three kinds, for programs that nobody described: what was done or how well it goes is exactly 0 and never was;
a value is not a number any more; a rate fell to a tenth, or a piece takes ten times as long. An idle program
does nothing because nothing comes: a quantity of 0 counts only where the same lines show that something came.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from babysitter.diagnosis.timeline.counts.named_values import ValueKind, ValuePlace, read_named_values
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.repetition.only_polls import is_idle_status
from babysitter.model.value_course import OffValue, ValueCourse

MAX_COURSES = 96
MAX_TEXT_CHARACTERS = 240
# Guesses, checked on the courses of fixtures/watched.
MIN_USUAL = 8  # reports that make values usual
MAX_NEWEST = 9  # of the usual values
RARE_ZEROS = 0.1  # of the reports before
LEVEL_REPORTS = 16  # by which the level of a value follows it
FAR = 10.0  # times slower
CLEAR = 20.0  # differences of the last digit that a value must have been away from 0
COMPARABLE = 0.5  # of the value as it was, what stands beside it
MIN_REPORTS = 5
STILL_S, STILL_GAPS = 120.0, 4.0  # since the newest report: seconds, or mean gaps

_LOSS = re.compile(r"(?i)loss")


def fold_values(before: Sequence[ValueCourse], entries: Iterable[Entry]) -> tuple[ValueCourse, ...]:
    """Return the courses of values after these lines, those reported last at the end."""
    courses = {(course.series, course.speaker): course for course in before}
    for entry in entries:
        named = read_named_values(entry.message) if entry.at_s is not None else ()
        values = [_value(entry.message[value.start : value.end]) for value in named]
        for place, value in enumerate(named):
            key = value.series, entry.speaker
            known = courses.pop(key, None) or ValueCourse(*key, name=value.name, kind=value.kind)
            courses[key] = _folded(known, entry, named, values, place)
            if len(courses) > MAX_COURSES:  # at once, so that it does not matter how lines are cut into looks
                del courses[next(iter(courses))]
    return tuple(courses.values())


def find_worthless(
    courses: Sequence[ValueCourse], now_s: float, least_s: float, *, slow_s: float
) -> ValueCourse | None:
    """Return the value that has been none of the usual ones for so long; None where all are as usual.

    `now_s`: seconds since 1970; a value that is not reported any more belongs to work that is over. `slow_s`:
    the same as `least_s` where work only got slow.
    """
    off = [
        course
        for course in courses
        if course.off is not None
        and course.off.reports >= MIN_REPORTS
        and now_s - course.off.last_at_s <= max(STILL_S, STILL_GAPS * course.off.gap_s)
        and course.off.for_s >= (slow_s if course.off.value else least_s)
        and _tells(course, course.off)
    ]
    return min(off, key=lambda course: course.off.first_at_s if course.off else math.inf, default=None)


def _tells(course: ValueCourse, off: OffValue) -> bool:
    """Whether such a value means that the work is worthless."""
    if off.value is None:
        return True
    if off.value > 0:
        return course.kind in (ValueKind.RATE, ValueKind.COST)
    if course.is_negative:  # 0 is better
        return False
    was = min(course.newest) if _LOSS.search(course.name) else course.level  # a loss may go to 0
    is_clear = was >= CLEAR * course.resolution
    if not is_clear or course.zeros > RARE_ZEROS * course.reports:
        return False
    if course.kind == ValueKind.QUALITY:
        return True
    return course.kind in (ValueKind.QUANTITY, ValueKind.RATE) and off.has_input


def _folded(
    course: ValueCourse, entry: Entry, named: Sequence[ValuePlace], values: Sequence[float | None], place: int
) -> ValueCourse:
    """The course with one more report: the value at `place` among those of a line."""
    value = values[place]
    if len(course.newest) >= MIN_USUAL and _is_off(course, value):
        beside, is_rejected = _largest_beside(named, values, place)
        return replace(course, off=_off(course, entry, value, beside, is_rejected=is_rejected))
    if value is None:
        return course
    if value == 0:
        return replace(course, zeros=course.zeros + 1, reports=course.reports + 1, off=None)
    digits = entry.message[named[place].start : named[place].end]
    decimals = digits.partition(".")[2]
    return replace(
        course,
        newest=(*course.newest, value)[-MAX_NEWEST:],
        level=course.level + (value - course.level) / min(course.reports - course.zeros + 1, LEVEL_REPORTS),
        reports=course.reports + 1,
        resolution=10.0 ** -len(decimals) if decimals.isdecimal() else course.resolution,
        is_negative=digits.startswith("-"),
        usual_text=entry.text[:MAX_TEXT_CHARACTERS],
        off=None,
    )


def _is_off(course: ValueCourse, value: float | None) -> bool:
    if value is None or value == 0:
        return True
    if course.kind == ValueKind.RATE:
        return value < median(course.newest) / FAR
    return course.kind == ValueKind.COST and value > median(course.newest) * FAR


def _off(
    course: ValueCourse, entry: Entry, value: float | None, beside: float, *, is_rejected: bool
) -> OffValue:
    at_s, text = entry.at_s or 0.0, entry.text[:MAX_TEXT_CHARACTERS]
    is_comparable = beside >= COMPARABLE * median(course.newest)
    shows_input = is_idle_status(entry) or (is_comparable and is_rejected)
    before = course.off
    if before is None:
        return OffValue(value, 1, at_s, at_s, text, beside, shows_input)
    has_fallen = 0 < beside < before.beside
    return replace(
        before,
        value=value,
        reports=before.reports + 1,
        last_at_s=at_s,
        beside=beside,
        has_input=before.has_input or shows_input or (is_comparable and has_fallen),
    )


def _largest_beside(
    named: Sequence[ValuePlace], values: Sequence[float | None], place: int
) -> tuple[float, bool]:
    """The largest of the other numbers of a line, and whether it is of what was turned away."""
    others = [
        (value or 0.0, other.kind is ValueKind.REJECTED)
        for index, (other, value) in enumerate(zip(named, values, strict=True))
        if index != place and other.kind is not ValueKind.COST
    ]
    return max(others, default=(0.0, False))


def _value(digits: str) -> float | None:
    """The size of a value; None where it is not a number."""
    try:
        value = abs(float(digits.replace(",", "")))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
