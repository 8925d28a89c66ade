"""When a trouble is an incident, and which earlier incident it belongs to."""

from dataclasses import replace
from datetime import datetime

import pytest

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import IncidentId, JobId, WatchId
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus, Ledger
from babysitter.model.phase import Phase
from babysitter.policy.incident_lifecycle import (
    closed_at_the_end,
    is_incident,
    key_of,
    same_incident,
)
from tests.support.build import COORDINATOR, NOON, ROOT, at, blind_verdict, diagnosis, verdict, watch

KEY = IncidentKey(WatchId("w-1"), Cause.ZOMBIE_COORDINATOR, COORDINATOR)
OTHERS = (
    replace(KEY, watch=WatchId("w-2")),
    replace(KEY, attempt=JobId(f"{ROOT}/zephyr-dedup-0a1b2c3d-p0-a1")),
)


def incident(
    key: IncidentKey = KEY,
    status: IncidentStatus = IncidentStatus.OPEN,
    *,
    name: str = "i-1",
    opened_at: datetime = NOON,
) -> Incident:
    return Incident(IncidentId(name), key, status, diagnosis(key.cause), opened_at, opened_at)


def test_nothing_diagnosed_is_no_incident():
    assert not is_incident(verdict(phase=Phase.FAILING))
    assert not is_incident(verdict(phase=Phase.FAILING, two_coordinators=True))


@pytest.mark.parametrize("cause", [cause for cause in Cause if about(cause).is_benign])
def test_causes_without_trouble_are_no_incident(cause):
    found = diagnosis(cause)
    assert not is_incident(verdict(found))
    assert not is_incident(verdict(found, two_coordinators=True))


def test_what_was_not_seen_is_no_incident():
    unseen = replace(blind_verdict(NOON), diagnosis=diagnosis(), phase=Phase.FAILING)
    assert not unseen.is_judged
    assert not is_incident(unseen)
    assert is_incident(verdict(diagnosis()))


@pytest.mark.parametrize(
    ("cause", "severity", "expected"),
    [
        (Cause.UNSCHEDULABLE, Severity.FATAL, True),
        (Cause.UNSCHEDULABLE, Severity.DEGRADED, False),
        (Cause.CAPACITY_WAIT, Severity.FATAL, False),
    ],
)
def test_wait_is_an_incident_only_if_it_cannot_end(cause, severity, expected):
    found = diagnosis(cause, ActionKind.ESCALATE, severity)
    assert is_incident(verdict(found, Phase.PENDING)) is expected


def test_key_without_an_attempt_is_about_the_job():
    assert key_of(verdict(diagnosis()), diagnosis(), watch()) == KEY
    assert key_of(verdict(diagnosis(), attempt=None), diagnosis(), watch()) == replace(KEY, attempt=ROOT)


@pytest.mark.parametrize("other", OTHERS)
def test_trouble_of_another_job_or_attempt_is_another(other):
    assert same_incident(KEY, Ledger((incident(other),))) is None
    ours = incident(name="i-0")
    assert same_incident(KEY, Ledger((ours, incident(other)))) == ours


def test_open_incident_of_the_attempt_is_refined():
    ours = incident(replace(KEY, cause=Cause.STAGE_STUCK))
    assert same_incident(KEY, Ledger((ours,))) == ours


@pytest.mark.parametrize(
    ("status", "cause", "comes_back"),
    [
        (IncidentStatus.SELF_RESOLVED, Cause.ZOMBIE_COORDINATOR, True),
        (IncidentStatus.SELF_RESOLVED, Cause.STAGE_STUCK, False),
        (IncidentStatus.FAILED, Cause.ZOMBIE_COORDINATOR, False),
        (IncidentStatus.RESOLVED, Cause.ZOMBIE_COORDINATOR, False),
        (IncidentStatus.RESOLVED, Cause.STAGE_STUCK, False),
    ],
)
def test_incident_that_is_over_comes_back_by_itself_only(status, cause, comes_back):
    over = incident(replace(KEY, cause=cause), status)
    assert (same_incident(KEY, Ledger((over,))) == over) is comes_back


@pytest.mark.parametrize(("began_at", "closed"), [(None, True), (at(-1), True), (NOON, True), (at(1), False)])
def test_incident_closed_at_the_end_is_of_this_run(began_at, closed):
    ended = incident(status=IncidentStatus.FAILED)
    assert (closed_at_the_end(KEY, Ledger((ended,)), began_at) == ended) is closed


@pytest.mark.parametrize("other", [*OTHERS, replace(KEY, cause=Cause.HOST_OOM)])
def test_incident_closed_at_the_end_has_this_key(other):
    ended = incident(other, IncidentStatus.FAILED)
    assert closed_at_the_end(KEY, Ledger((ended,)), NOON) is None


@pytest.mark.parametrize("status", [IncidentStatus.OPEN, IncidentStatus.SELF_RESOLVED])
def test_incident_that_did_not_fail_is_not_closed_at_the_end(status):
    assert closed_at_the_end(KEY, Ledger((incident(status=status),)), None) is None
