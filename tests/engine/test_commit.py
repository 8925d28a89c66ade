"""Which events a check brings."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from babysitter.engine.commit import course, due_at
from babysitter.model.events import StageChanged
from babysitter.model.phase import Phase
from babysitter.model.verdict import ProgressSummary, StageProgressSummary
from tests.support.build import NOON, verdict, watch


def outlook(label: str, pipeline: int = 0) -> ProgressSummary:
    return ProgressSummary(
        "", stages=(StageProgressSummary(label, 1, 10, is_current=True),), pipeline=pipeline
    )


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (None, outlook("stage0-Map"), ["stage0-Map"]),
        (outlook("stage0-Map"), outlook("stage0-Map"), []),
        (outlook("Map"), outlook("stage0-Map"), []),  # as the job's status names it, as its lines do
        (outlook("stage0-Map"), outlook("stage1-Map"), ["stage1-Map"]),
        (outlook("stage0-Map"), outlook("stage0-Map", pipeline=1), ["stage0-Map"]),
    ],
)
def test_a_stage_is_told_once_however_it_is_named(before, after, changed):
    seen = replace(verdict(), outlook=after)
    events = course(watch(outlook=before), seen, NOON)
    assert [event.stage for event in events if isinstance(event, StageChanged)] == changed


def steady_at(now: datetime, *, due: datetime | None = None, pause_s: float = 30.0) -> datetime | None:
    seen = verdict(phase=Phase.STEADY, next_check_s=pause_s)
    return due_at(seen, watch(due_at=due), now)


@pytest.mark.parametrize("second", [0.0, 0.4, 7.0, 15.0, 29.9])
def test_steady_watches_are_due_together(second: float):
    now = NOON + timedelta(seconds=second)
    assert steady_at(now) == NOON + timedelta(seconds=30)
    assert steady_at(NOON + timedelta(seconds=30.2)) == NOON + timedelta(seconds=60)


def test_a_late_steady_check_is_not_followed_by_an_early_one():
    now = NOON + timedelta(seconds=50)
    assert steady_at(now, due=NOON + timedelta(seconds=30)) == now + timedelta(seconds=30)
    assert steady_at(now, due=NOON + timedelta(seconds=40)) == NOON + timedelta(seconds=60)
