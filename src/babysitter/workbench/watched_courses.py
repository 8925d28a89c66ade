"""Courses of watched jobs -> whether, when and with which cause an incident is reported.

A course says what a job prints at which second, and what is wrong with the job (fixtures/watched/README.md
has the format). It is checked as the service checks a job: repeatedly, when the verdicts ask for it.
The diagnosis sees nothing of a course's label.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import chain
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError, field_validator, model_validator

from babysitter.diagnosis.causes.rule import StrictModel
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.learned.cause_classes import class_of
from babysitter.diagnosis.pipeline import judge
from babysitter.errors import UserError
from babysitter.model.finding import Cause
from babysitter.model.ids import JobId, TaskId, WatchId
from babysitter.model.job import Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import LogLevel, LogLine
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Seen
from babysitter.model.verdict import Diagnosis
from babysitter.model.watch import Watch
from babysitter.policy.incident_lifecycle import is_incident

START = datetime(2026, 3, 4, 12, tzinfo=UTC)  # second 0 of every course; clocks in the lines say the same
JOB = JobId("/courses/watched")
TASK = TaskId(f"{JOB}/0")
FIRST_CHECK_S = 5.0
MIN_INTERVAL_S = 5.0
MAX_S = 86_400  # of a course: a day
VALUE = re.compile(r"\{(\d+)\}")

Second = Annotated[float, Field(ge=0, le=MAX_S)]


class RepeatedLine(StrictModel):
    """A line printed at even times; `{n}` in it counts from `n` in steps of `by`."""

    at_s: Second
    every_s: Annotated[float, Field(gt=0, le=MAX_S)]
    count: Annotated[int, Field(ge=1, le=100_000)]
    line: str
    n: int = 0
    by: int = 1

    def printed(self) -> Iterator[tuple[float, str]]:
        for index in range(self.count):
            yield self.at_s + self.every_s * index, self.line.replace("{n}", str(self.n + self.by * index))


class LineTable(StrictModel):
    """A line printed at uneven times, or with values that do not count.

    In a file, `rows` is a text with one row for each time: the second, then the values of `{0}`, `{1}`, ...
    """

    line: str
    rows: tuple[tuple[str, ...], ...]

    @field_validator("rows", mode="before")
    @classmethod
    def _split(cls, rows: Any) -> Any:
        return tuple(tuple(row.split()) for row in rows.splitlines()) if isinstance(rows, str) else rows

    @model_validator(mode="after")
    def _check_rows(self) -> Self:
        places = {int(place) for place in VALUE.findall(self.line)}
        if places != set(range(len(places))):
            raise ValueError("the values of a line are {0}, {1}, and so on without a gap")
        for number, row in enumerate(self.rows, start=1):
            if len(row) != 1 + len(places) or not row[0].isdecimal() or int(row[0]) > MAX_S:
                raise ValueError(f"row {number} is not a whole second up to {MAX_S} and {len(places)} values")
        return self

    def printed(self) -> Iterator[tuple[float, str]]:
        for second, *values in self.rows:
            yield float(second), self._with(values)

    def _with(self, values: Sequence[str]) -> str:
        return VALUE.sub(lambda place: values[int(place[1])], self.line)


def _form_of(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "pair"
    return "table" if "rows" in entry else "repeated"


CourseLine = Annotated[
    Annotated[tuple[Second, str], Tag("pair")]
    | Annotated[RepeatedLine, Tag("repeated")]
    | Annotated[LineTable, Tag("table")],
    Discriminator(_form_of),
]


class CourseEnd(StrictModel):
    """When the job ends, and how."""

    at_s: Second
    state: Literal["succeeded", "failed", "killed"]
    exit_code: int = 0


class WatchedCourse(StrictModel):
    """What a job prints while it is watched, and the truth about it.

    `wrong_from_s`: the second from which an expert who reads the log calls a fatal course broken.
    """

    id: str
    program: str
    truth: Literal["fatal", "benign"]
    cause: Cause
    also_acceptable: tuple[Cause, ...] = ()
    wrong_from_s: Second | None = None
    why: str
    until_s: Second
    ends: CourseEnd | None = None
    lines: Annotated[tuple[CourseLine, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_truth(self) -> Self:
        if (self.truth == "fatal") is (self.wrong_from_s is None):
            raise ValueError("wrong_from_s belongs to every fatal course and to no benign one")
        return self


@dataclass(frozen=True, slots=True)
class CourseCheck:
    """What one check of a course says; `at_s` counts from the start of the job."""

    at_s: float
    phase: Phase
    diagnosis: Diagnosis | None
    is_incident: bool


class CourseGrade(StrEnum):
    """How right the reports of a course are: the first three for fatal ones, the others for benign ones."""

    RIGHT = "right"
    WRONG_CAUSE = "wrong-cause"
    MISSED = "missed"
    ALARM = "alarm"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class GradedCourse:
    """One course and all its checks, oldest first."""

    course: WatchedCourse
    checks: tuple[CourseCheck, ...]

    @property
    def reported_at_s(self) -> float | None:
        """When an incident was first reported; None = never."""
        return next((check.at_s for check in self.checks if check.is_incident), None)

    @property
    def reported_cause(self) -> Cause | None:
        """The cause at the last check that reported an incident."""
        reported = [check.diagnosis.cause for check in self.checks if check.is_incident and check.diagnosis]
        return reported[-1] if reported else None

    @property
    def grade(self) -> CourseGrade:
        cause = self.reported_cause
        if self.course.truth == "benign":
            return CourseGrade.QUIET if cause is None else CourseGrade.ALARM
        if cause is None:
            return CourseGrade.MISSED
        accepted = map(class_of, (self.course.cause, *self.course.also_acceptable))
        return CourseGrade.RIGHT if class_of(cause) in accepted else CourseGrade.WRONG_CAUSE


_COURSES = TypeAdapter(Annotated[tuple[WatchedCourse, ...], Field(min_length=1)])


def read_courses(path: Path) -> tuple[WatchedCourse, ...]:
    """The courses of a file, in its order. Raises UserError that names the file and every course at fault."""
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        entries = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        courses = _COURSES.validate_python(entries)
        ids = Counter(course.id for course in courses)
        faults = [f"{id_}: {count} courses have this id" for id_, count in ids.items() if count > 1]
    except ValidationError as error:
        faults = [_fault(entries, detail) for detail in error.errors()]
    except (OSError, RecursionError, yaml.YAMLError, ValueError) as error:
        faults = [" ".join(str(error).split())]
    if faults:
        raise UserError(
            "Some courses cannot be read:\n" + "\n".join(f"{path}: {fault}" for fault in faults),
            next_step="Correct these places; fixtures/watched/README.md describes the format.",
        )
    return courses


def _fault(entries: Any, detail: Any) -> str:
    """The course by its id, or by its number where it has none; the place in it; what is wrong there."""
    if not detail["loc"]:
        return f"not a list of courses: {detail['msg']}"
    number, *place = detail["loc"]
    entry = entries[number] if isinstance(entries, list) else None
    course = (entry.get("id") if isinstance(entry, dict) else None) or f"entry {number + 1}"
    return f"{course}: {'.'.join(map(str, place)) or 'the course'}: {detail['msg']}"


def lines_of(course: WatchedCourse) -> tuple[LogLine, ...]:
    """Everything that the job prints, oldest first; the same at every call.

    `{t}` becomes the clock of the line, `{r}` a random number from 0 to 1, line breaks separate lines.
    """
    random = Random(course.id)
    forms = ([entry] if isinstance(entry, tuple) else entry.printed() for entry in course.lines)
    printed = sorted(chain.from_iterable(forms), key=itemgetter(0))
    return tuple(
        LogLine(text, _milliseconds(second), TASK, 0, LogLevel.UNKNOWN, "stdout")
        for second, template in printed
        for text in _filled(template, second, random).split("\n")
    )


def _filled(template: str, second: float, random: Random) -> str:
    clock = START + timedelta(seconds=second)
    text = template.replace("{t}", f"{clock:%Y-%m-%d %H:%M:%S},{clock.microsecond // 1000:03d}")
    return re.sub(r"\{r\}", lambda _: f"{random.random():.3f}", text)


def _milliseconds(second: float) -> int:
    return int((START.timestamp() + second) * 1000)


def watch_course(course: WatchedCourse, playbook: Playbook) -> GradedCourse:
    """Check the job until it ends or `until_s` has passed, at the times that the verdicts ask for.

    A line needs a moment to arrive: what is printed in the second of a check is read by the next one.
    """
    lines = lines_of(course)
    memory = Memory(phase=Phase.PENDING, phase_since_at=START)
    watch = Watch(WatchId("w-course"), JOB, JOB, "courses", "plain", START, START, memory)
    checks: list[CourseCheck] = []
    at_s, read = FIRST_CHECK_S, 0
    while at_s <= course.until_s:
        printed = bisect_left(lines, _milliseconds(at_s), key=lambda line: line.at_ms)
        tree, now = tree_of(course, at_s), START + timedelta(seconds=at_s)
        verdict = judge(
            watch, Observation(JOB, now, Seen(tree, now), Seen(lines[read:printed], now)), playbook
        )
        checks.append(CourseCheck(at_s, verdict.phase, verdict.diagnosis, is_incident(verdict)))
        if tree.root.state.is_terminal:
            break
        watch, read = replace(watch, memory=verdict.memory), printed
        at_s += max(MIN_INTERVAL_S, verdict.next_check_s)
    return GradedCourse(course, tuple(checks))


def tree_of(course: WatchedCourse, at_s: float) -> JobTree:
    """The job as its cluster describes it at this second: one task, which runs until the course ends."""
    job = Job(JOB, JobState.RUNNING, submitted_at=START, started_at=START, task_count=1)
    if course.ends is None or at_s < course.ends.at_s:
        return JobTree(replace(job, task_states={TaskState.RUNNING: 1}))
    state, finished_at = TaskState(course.ends.state), START + timedelta(seconds=course.ends.at_s)
    task = Task(TASK, state, course.ends.exit_code, started_at=START, finished_at=finished_at)
    job = replace(job, state=JobState(state.value), finished_at=finished_at)
    return JobTree(replace(job, task_states={state: 1}, tasks=(task,)))
