"""Counts that stand still, and words that say for how long no work was done."""

import pytest

from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.counts.durations import read_duration_s
from babysitter.diagnosis.timeline.counts.still import find_stopped_count
from babysitter.diagnosis.timeline.counts.told import find_told_quiet, read_told_quiet_s
from babysitter.diagnosis.timeline.entries import read_entries

MINUTE = 60.0


def _still(*lines: tuple[float, str]):
    entries = read_entries([text for _, text in lines], times_s=[at * MINUTE for at, _ in lines])
    return find_stopped_count(read_counters(entries))


_STILL = [
    [(0, "step 1"), (1, "step 2"), (2, "step 2"), (30, "step 2")],
    [(0, "118/500 steps, reloading"), (22, "0/500 steps, reloading"), (45, "0/500 steps, reloading")],
    [
        (0, "0/500 steps in epoch. Reloading"),
        (22, "0/500 steps in epoch. Reloading"),
        (45, "0/500 steps in epoch. Reloading"),
    ],
    [(0, "[map] 399/400 complete, 1 in-flight"), (61, "[map] 399/400 complete, 1 in-flight")],
    [(0, "tokens: 1.0M"), (1, "tokens: 1.5M"), (40, "tokens: 1.5M"), (50, "tokens: 1.5M")],
    [(0, "epoch 3 step 1"), (1, "epoch 3 step 9"), (15, "epoch 3 step 9"), (30, "epoch 3 step 9")],
    [
        (0, "alive: 0/16 replicas, 3/40 files"),
        (30, "alive: 0/16 replicas, 3/40 files"),
        (60, "alive: 0/16 replicas, 3/40 files"),
    ],
    [(0, "step 5"), (1, "step 6"), (20, "heartbeat 9"), (21, "step 6"), (40, "heartbeat 10"), (41, "step 6")],
]


@pytest.mark.parametrize("lines", _STILL)
def test_count_that_stands_still_is_found(lines):
    assert _still(*lines) is not None


_NOT_STILL = [
    [(0, "step 1"), (1, "step 2"), (2, "step 2"), (15, "step 2")],  # not long enough
    [(0, "step 1"), (10, "step 2"), (20, "step 2"), (45, "step 2")],  # usual gap of 10 min
    [(0, "500/500 steps"), (30, "500/500 steps"), (60, "500/500 steps")],  # complete
    [(0, "step 7"), (30, "step 7"), (60, "step 7")],  # never moved, not a fraction
    [(0, "step 1"), (1, "step 2"), (30, "step 2"), (50, "step 2"), (51, "tokens 1"), (52, "tokens 2")],
    [(0, "3/9 files"), (30, "3/9 files"), (59, "4/9 files")],
    [
        (0, "100/500 steps"),
        (10, "400/500 steps"),
        (20, "10/500 steps"),
        (50, "310/500 steps"),
        (80, "20/500 steps"),
    ],
    [(0, "3/4 workers alive"), (30, "3/4 workers alive"), (60, "3/4 workers alive")],
    [(0, "3 workers alive, 1 pending"), (60, "3 workers alive, 1 pending")],
    [
        (0, "used 3.1 GB / 8.0 GB memory"),
        (60, "used 3.1 GB / 8.0 GB memory"),
        (90, "used 3.1 GB / 8.0 GB memory"),
    ],
    [(0, "step 1")],
]


@pytest.mark.parametrize("lines", _NOT_STILL)
def test_count_that_does_not_stand_still(lines):
    assert _still(*lines) is None


def test_stand_still_says_for_how_long():
    still = _still((0, "step 1"), (1, "step 2"), (2, "step 2"), (31, "step 2"))
    assert still is not None
    assert (still.since.reports, still.since.place, still.last_place, still.value) == (3, 1, 3, 2)
    assert still.still_s == 1800


_TOLD = [
    ("job uptime 49h12m, last shard completion 37h04m ago", 37 * 3600 + 240),
    ("last progress: 2 h ago", 7200),
    ("last completed step was 90 minutes ago", 5400),
    ("last training step finished 3h ago", 10800),
    ("last update 1d 3h ago", 97200),
    ("time since last step: 5400 s", 5400),
    ("2h since the last completion", 7200),
    ("no progress for 50 min", 3000),
    ("no shard completed in the last 2h", 7200),
    ("WARNING: without any progress for 3 hours", 10800),
    ("has not progressed for 75 minutes", 4500),
    ("shard 12 has not completed for 1:30:00", 5400),
    ("stage did not advance in 2 h", 7200),
    ("stuck at 399/400 for 2h30m", 9000),
    ("stalled for 4000s", 4000),
    ("no new tokens in the last 65 min", 3900),
    ("queue unchanged since 2 hours", 7200),
    ("ongoing in step write@{a.scala:5} for at least 30h40m without outputting or completing", 110400),
    ("shard 7 running for over 3h without progress", 10800),
]


@pytest.mark.parametrize(("message", "seconds"), _TOLD)
def test_told_quiet_is_read(message, seconds):
    assert read_told_quiet_s(message) == seconds


_NOT_TOLD = [
    "if no progress for 50 min, the job is aborted",
    "abort after no progress for 2h",
    "no errors for 50 min",
    "no failures in the last 2h",
    "last heartbeat 2h ago",
    "last checkpoint 20 min ago",
    "resumed: no progress for 2 h before",
    "no_progress_timeout=2h",
    "stall limit: stuck for 2 h",
    "training for 3h",
    "last step took 20 s",
    "completed in 3h",
    "step 300 in the last 2h",
    "connection idle timeout 2h",
    "he was stuck for 2 hours",
    "finished 12 shards in 2 hours",
    "last login 3h ago",
    '{"text": "no progress for 3 hours", "id": 7}',
    "title: 'stuck at the airport for 5 hours'",
    "we were in a lift, stuck for 2 hours",
    "connection idle for 3h, closing",
    "no activity for 2 hours, closing the connection",
]


@pytest.mark.parametrize("message", _NOT_TOLD)
def test_told_quiet_is_not_read(message):
    assert read_told_quiet_s(message) is None


@pytest.mark.parametrize(
    ("texts", "is_found"),
    [
        (["last shard completion 37h04m ago"], True),
        (["nothing of the kind"], False),
        (["last shard completion 2h ago", "step 1", "step 2"], False),  # work since
        (["step 1", "step 2", "last shard completion 2h ago"], True),
    ],
)
def test_told_quiet_holds_until_work_is_done(texts, is_found):
    entries = read_entries(texts)
    assert (find_told_quiet(None, entries, read_counters(entries)) is not None) is is_found


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("37h04m", 133440),
        ("50 min", 3000),
        ("1d 3h", 97200),
        ("1:23:45", 5025),
        ("3600s", 3600),
        ("1.5 h", 5400),
        ("2 hours", 7200),
        ("90 seconds", 90),
        ("1 hour and 5 minutes", 3900),
        ("250 ms", 0.25),
    ],
)
def test_duration_is_read(text, seconds):
    assert read_duration_s(text) == pytest.approx(seconds)
