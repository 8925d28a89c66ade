import pytest

from babysitter.diagnosis.judge.assess import JUDGES
from babysitter.diagnosis.judge.phases.phases import (
    TRANSITIONS,
    assessment_every_s,
    enter,
    may_move,
    next_check_s,
)
from babysitter.model.ids import JobId
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.progress import StagePace
from tests.support.build import at

LIMITS = Limits()


def test_every_phase_has_a_row_and_a_judge():
    assert set(TRANSITIONS) == set(Phase) == set(JUDGES)


@pytest.mark.parametrize("before", list(Phase))
@pytest.mark.parametrize("after", list(Phase))
def test_a_move_that_the_table_does_not_hold_is_refused(before, after):
    memory = Memory(phase=before, phase_since_at=at(0), checks_in_phase=7, seen_in_phase_s=90)
    if not may_move(before, after):
        with pytest.raises(ValueError, match="cannot move"):
            enter(memory, after, at(60))
        return
    moved = enter(memory, after, at(60))
    assert moved.phase is after
    assert (moved.checks_in_phase, moved.seen_in_phase_s) == ((7, 90) if before is after else (0, 0))


def test_nothing_leaves_the_end_but_an_action():
    assert TRANSITIONS[Phase.FINISHED] == {Phase.ACTING}


@pytest.mark.parametrize(
    ("phase", "expected_s"),
    [
        (Phase.PENDING, [30, 30, 45, 67.5, 101.25, 151.875, 227.8125, 300, 300]),
        (Phase.SMOKE, [5, 10, 15, 30, 60, 30, 30]),
        (Phase.STEADY, [30, 30]),
        (Phase.SUSPECT, [10, 10]),
        (Phase.FAILING, [30, 30]),
        (Phase.FINISHED, [float("inf")]),
    ],
)
def test_cadence(phase, expected_s):
    assert [next_check_s(phase, n, LIMITS) for n in range(len(expected_s))] == expected_s


@pytest.mark.parametrize(
    ("lengths_s", "expected_s"), [([], 180), ([60], 180), ([600, 700, 4000], 700), ([9000], 1800)]
)
def test_assessments_follow_the_job_s_own_stages(lengths_s, expected_s):
    stages = tuple(
        StagePace(f"stage{n}", JobId("/a/b"), started_at=at(0), ended_at=at(length))
        for n, length in enumerate(lengths_s)
    )
    assert assessment_every_s(Memory(stages=stages), LIMITS) == expected_s
