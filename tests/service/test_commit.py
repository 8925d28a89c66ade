"""Which events a check brings."""

from dataclasses import replace

import pytest

from babysitter.model.events import StageChanged
from babysitter.model.verdict import Outlook, StageView
from babysitter.service.commit import course
from tests.support.build import NOON, verdict, watch


def outlook(label: str, pipeline: int = 0) -> Outlook:
    return Outlook("", stages=(StageView(label, 1, 10, is_current=True),), pipeline=pipeline)


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
    assert [each.stage for each in events if isinstance(each, StageChanged)] == changed
