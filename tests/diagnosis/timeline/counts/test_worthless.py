"""Values that were never so, and are in every report."""

import pytest

from babysitter.diagnosis.timeline.count_history import entries_of
from babysitter.diagnosis.timeline.counts.named_values import ValueKind, read_named_values
from babysitter.diagnosis.timeline.counts.worthless import MAX_COURSES, find_worthless, fold_values
from babysitter.model.value_course import ValueCourse
from tests.support.build import at
from tests.support.jobs import raw

USUAL, OFF = range(20), range(20, 45)


def found(usual: str, off: str, step_s: float = 60.0, later_s: float = 0.0) -> ValueCourse | None:
    """The worthless value of 20 reports and 25 more: `{n}` counts, `{r}` rises and falls."""
    texts = [usual.format(n=n, r=400 + n * 7 % 23) for n in USUAL]
    texts += [off.format(n=n, r=400 + n * 7 % 23) for n in OFF]
    courses: tuple[ValueCourse, ...] = ()
    for place, text in enumerate(texts):  # look by look
        courses = fold_values(courses, entries_of([raw(place * step_s, text)], place))
    return find_worthless(courses, at(44 * step_s + later_s).timestamp(), 600, slow_s=1200)


@pytest.mark.parametrize(
    ("usual", "off", "name"),
    [
        ("iter {n} reward=0.{r}1 kl=0.01", "iter {n} reward=0.0000 kl=0.01", "reward"),
        ("s{n} loss=3.{r} tok/step=4096", "s{n} loss=0.000 tok/step=0", "loss"),
        ("window in={r} bad=1 written={r}", "window in={r} bad=1 written=0", "written"),
        ("read {n}: accepted={r} rejected=3", "read {n}: accepted=0 rejected=400", "accepted"),
        ("it {n} J = 4.{r}E+03 taken", "it {n} J = ********** not taken", "J"),
        ("|  ep_rew_mean  | {r}.5  |", "|  ep_rew_mean  | 0  |", "ep_rew_mean"),
        ("step {n} 0.9{n} s/step eta 3h", "step {n} 38.1 s/step eta 11d", "s/step"),
        ("shard {n} of 90 {r}.0 docs/s", "shard {n} of 90 1.2 docs/s", "docs/s"),
        ("throughput: {r}.1 tok/s, running: 20", "throughput: 0.0 tok/s, running: 64", "tok/s"),
    ],
)
def test_worthless_work(usual: str, off: str, name: str) -> None:
    course = found(usual, off)
    assert course is not None
    assert course.name == name


@pytest.mark.parametrize(
    ("usual", "off"),
    [
        ("poll {n}: rows={r}", "poll {n}: rows=0"),  # nothing came
        ("throughput: {r}.1 tok/s, running: 20", "throughput: 0.0 tok/s, running: 0"),
        ("poll {n}: total=90412 rows={r}", "poll {n}: total=90412 rows=0"),
        ("step {n} loss=0.00{n}", "step {n} loss=0.000"),  # it was small before
        ("step {n} lr=0.{r}", "step {n} lr=0.0"),
        ("read {r} rows, errors={r}", "read {r} rows, errors=0"),
        ("shard {n} of 90 {r}.0 docs/s", "shard {n} of 90 90.0 docs/s"),  # four times slower
        ("iter {n} return=-24.{r}", "iter {n} return=0.00"),  # better
        ("step {n} kl_loss=0.{r}", "step {n} kl_loss=0.000"),  # a part that is switched off
        ("round {n}: failure rate: 31.{r}%", "round {n}: failure rate: 0.40%"),
        ("batch {n}: rows={r} durationMs={r}", "batch {n}: rows=0 durationMs={r}"),
        ("copied {n} objects, {r}.0 MB/s", "copied {n} objects, 4.0 MB/s"),
        ("epoch {n} best loss=0.{r}", "epoch {n} best loss=0.000"),
    ],
)
def test_values_that_may_be_so(usual: str, off: str) -> None:
    assert found(usual, off) is None


def test_a_usual_value_ends_it_and_a_short_time_is_not_told() -> None:
    assert found("iter {n} reward=0.{r}1", "iter {n} reward=0.{r}1") is None
    assert found("iter {n} reward=0.{r}1", "iter {n} reward=0.0000", step_s=20) is None


def test_a_value_that_is_reported_no_more_belongs_to_work_that_is_over() -> None:
    assert found("iter {n} reward=0.{r}1", "iter {n} reward=0.0000", later_s=100) is not None
    assert found("iter {n} reward=0.{r}1", "iter {n} reward=0.0000", later_s=400) is None


def test_what_values_measure() -> None:
    values = read_named_values("worker - success: 0.712 - failed: 0.250 - images per sec: 46, 300 rows read")
    assert {value.name: value.kind for value in values} == {
        "success": ValueKind.QUALITY,
        "failed": ValueKind.REJECTED,
        "per sec": ValueKind.RATE,
        "rows": ValueKind.QUANTITY,
    }


def test_the_courses_that_are_kept_do_not_depend_on_how_lines_are_cut_into_looks() -> None:
    lines = [raw(n, f"{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]} rows={n}") for n in range(300)]
    entries = entries_of(lines, 0)
    at_once = fold_values((), entries)
    one_by_one: tuple[ValueCourse, ...] = ()
    for entry in entries:
        one_by_one = fold_values(one_by_one, [entry])
    assert len(at_once) == MAX_COURSES
    assert at_once == one_by_one
