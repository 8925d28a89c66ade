from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.timeline.pipelines.stage_pace import (
    current_stage,
    eta_s,
    fold_report,
    rate_per_min,
    since_last_completion_s,
    stuck_after_s,
)
from babysitter.model.ids import JobId
from babysitter.model.limits import Limits
from babysitter.model.progress import Progress, StagePace
from tests.support.build import at

OWNER = JobId("/ada/dedup/zephyr-dedup-0a1b2c3d-p0-a0")
LIMITS = Limits()


def reports(*counts: tuple[float, int], stage: str = "stage0-Map", total: int = 20, execution: str = "e1"):
    return [Progress(stage, done, total, at(seconds), execution=execution) for seconds, done in counts]


def folded(*samples: Progress) -> tuple[StagePace, ...]:
    return reduce(lambda stages, sample: fold_report(stages, sample, OWNER), samples, ())


def test_gaps_are_per_shard_and_from_the_times_inside_lines():
    (stage,) = folded(*reports((0, 0), (60, 1), (120, 3), (300, 4)))
    assert stage.gaps_s == (30.0, 30.0, 180.0)
    assert stage.longest_gap_s == 180.0
    assert rate_per_min(stage) == pytest.approx(0.75)
    assert eta_s(stage) == pytest.approx(16 / 0.75 * 60)


def test_an_unchanged_report_only_freezes():
    (stage,) = folded(*reports((0, 0), (60, 5), (600, 5), (900, 5)))
    assert since_last_completion_s(stage) == 840.0
    assert stage.gaps_s == ()


def test_late_and_repeated_reports_change_nothing():
    stages = folded(*reports((0, 0), (60, 5), (120, 6)))
    assert fold_report(stages, *reports((60, 5)), OWNER) == stages
    assert fold_report(stages, *reports((120, 6)), OWNER) == stages


def test_a_higher_stage_ends_the_one_before_which_never_reports_its_last_shard():
    stages = folded(*reports((0, 18)), *reports((30, 0), stage="stage3-Reduce"))
    assert [stage.ended_at is not None for stage in stages] == [True, False]
    newest = current_stage(stages, OWNER)
    assert newest is not None
    assert newest.label == "stage3-Reduce"


def test_the_same_stage_of_another_execution_is_another_one():
    stages = folded(*reports((0, 9)), *reports((60, 0), execution="e2"))
    assert [stage.done for stage in stages] == [9, 0]


@pytest.mark.parametrize(
    ("median_gap_s", "longest_gap_s", "expected_s"),
    [
        (30, 60, 900),  # the floor of 15 min
        (112, 200, 900),  # 8 x 112 s = 896 s
        (113, 200, 904),
        (180, 300, 1440),
        (30, 451, 902),  # 2 x the longest gap survived
        (30, 449, 900),
    ],
)
def test_stuck_needs_floor_multiple_and_more_than_was_survived(median_gap_s, longest_gap_s, expected_s):
    stage = StagePace(
        "stage0-Map",
        OWNER,
        done=3,
        total=9,
        last_done_at=at(0),
        gaps_s=(median_gap_s,) * 3,
        longest_gap_s=longest_gap_s,
    )
    assert stuck_after_s(stage, (stage,), LIMITS) == expected_s


@pytest.mark.parametrize(("slowest_first_s", "expected_s"), [(None, 2700), (800, 2700), (1000, 3000)])
def test_before_the_first_shard_more_is_allowed(slowest_first_s, expected_s):
    stage = StagePace("stage1-Reduce", OWNER, total=9, started_at=at(0))
    earlier = StagePace("stage0-Map", OWNER, started_at=at(0))
    if slowest_first_s is not None:
        earlier = replace(earlier, first_done_at=at(slowest_first_s))
    assert stuck_after_s(stage, (earlier, stage), LIMITS) == expected_s


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 20)), max_size=30))
def test_any_order_of_reports_keeps_the_laws(counts):
    stages = folded(*reports(*counts))
    for stage in stages:
        assert 0 <= stage.done <= stage.total
        assert all(gap >= 0 for gap in stage.gaps_s)
        assert since_last_completion_s(stage) >= 0
        assert stuck_after_s(stage, stages, LIMITS) >= LIMITS.stuck_floor_s
    assert len([stage for stage in stages if stage.ended_at is None]) <= 1


@pytest.mark.parametrize(
    ("first", "then", "labels"),
    [
        ("Map → Write", "stage0-Map → Write", ["stage0-Map → Write"]),  # a status text, then a line
        ("stage0-Map → Write", "Map → Write", ["stage0-Map → Write"]),
        ("stage0-Map", "stage2-Map", ["stage0-Map", "stage2-Map"]),
        ("stage0-Map", "Reduce", ["stage0-Map", "Reduce"]),
    ],
)
def test_a_status_text_leaves_out_the_number_of_a_stage(first, then, labels):
    stages = folded(*reports((0, 1), stage=first, execution=""), *reports((5, 2), stage=then, execution=""))
    assert [stage.label for stage in stages] == labels


def test_a_stage_that_has_halted_foretells_nothing():
    (stage,) = folded(*reports((0, 0), (10, 1), (20, 2), (30, 3), (80, 3)))
    assert eta_s(stage) == pytest.approx(170)
    (stage,) = folded(*reports((0, 0), (10, 1), (20, 2), (30, 3), (100, 3)))
    assert eta_s(stage) is None
