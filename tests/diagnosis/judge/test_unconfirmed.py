"""What a look says without a confirmed cause: well, not seen, or suspected."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.judge.unconfirmed import diagnosis_or_best, suspicion_of
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.seen import Source, Unseen
from babysitter.model.verdict import ProgressSummary, Signal, SignalKind, Verdict
from tests.support.build import NOON, diagnosis

CALM = Verdict(Phase.STEADY, Memory(), 30.0, ProgressSummary("it runs"))


def signal(kind: SignalKind) -> Signal:
    return Signal(kind, NOON, "the main thread has ended")


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (SignalKind.LINGERING, Cause.STAGE_STUCK),  # of a job without coordinators
        (SignalKind.ZOMBIE_LIKE, Cause.ZOMBIE_COORDINATOR),
        (SignalKind.STUCK, Cause.STAGE_STUCK),
        (SignalKind.CHURN, Cause.WORKER_CHURN),
        (SignalKind.ERRORS, Cause.UNKNOWN),
    ],
)
def test_a_suspicion_is_said_as_one(kind, cause):
    verdict = replace(CALM, signals=(signal(kind),))
    found = diagnosis_or_best(verdict)
    assert suspicion_of(verdict) is not None
    assert (found.cause, found.action) == (cause, ActionKind.WAIT)
    assert found.explanation.startswith("Probably ")
    assert found.explanation.endswith("the main thread has ended. A second look decides.")


def test_a_lingering_root_stands_still_also_after_pipelines():
    verdict = replace(CALM, signals=(signal(SignalKind.LINGERING),), memory=Memory(kind="zephyr"))
    assert diagnosis_or_best(verdict).cause is Cause.STAGE_STUCK


def test_a_healthy_job_names_what_it_waits_for():
    verdict = replace(CALM, signals=(signal(SignalKind.RETRYING),))
    assert suspicion_of(verdict) is None
    assert diagnosis_or_best(verdict).explanation == "Nothing is wrong so far: the main thread has ended."
    assert diagnosis_or_best(CALM).cause is Cause.HEALTHY


def test_a_job_that_was_not_seen_is_not_healthy():
    blind = replace(CALM, blind=(Unseen(Source.LOGS, "connection refused", NOON),))
    assert diagnosis_or_best(blind).cause is Cause.UNKNOWN
    assert "connection refused" in diagnosis_or_best(blind).explanation


def test_a_proven_cause_needs_no_second_look():
    verdict = replace(CALM, diagnosis=diagnosis(), signals=(signal(SignalKind.ZOMBIE_LIKE),))
    assert suspicion_of(verdict) is None
    assert diagnosis_or_best(verdict) is verdict.diagnosis
