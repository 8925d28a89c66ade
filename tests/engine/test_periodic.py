"""Periodic activities: no failure ends one, each is visible, and it is repeated after a growing pause."""

import pytest

from babysitter.engine.periodic import MAX_PAUSE_S, PeriodicActivity
from babysitter.errors import FactsChanged, StorageUnavailable, Unreachable
from tests.support.clock import FakeClock


class Work:
    """Fails with each of these errors in turn, then succeeds."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.done = 0
        self.troubles: dict[str, str] = {}
        self.failures: dict[str, int] = {}

    async def __call__(self) -> None:
        if self.faults:
            raise self.faults.pop(0)
        self.done += 1

    def activity(self, **options: object) -> PeriodicActivity:
        return PeriodicActivity(
            "rules",
            self,
            every_s=4.0,
            clock=FakeClock(),
            troubles=self.troubles,
            failures=self.failures,
            **options,  # type: ignore[arg-type]
        )


@pytest.mark.parametrize(
    "fault", [Unreachable("Nobody answers."), TimeoutError(), KeyError("x"), OSError(28, "full")]
)
async def test_failed_attempt_is_shown_and_repeated(fault: Exception):
    work = Work(fault, fault)
    activity = work.activity()
    assert await activity.attempt() == 8.0
    assert "fails since 12:00:00 UTC and is tried again" in work.troubles["rules"]
    assert await activity.attempt() == 16.0
    assert await activity.attempt() == 4.0
    assert (work.done, work.troubles, work.failures) == (1, {}, {"rules": 2})


async def test_pause_between_attempts_is_bounded():
    activity = Work(*(Unreachable("no") for _ in range(50))).activity()
    pauses = [await activity.attempt() for _ in range(50)]
    assert pauses[-1] == MAX_PAUSE_S == max(pauses)


async def test_text_of_a_foreign_error_is_not_shown():
    work = Work(ValueError("token=made-up-secret"))
    await work.activity().attempt()
    assert "made-up-secret" not in work.troubles["rules"]
    assert "ValueError" in work.troubles["rules"]


async def test_storage_outage_is_no_trouble_of_each_activity():
    work = Work(StorageUnavailable("database is locked"))
    await work.activity().attempt()
    assert (work.troubles, work.failures) == ({}, {"rules": 1})


async def test_takeover_ends_the_one_activity_that_says_so():
    with pytest.raises(FactsChanged):
        await Work(FactsChanged("taken over")).activity(ends_with=FactsChanged).attempt()
    work = Work(FactsChanged("taken over"))
    await work.activity().attempt()
    assert "taken over" in work.troubles["rules"]
