"""The course of a count, in at most eight of its reports: enough to see where its pace changed.

A program may report every second for days. Kept are the first and the newest report and, between them,
those that lie farthest off the straight line between their neighbours: there the pace changed.
"""

from babysitter.model.progress import CountAt

MAX_REPORTS = 8
NEAR_SHARE = 1 / 32  # guess: of the time since the first report; a nearer neighbour shows no other pace
MAX_DISORDER_S = 60.0  # lines of several processes are not quite in order; a longer step back is a new clock


def add_report(course: list[CountAt], reached: CountAt) -> None:
    """Add the newest report to a course, in place; one that is a little older than the last is left out."""
    if course and reached.at_s < course[-1].at_s - MAX_DISORDER_S:
        course.clear()
    if course and reached.at_s < course[-1].at_s:
        return
    is_full = len(course) >= MAX_REPORTS
    if len(course) > 1 and (reached.at_s == course[-1].at_s or (is_full and _ends_near(course))):
        course[-1] = reached
        return
    course.append(reached)
    if is_full:
        del course[_least_telling(course)]


def _ends_near(course: list[CountAt]) -> bool:
    return course[-1].at_s - course[-2].at_s < NEAR_SHARE * (course[-1].at_s - course[0].at_s)


def _least_telling(course: list[CountAt]) -> int:
    """The index of the report between the first and the last at which the pace changes least."""
    return min(range(1, len(course) - 1), key=lambda at: deviation(*course[at - 1 : at + 2]))


def deviation(before: CountAt, at: CountAt, after: CountAt) -> float:
    """Twice the area of the triangle of three reports; 0 where the pace stays the same."""
    return abs(
        (at.at_s - before.at_s) * (after.value - before.value)
        - (after.at_s - before.at_s) * (at.value - before.value)
    )
