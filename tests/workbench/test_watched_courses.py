"""Courses of watched jobs: what they print, how they end, and how their reports are graded."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from babysitter.errors import UserError
from babysitter.model.finding import Cause
from babysitter.model.job import JobState, TaskState
from babysitter.playbook.load import load
from babysitter.workbench.watched_courses import (
    START,
    CourseGrade,
    WatchedCourse,
    lines_of,
    read_courses,
    tree_of,
    watch_course,
)

WATCHED = Path(__file__).parents[2] / "fixtures" / "watched"
OPEN_FILES = (
    "hangs-behind-a-report.yaml",
    "fails-without-a-report.yaml",
    "harmless-reports.yaml",
    "odd-paces.yaml",
)
EVERY = 6  # of the open courses every sixth is watched here: 10 fatal ones, 10 benign ones
MEASURED_MISSED = 4
MEASURED_ALARMS = 3
SLACK = 1

STEPS = {"at_s": 0, "every_s": 10, "count": 60, "line": "step {n} loss 0.{n}", "n": 100, "by": 10}
TRACEBACK = """\
Traceback (most recent call last):
  File "/app/train.py", line 12, in <module>
    config["depth"]
KeyError: 'depth'"""


@pytest.fixture(scope="module")
def playbook():
    return load()


def entry(*lines: Any, **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"id": "one", "program": "made up", "truth": "benign", "cause": "healthy"}
    return values | {"why": "A test.", "until_s": 900, "lines": list(lines or ([0, "starting"],))} | changes


def course(*lines: Any, **changes: Any) -> WatchedCourse:
    return WatchedCourse.model_validate(entry(*lines, **changes))


def printed(*lines: Any) -> list[tuple[float, str]]:
    """Seconds and texts of what a course with these lines prints."""
    made = lines_of(course(*lines))
    return [(line.at_ms / 1000 - START.timestamp(), line.text) for line in made]


def test_repeated_line_counts():
    repeated = {"at_s": 20, "every_s": 2.5, "count": 3, "line": "{n} of 9, step {n}", "n": 7, "by": -2}
    assert printed(repeated) == [(20, "7 of 9, step 7"), (22.5, "5 of 9, step 5"), (25, "3 of 9, step 3")]


def test_table_fills_its_values():
    table = {"line": "loss {1} at {0} ({1})", "rows": "3 10 0.50\n8 20 0.410\n"}
    assert printed(table) == [(3, "loss 0.50 at 10 (0.50)"), (8, "loss 0.410 at 20 (0.410)")]


def test_lines_are_in_order_of_time_then_of_the_file():
    repeated = {"at_s": 1, "every_s": 1, "count": 2, "line": "beat"}
    lines = ([2, "before"], repeated, [2, "behind"], [0, "first\nand second"])
    expected = [(0, "first"), (0, "and second"), (1, "beat"), (2, "before"), (2, "beat"), (2, "behind")]
    assert printed(*lines) == expected


def test_clock_of_a_line():
    assert printed([3_661.25, "{t} INFO up"]) == [(3_661.25, "2026-03-04 13:01:01,250 INFO up")]


def test_random_numbers_are_the_same_in_every_run():
    (_, text), again = printed([0, "{r} {r}"])[0], printed([0, "{r} {r}"])
    first, second = map(float, text.split())
    assert first != second
    assert all(0 <= number < 1 for number in (first, second))
    assert again == [(0, text)]
    assert lines_of(course([0, "{r} {r}"], id="another"))[0].text != text


@pytest.mark.parametrize(
    ("faulty", "message"),
    [
        (entry(colour="red"), "one: colour: Extra inputs are not permitted"),
        (entry(truth="fatal"), "one: the course: Value error, wrong_from_s belongs to every fatal course"),
        (entry(wrong_from_s=5), "one: the course: Value error, wrong_from_s belongs to every fatal course"),
        (entry(cause="bad-luck"), "one: cause: Input should be"),
        (entry(lines=[]), "one: lines: Tuple should have at least 1 item"),
        (entry([1, "up", 3]), "one: lines.0.pair: Tuple should have at most 2 items"),
        (entry([-1, "up"]), "one: lines.0.pair.0: Input should be greater than or equal to 0"),
        (entry(STEPS | {"count": 0}), "one: lines.0.repeated.count: Input should be greater"),
        (entry(STEPS | {"evry_s": 3}), "one: lines.0.repeated.evry_s: Extra inputs"),
        (entry({"line": "{0} {1}", "rows": "1 a b\n2 a\n"}), "one: lines.0.table: Value error, row 2 is not"),
        (
            entry({"line": "{1}", "rows": "1 a\n"}),
            "one: lines.0.table: Value error, the values of a line are",
        ),
        (entry({"line": "up", "rows": "soon\n"}), "one: lines.0.table: Value error, row 1 is not a whole"),
        (entry(ends={"at_s": 5, "state": "tired"}), "one: ends.state: Input should be"),
        ({"program": "made up"}, "entry 2: id: Field required"),
        ("a course", "entry 2: the course: Input should be"),
    ],
)
def test_bad_course_is_named(tmp_path, faulty, message):
    path = tmp_path / "odd.yaml"
    path.write_text(yaml.safe_dump([entry(id="good"), faulty]), encoding="utf-8")
    with pytest.raises(UserError) as raised:
        read_courses(path)
    assert f"{path}: {message}" in raised.value.sentence
    assert raised.value.next_step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (yaml.safe_dump([entry(), entry()]), "one: 2 courses have this id"),
        ("", "not a list of courses: Input should be a valid tuple"),
        ("[]", "not a list of courses: Tuple should have at least 1 item"),
        ("just: a mapping", "not a list of courses: Input should be a valid tuple"),
        ("- [", "while parsing"),
    ],
)
def test_bad_file_is_named(tmp_path, text, message):
    path = tmp_path / "odd.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as raised:
        read_courses(path)
    assert f"{path}: {message}" in raised.value.sentence


def test_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"absent\.yaml: .*No such file"):
        read_courses(tmp_path / "absent.yaml")


def test_job_ends_as_its_course_says():
    killed = course(ends={"at_s": 60, "state": "killed", "exit_code": 137})
    assert tree_of(killed, 59).root.state is JobState.RUNNING
    root = tree_of(killed, 60).root
    assert (root.state, root.task_states) == (JobState.KILLED, {TaskState.KILLED: 1})
    assert [(task.state, task.exit_code) for task in root.tasks or ()] == [(TaskState.KILLED, 137)]


def test_checks_end_with_the_job(playbook):
    """The last check is the first one that sees the end; without an end it is the last before `until_s`."""
    ended = watch_course(course(STEPS, ends={"at_s": 300, "state": "succeeded"}), playbook)
    assert ended.checks[-2].at_s < 300 <= ended.checks[-1].at_s < 400
    living = watch_course(course(STEPS, until_s=300), playbook)
    assert 200 < living.checks[-1].at_s <= 300
    assert ended.grade is living.grade is CourseGrade.QUIET


def test_fatal_course_is_reported(playbook):
    graded = watch_course(
        course(
            STEPS | {"count": 20},
            [205, TRACEBACK],
            truth="fatal",
            cause="config-error",
            also_acceptable=["code-error"],
            wrong_from_s=205,
            ends={"at_s": 206, "state": "failed", "exit_code": 1},
        ),
        playbook,
    )
    assert graded.grade is CourseGrade.RIGHT
    assert graded.reported_at_s == graded.checks[-1].at_s
    assert graded.reported_cause is Cause.CODE_ERROR


def test_course_is_graded_by_its_label(playbook):
    """The same job under three labels: a wrong cause, an alarm, and one that is over before it fails."""
    end = {"at_s": 206, "state": "failed", "exit_code": 1}
    lines = (STEPS | {"count": 20}, [205, TRACEBACK])
    other = course(*lines, truth="fatal", cause="disk-full", wrong_from_s=205, ends=end)
    assert watch_course(other, playbook).grade is CourseGrade.WRONG_CAUSE
    assert watch_course(course(*lines, ends=end), playbook).grade is CourseGrade.ALARM
    short = other.model_copy(update={"until_s": 100})
    assert watch_course(short, playbook).grade is CourseGrade.MISSED


def test_benign_course_is_quiet(playbook):
    warning = [95, "WARNING: retrying upload (1/5): connection reset by peer"]
    graded = watch_course(course(STEPS, warning, [97, "upload done"], until_s=590), playbook)
    assert graded.grade is CourseGrade.QUIET
    assert (graded.reported_at_s, graded.reported_cause) == (None, None)


def test_sample_is_judged_as_measured(playbook):
    sample = [course for name in OPEN_FILES for course in read_courses(WATCHED / name)[::EVERY]]
    grades = {course.id: watch_course(course, playbook).grade for course in sample}
    missed = [id_ for id_, grade in grades.items() if grade is CourseGrade.MISSED]
    alarms = [id_ for id_, grade in grades.items() if grade is CourseGrade.ALARM]
    assert len(missed) <= MEASURED_MISSED + SLACK, missed
    assert len(alarms) <= MEASURED_ALARMS + SLACK, alarms


@pytest.mark.parametrize("path", sorted(WATCHED.glob("*.yaml")), ids=lambda path: path.stem)
def test_files_hold_courses(path):
    assert len(read_courses(path)) >= 30
