"""Who is called by a message: the on-call for what only they can mend, the owner for their own."""

from dataclasses import replace

import pytest

from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import Person
from babysitter.policy.mention import Mention, whom_to_mention
from tests.support.build import diagnosis, watch

ADA, BOB = Person("U0ADA"), Person("U0BOB")
WATCH = watch(owner=ADA)
OWN = [
    "missing-dependency",
    "code-error",
    "config-error",
    "data-error",
    "host-oom",
    "unschedulable",
    "unknown",
]


@pytest.mark.parametrize("cause", OWN)
def test_mention_the_owner_for_their_own(cause):
    found = diagnosis(Cause(cause), ActionKind.ESCALATE)
    assert whom_to_mention(found, WATCH) == Mention((ADA,), on_call=False)


@pytest.mark.parametrize("cause", ["bad-accelerator", "storage-error", "controller-unreachable"])
def test_mention_the_on_call_for_the_clusters(cause):
    found = diagnosis(Cause(cause), ActionKind.ESCALATE)
    assert whom_to_mention(found, WATCH) == Mention((ADA,), on_call=True)


@pytest.mark.parametrize("cause", ["missing-dependency", "storage-error"])
def test_mention_nobody_for_what_is_not_fatal(cause):
    found = diagnosis(Cause(cause), ActionKind.ESCALATE, Severity.DEGRADED)
    assert whom_to_mention(found, WATCH) == Mention((), on_call=False)


def test_mention_the_owner_of_a_missing_job():
    found = diagnosis(Cause.JOB_GONE, ActionKind.ESCALATE, Severity.DEGRADED)
    assert whom_to_mention(found, WATCH) == Mention((ADA,), on_call=False)


def test_mention_who_may_answer_an_offer():
    own = whom_to_mention(diagnosis(Cause.HOST_OOM), WATCH, asked=(BOB,))
    assert own == Mention((BOB, ADA), on_call=False)
    stuck = whom_to_mention(diagnosis(Cause.STAGE_STUCK, severity=Severity.DEGRADED), WATCH, asked=(BOB,))
    assert stuck == Mention((BOB, ADA), on_call=True)


def test_mention_the_on_call_where_nobody_owns_it():
    orphan = replace(WATCH, owner=None)
    assert whom_to_mention(diagnosis(Cause.CODE_ERROR), orphan) == Mention((), on_call=True)
