"""The database's health, from how writes ended."""

from datetime import timedelta

import pytest

from babysitter.engine.storage_health import (
    CALM_FOR,
    MAX_RETRY_S,
    MIN_RETRY_S,
    StorageHealth,
)
from tests.support.clock import NOON, FakeClock

FULL = "database or disk is full"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def health(clock: FakeClock) -> StorageHealth:
    return StorageHealth(clock)


def test_outage_begins_with_the_write_that_failed(health: StorageHealth):
    health.note("", 0.1)
    assert health.outage is None
    health.note(FULL, 15.0)
    assert health.outage is not None
    assert health.outage.since_at == NOON - timedelta(seconds=15)
    assert (health.outage.because, health.outage.is_failing, health.failed_writes) == (FULL, True, 1)


def test_outage_is_over_after_a_calm(health: StorageHealth, clock: FakeClock):
    health.note(FULL, 0.0)
    clock.advance(CALM_FOR.total_seconds())
    assert health.outage is not None, "nothing was stored since"
    health.note("", 0.0)
    assert health.outage is None


def test_small_writes_on_a_full_disk_end_no_outage(health: StorageHealth, clock: FakeClock):
    for _ in range(20):
        health.note(FULL, 0.0)
        clock.advance(5)
        health.note("", 0.0)
        clock.advance(25)
    assert health.outage is not None
    assert health.outage.since_at == NOON
    assert health.outage.works_since == clock.now() - timedelta(seconds=25)


def test_clock_set_back_ends_an_outage_all_the_same(health: StorageHealth, clock: FakeClock):
    health.note(FULL, 0.0)
    health.note("", 0.0)
    clock.advance(-7200)
    assert health.outage is None


def test_retry_pause_grows_with_the_outage_and_is_bounded(health: StorageHealth, clock: FakeClock):
    assert health.retry_s == MIN_RETRY_S
    pauses = []
    for _ in range(30):
        health.note(FULL, 0.0)
        pauses.append(health.retry_s)
        clock.advance(pauses[-1])
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (MIN_RETRY_S, MAX_RETRY_S)


def test_disk_that_hangs_is_an_outage(health: StorageHealth):
    for _ in range(30):
        health.look(every_s=1.0)
    assert health.outage is None, "the first look began the count"
    health.look(every_s=1.0)
    assert health.outage is not None
    assert "may hang" in health.outage.because


def test_writes_that_end_are_no_hanging_disk(health: StorageHealth):
    for _ in range(200):
        health.look(every_s=1.0)
        health.note("", 0.0)
    assert health.outage is None
