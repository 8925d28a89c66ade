"""What is recalled of earlier incidents: the same one, similar ones, and nothing else."""

from dataclasses import replace

import pytest

from babysitter.engine.earlier_incidents import MAX_SIMILAR, sorted_by_likeness
from babysitter.model.finding import Cause
from babysitter.model.past_incident import Fingerprint, PastIncident, Recalled
from tests.support.build import NOON

PAST = PastIncident("i-1", NOON, Cause.UNKNOWN, Fingerprint("f-1"))


@pytest.mark.parametrize(
    ("likeness", "seen", "similar"),
    [(1.0, 1, 0), (0.8, 1, 0), (0.79, 0, 1), (0.5, 0, 1), (0.49, 0, 0), (0.0, 0, 0)],
)
def test_only_likeness_decides_what_is_shown(likeness: float, seen: int, similar: int):
    earlier = sorted_by_likeness([Recalled(PAST, likeness)])
    assert (len(earlier.seen), len(earlier.similar)) == (seen, similar)
    assert bool(earlier) is bool(seen or similar)


def test_the_most_alike_come_first():
    found = [Recalled(replace(PAST, id=f"i-{n}"), 0.5 + n / 100) for n in range(10)]
    similar = sorted_by_likeness(found).similar
    assert [recalled.past.id for recalled in similar] == ["i-9", "i-8", "i-7"][:MAX_SIMILAR]
