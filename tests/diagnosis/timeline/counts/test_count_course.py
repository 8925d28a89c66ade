"""The course of a count in few of its reports."""

import pytest

from babysitter.diagnosis.timeline.counts.count_course import MAX_REPORTS, add_report
from babysitter.model.progress import CountAt


def _course(*reports: tuple[float, float]) -> list[tuple[float, float]]:
    """Time and value of the reports that are remembered of these."""
    course: list[CountAt] = []
    for place, (at_s, value) in enumerate(reports):
        add_report(course, CountAt(value, at_s, place))
    return [(count_at.at_s, count_at.value) for count_at in course]


@pytest.mark.parametrize(
    ("reports", "remembered"),
    [
        ([], []),
        ([(0, 1), (0, 2), (0, 3)], [(0, 1), (0, 3)]),  # the newest of one moment
        ([(0, 1), (9, 3), (8, 2)], [(0, 1), (9, 3)]),  # not quite in order
        ([(7200, 1), (7260, 2), (0, 3), (60, 4)], [(0, 3), (60, 4)]),  # the clock was set back
        ([(0, 5), (60, 3), (120, 4)], [(0, 5), (60, 3), (120, 4)]),
    ],
)
def test_course_of_few_reports(reports, remembered):
    assert _course(*reports) == remembered


@pytest.mark.parametrize("every_s", [1, 7, 60, 1800])
def test_course_keeps_the_change_of_pace(every_s):
    fast = [(at * every_s, at * 100.0) for at in range(200)]
    slow = [(at * every_s, 20_000.0 + at) for at in range(200, 1000)]
    course = _course(*fast, *slow)
    assert len(course) <= MAX_REPORTS
    assert (course[0], course[-1]) == (fast[0], slow[-1])
    assert any(175 * every_s <= at_s <= 225 * every_s for at_s, _ in course)


def test_course_of_endless_values():
    assert len(_course(*((at, float("inf")) for at in range(40)))) <= MAX_REPORTS
