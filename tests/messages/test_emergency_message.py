"""When an emergency message is due, and what it says."""

import itertools
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.messages.emergency_message import (
    AGAIN_AFTER,
    FIRST_AFTER,
    EmergencyDecision,
    StorageEmergency,
    decide_emergency,
    last_message,
    storage_message,
    storage_works_message,
)
from babysitter.model.ids import JobId
from babysitter.model.message import MessageKind
from tests.support.build import NOON, ROOT, at

JOBS = {"marin": (ROOT,), "eos": (JobId("/bob/a"), JobId("/bob/b"))}
NOW = at(3600)


@pytest.mark.parametrize(
    ("failing_s", "jobs", "sent_s_ago", "decision"),
    [
        (None, JOBS, None, EmergencyDecision.STORAGE_WORKS),
        (60, {}, None, EmergencyDecision.NOBODY_WATCHED),
        (60, {"marin": ()}, None, EmergencyDecision.NOBODY_WATCHED),
        (19.9, JOBS, None, EmergencyDecision.TOO_SHORT),
        (20, JOBS, None, EmergencyDecision.FIRST),
        (60, JOBS, 30, EmergencyDecision.SENT_RECENTLY),
        (60, JOBS, 300, EmergencyDecision.SENT_RECENTLY),  # of an earlier outage
        (60, JOBS, 601, EmergencyDecision.FIRST),
        (1200, JOBS, 600, EmergencyDecision.STILL),
        (1200, JOBS, 599, EmergencyDecision.SENT_RECENTLY),
        (60, JOBS, -7200, EmergencyDecision.STILL),  # the clock was set back since
        (-7200, JOBS, None, EmergencyDecision.FIRST),
    ],
)
def test_emergency_decision(failing_s, jobs, sent_s_ago, decision):
    since_at = None if failing_s is None else NOW - timedelta(seconds=failing_s)
    sent_at = None if sent_s_ago is None else NOW - timedelta(seconds=sent_s_ago)
    assert decide_emergency(since_at, jobs, sent_at, now=NOW) is decision
    assert decision.is_due is (decision in (EmergencyDecision.FIRST, EmergencyDecision.STILL))


@given(st.lists(st.tuples(st.floats(0, 400), st.booleans()), max_size=60))
def test_emergency_never_twice_within_ten_minutes(steps: list[tuple[float, bool]]):
    now, since_at, sent = NOON, None, []
    for passed_s, is_failing in steps:
        now += timedelta(seconds=passed_s)
        since_at = (since_at or now) if is_failing else None
        if decide_emergency(since_at, JOBS, sent[-1] if sent else None, now=now).is_due:
            sent.append(now)
    assert all(later - earlier >= AGAIN_AFTER for earlier, later in itertools.pairwise(sent))


def test_emergency_is_never_silent_in_a_long_outage():
    sent_at, silent_since = None, NOON
    for second in range(5000):
        if decide_emergency(NOON, JOBS, sent_at, now=at(second)).is_due:
            sent_at = silent_since = at(second)
        assert at(second) - silent_since <= max(FIRST_AFTER, AGAIN_AFTER)


def test_storage_message_is_marked_and_names_what_is_affected():
    about = StorageEmergency(NOON, "disk full\x1b[31m, password=hunter2secret", JOBS, "host-1", at(60))
    message = storage_message(about, mentions_on_call=True)
    words = message.words
    assert message.occasion is MessageKind.EMERGENCY
    assert message.mentions_on_call
    assert "cannot be written since 12:00 UTC" in words.sentence
    assert "2 jobs of 'eos' and 1 job of 'marin' are still checked" in words.sentence
    assert "past the outbox" in words.footer
    assert dict(words.fields)["Jobs of 'marin'"] == ROOT
    assert "hunter2" not in words.sentence
    assert "\x1b" not in words.sentence


def test_many_jobs_are_not_all_named():
    jobs = {"marin": tuple(JobId(f"/ada/{number}") for number in range(200))}
    message = storage_message(StorageEmergency(NOON, "x", jobs, "host-1", NOON), mentions_on_call=False)
    assert dict(message.words.fields)["Jobs of 'marin'"].endswith("/ada/9, ...")


def test_each_message_has_its_own_id():
    about = StorageEmergency(NOON, "x", JOBS, "host-1", at(60))
    later = StorageEmergency(NOON, "x", JOBS, "host-1", at(660))
    ids = {
        storage_message(about, mentions_on_call=False).id,
        storage_message(later, mentions_on_call=False).id,
        storage_works_message(NOON, at(60), JOBS, "host-1", now=at(100)).id,
        last_message("It was asked to end", JOBS, "host-1", now=NOON, mentions_on_call=False).id,
    }
    assert len(ids) == 4
    assert storage_message(about, mentions_on_call=False).id in ids


def test_end_of_an_outage_says_how_long_it_lasted():
    message = storage_works_message(NOON, at(50), JOBS, "host-1", now=at(95))
    assert "written again, after 50 s." in message.words.sentence
    assert message.occasion is MessageKind.RESOLVED


def test_last_message_says_why_and_what_is_left_alone():
    message = last_message(
        "It was asked to end", {"marin": (ROOT,)}, "host-1", now=NOON, mentions_on_call=False
    )
    assert message.words.title == "babysit on host-1 has ended"
    assert message.words.sentence == (
        "It was asked to end. 1 job of 'marin' is not looked after until it runs again."
    )
