"""Reports of failure that nothing explains: which stand, and which of them names the cause."""

import pytest

from babysitter.diagnosis.causes.unexplained import (
    JobCourse,
    find_nearest,
    find_unexplained,
)
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.model.finding import Cause

LIVING, FAILED = JobCourse(), JobCourse(has_failed=True)
WORK = ["wrote the index to disk", "next file opened", "merging the index"]
REPORT = "ERROR the flux gate refused the batch"


def _standing(texts, course=LIVING, explained=()):
    reports = find_unexplained(read_entries(texts), explained, course)
    return [report.entry.place for report in reports]


_ROWS = [
    (["hello", REPORT], [1]),
    ([REPORT, REPORT], [0, 1]),
    ([REPORT, *WORK[:2]], [0]),
    ([REPORT, *WORK], []),
    ([REPORT, "waiting for room", "waiting for room", "waiting for room"], [0]),
    ([f"[rank1]: {REPORT}", *(f"[rank0]: {text}" for text in WORK)], [0]),
    ([f"[rank1]: {REPORT}", *(f"[rank1]: {text}" for text in WORK)], []),
    (["gate-7 refused the batch", "gate-7 is ready"], []),
    (["job completed", "connection reset by peer"], []),
    (["0 errors, 3 files"], []),
    (["the gate might fail"], []),
    (["INFO no free slot. This typically happens when the login is refused"], []),
    (["the gate failed, continuing without it"], []),
    (["Traceback (most recent call last):", '  File "a.py", line 7, in go', "FluxError: refused"], [2]),
    (
        [
            "exception ignored, continuing",
            "Traceback (most recent call last):",
            '  File "a.py", line 7, in go',
            "FluxError: refused",
        ],
        [],
    ),
    (["ERROR external/core/slow_alarm.cc:65] "], []),
    (["WARNING the flux gate refused the batch"], []),  # a warning that names no cause
    (["WARNING the login was refused"], [0]),
    (["INFO an error occurred"], []),
    (["ERROR login refused, retrying in 2s", "ERROR login refused, retrying in 4s"], []),
    ([f"ERROR login refused, retrying in {seconds}s" for seconds in (2, 4, 8)], [0]),  # in vain
    (["an error occurred"], [0]),
    (["WARNING ValueError: login refused, continuing without it"], []),
    (["ValueError: login refused, continuing without it"], [0]),
    (["uncorrectable errors: 0"], []),
    (['"OOMKilled": false'], []),
    (["INFO headline: bank refused the login"], []),
    ([], []),
]


@pytest.mark.parametrize(("texts", "places"), _ROWS)
def test_find_unexplained_of_a_living_job(texts: list[str], places: list[int]) -> None:
    assert _standing(texts) == places


def test_find_unexplained_work_done_after_it() -> None:
    assert _standing([REPORT, "x", REPORT], JobCourse(advanced_after=1)) == [2]


def test_find_unexplained_of_a_failed_job_counts_all() -> None:
    texts = [REPORT, *WORK, "the gate failed, continuing without it", "hello"]
    assert _standing(texts, FAILED) == [0, 4]


@pytest.mark.parametrize(
    ("texts", "places"),
    [
        (["started", "CrashLoopBackOff"], [1]),
        (["started", "the board of this GPU is in thermal mode"], []),  # two words that stand apart
        (["started", "left"], []),
    ],
)
def test_find_unexplained_in_last_words(texts: list[str], places: list[int]) -> None:
    assert _standing(texts, FAILED) == places


NOT_UP = "FATAL: the database system is starting up"
POSSIBLE = "ERROR the order failed. This typically happens when the pipeline is stuck and makes no progress"


@pytest.mark.parametrize(
    ("text", "minutes", "has_failed", "cause"),
    [
        (NOT_UP, (0,), False, Cause.SLOW_STARTUP),
        (NOT_UP, (0, 10, 15), False, Cause.SLOW_STARTUP),
        (NOT_UP, (0,), True, None),
        (NOT_UP, (0, 10, 25), True, None),  # nor did it only take long when it has failed
        ("ERROR the tile is late, a peer might be hanging", (0,), False, None),
        (POSSIBLE, (0, 1, 2), False, None),
        (POSSIBLE, (0, 10, 25), False, Cause.STAGE_STUCK),  # said for long, it is taken at its word
        ("ERROR: not enough machines. Please check your quota", (0,), True, Cause.CAPACITY_WAIT),
    ],
)
def test_what_a_report_names(text, minutes, has_failed, cause):
    entries = read_entries([text] * len(minutes), times_s=[60.0 * minute for minute in minutes])
    found = find_unexplained(entries, (), JobCourse(has_failed))
    assert next((unexplained.named.cause for unexplained in found if unexplained.named), None) is cause


def test_find_unexplained_leaves_explained_lines() -> None:
    assert _standing([REPORT, "the gate failed"], explained={0}) == [1]


def _nearest(texts):
    nearest = find_nearest(find_unexplained(read_entries(texts), (), FAILED))
    return nearest and (nearest.named.cause, nearest.entry.place)


def test_find_nearest_first_of_two_wins() -> None:
    assert _nearest(["the scratch disk is full: error", "login refused"]) == ("disk-full", 0)
    assert _nearest(["login refused", "the scratch disk is full: error"]) == ("auth-error", 0)


def test_find_nearest_specific_beats_vague() -> None:
    assert _nearest(["an error occurred", "login refused"]) == ("auth-error", 1)


def test_find_nearest_repeated_line_votes_once() -> None:
    texts = ["login refused", *["socket 7 closed: connection lost"] * 5]
    assert _nearest(texts) == ("auth-error", 0)


def test_find_nearest_most_wordings_win() -> None:
    texts = ["login refused", "socket lost", "the peer refused it", "tunnel broken"]
    assert _nearest(texts) == ("network-timeout", 1)


def test_find_nearest_without_known_words_is_none() -> None:
    assert _nearest(["the frobnicator misbehaved"]) is None
