"""Whether, when and with which cause incidents of watched jobs are reported.

    python benchmarks/watched.py [FILE ...] [-v] [--json]

Each FILE holds courses of jobs (fixtures/watched/README.md); without one, the open files of that folder are
measured. Of the fatal courses: how many are reported at all, with a right cause, or missed; how long after
the expert's second (median and 90th percentile), and how many more than two minutes before it. Of the benign
ones: how many raise an alarm. The two benign kinds of cause count as one. `-v` adds a line for each course:
every change of what is said, `!` where it is an incident. The four open files take a minute.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from babysitter.errors import UserError
from babysitter.playbook.load import load
from babysitter.workbench.watched_courses import (
    CourseCheck,
    CourseGrade,
    GradedCourse,
    read_courses,
    watch_course,
)

WATCHED = Path(__file__).parents[1] / "fixtures" / "watched"
EARLY_S = 120.0  # a report so long before the expert's second rests on something else
TOTAL = "total"


def open_files() -> list[Path]:
    """The files whose courses may be read while rules are changed."""
    return [path for path in sorted(WATCHED.glob("*.yaml")) if not path.stem.startswith("closed-")]


def delays_of(graded: Sequence[GradedCourse]) -> list[float]:
    """Seconds from the expert's second to the first report, of reported fatal courses, sorted."""
    return sorted(
        course.reported_at_s - course.course.wrong_from_s
        for course in graded
        if course.reported_at_s is not None and course.course.wrong_from_s is not None
    )


def figures_of(graded: Sequence[GradedCourse]) -> dict[str, Any]:
    """Counts of courses and checks; delays in seconds, None when nothing is reported."""
    grades = Counter(course.grade for course in graded)
    delays = delays_of(graded)
    return {
        "fatal": sum(course.course.truth == "fatal" for course in graded),
        "reported": len(delays),
        "right": grades[CourseGrade.RIGHT],
        "missed": grades[CourseGrade.MISSED],
        "early": sum(delay < -EARLY_S for delay in delays),
        "delay_median_s": median(delays) if delays else None,
        "delay_p90_s": delays[ceil(0.9 * len(delays)) - 1] if delays else None,
        "benign": sum(course.course.truth == "benign" for course in graded),
        "alarms": grades[CourseGrade.ALARM],
        "checks": sum(len(course.checks) for course in graded),
    }


def statement_of(check: CourseCheck) -> str:
    """What a check says, without its time."""
    found = check.diagnosis
    said = f" {found.cause.value}/{found.severity}/{found.action.value}" if found else ""
    return f"{check.phase}{said}{'!' if check.is_incident else ''}"


def history_of(graded: GradedCourse) -> str:
    """Every change of what is said, with the second from which it is said."""
    changes = (next(checks) for _, checks in groupby(graded.checks, key=statement_of))
    return ", ".join(f"{check.at_s:.0f} s {statement_of(check)}" for check in changes)


def print_course(graded: GradedCourse) -> None:
    """One line: the grade, the course, its label, and what was said when."""
    course = graded.course
    wrong = "" if course.wrong_from_s is None else f", wrong from {course.wrong_from_s:.0f} s"
    print(f"{graded.grade:12}{course.id} ({course.cause.value}{wrong}): {history_of(graded)}")


def print_figures(name: str, figures: dict[str, Any]) -> None:
    """One line for a file, or for all."""
    parts = []
    if figures["fatal"]:
        parts.append("fatal {fatal}: reported {reported}, right cause {right}, missed {missed}")
    if figures["reported"]:
        parts.append("delay median {delay_median_s:.0f} s, p90 {delay_p90_s:.0f} s, early {early}")
    if figures["benign"]:
        parts.append("benign {benign}: alarms {alarms}")
    print(f"{name:26}" + "; ".join([*parts, "{checks} checks"]).format(**figures))


def main() -> None:
    """Watch every course of the files, and print the figures of each file and of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each course")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    arguments = parser.parse_args()
    try:
        courses = {path.stem: read_courses(path) for path in arguments.files or open_files()}
    except UserError as error:
        parser.error(str(error))
    playbook = load()
    graded: list[GradedCourse] = []
    figures: dict[str, dict[str, Any]] = {}
    for name, members in courses.items():
        before = len(graded)
        for course in members:
            graded.append(watch_course(course, playbook))
            if arguments.verbose and not arguments.json:
                print_course(graded[-1])
        figures[name] = figures_of(graded[before:])
        if not arguments.json:
            print_figures(name, figures[name])
    figures[TOTAL] = figures_of(graded)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    elif len(courses) > 1:
        print_figures(TOTAL, figures[TOTAL])


if __name__ == "__main__":
    main()
