"""Counts of output that stand while the input is counted on."""

import pytest

from babysitter.diagnosis.timeline.count_history import entries_of
from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.counts.standing_output import StandingOutput, find_standing_output
from babysitter.model.progress import CountedWork
from tests.support.build import at
from tests.support.jobs import raw

BEFORE, AFTER = 15, 30  # reports


def found(line: str, step_s: float = 30.0) -> StandingOutput | None:
    """`{i}` rises always, `{o}` for 15 reports, `{s}` in every fifth of them; after 30 more."""
    work = CountedWork()
    for n in range(BEFORE + AFTER):
        risen = min(n, BEFORE - 1)
        text = line.format(i=1000 + 97 * n, o=900 + 90 * risen, s=3 + risen // 5)
        work = read_counters(entries_of([raw(n * step_s, text)], n), work).work
    return find_standing_output(work, at((BEFORE + AFTER - 1) * step_s).timestamp(), 600.0)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("read={i} written={o} lag_ms=4", "written"),
        ("clickfold: in={i} emitted={o} skipped=4", "emitted"),
        ("pipestat in={i} out={i} acked_by_es={o} queue=0", "acked_by_es"),
    ],
)
def test_output_stands(line: str, name: str) -> None:
    standing = found(line)
    assert standing is not None
    assert standing.name == name
    assert standing.for_s == 30 * 30


@pytest.mark.parametrize(
    "line",
    [
        "read={i} written={i}",
        "read={o} written={o}",  # the whole job stands, which others see
        "read={i} written={s}",  # it rose now and then only
        "downloaded={o} converted=12",
        "read={i} skipped={o}",
        "files={s} bytes={i}",
        "converted={i} uploaded=100/100",
        "in={i} joined={o}",  # no match for a quarter of an hour
        "in={i} unique={o} duplicates={s}",
    ],
)
def test_output_goes_on(line: str) -> None:
    assert found(line) is None


def test_a_step_that_is_over_before_the_next_began_stands_rightly() -> None:
    assert found("fetched={o} of them parsed=0") is None


def test_output_that_another_count_makes_up_for_is_not_lost() -> None:
    work = CountedWork()
    for n in range(BEFORE + AFTER):
        kept = 90 * min(n, BEFORE - 1)
        text = f"in={97 * n} written={kept} duplicates={97 * n - kept}"
        work = read_counters(entries_of([raw(n * 30.0, text)], n), work).work
    assert find_standing_output(work, at((BEFORE + AFTER - 1) * 30.0).timestamp(), 600.0) is None


def test_what_passes_a_test_may_not_come_for_longer() -> None:
    standing = found("in={i} joined={o}", step_s=70.0)  # 35 min
    assert standing is not None
    assert standing.name == "joined"


def test_few_reports_show_nothing() -> None:
    assert found("read={i} written={o}", step_s=10.0) is None  # 300 s
