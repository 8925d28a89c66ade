"""Why an open incident has no proposal: one reason for each rule that forbids it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.incident import Ledger, Restart
from babysitter.model.submission import SubmitContext
from babysitter.model.watch import Watch
from babysitter.policy.not_proposed import why_not_proposed
from babysitter.policy.respond import respond
from tests.support.build import NOON, ROOT, case, diagnosis, verdict, watch

ZOMBIE = diagnosis()


def why(found=ZOMBIE, ledger: Ledger = Ledger(), *, seen=None, **changes: object) -> str:  # noqa: B008
    asked = case(verdict(found, **(seen or {})), ledger, **changes)
    return why_not_proposed(asked, respond(asked))


def lacking(*missing: str) -> Watch:
    return replace(watch(), submit_context=SubmitContext(missing=missing))


def test_reason_is_empty_while_a_restart_is_proposed():
    assert why() == ""


def test_reason_is_empty_while_nothing_is_wrong():
    assert why(None) == ""


@pytest.mark.parametrize(
    ("cause", "action", "reason"),
    [
        (Cause.CODE_ERROR, ActionKind.ESCALATE, "code-error is never restarted blindly"),
        (Cause.CODE_ERROR, ActionKind.RESTART, "code-error is never restarted blindly"),
        (Cause.STAGE_STUCK, ActionKind.ESCALATE, "a restart alone would not help (stage-stuck)"),
        (Cause.COMPILE_ERROR, ActionKind.RESTART_WITH_CHANGE, "compile-error is never restarted blindly"),
    ],
)
def test_reason_of_a_cause(cause: Cause, action: ActionKind, reason: str):
    found = why(diagnosis(cause, action))
    assert found.startswith(reason)
    assert found.endswith(".")  # the next step


def test_reason_with_the_budget_used_up():
    spent = tuple(
        Restart(NOON - timedelta(hours=hour), Cause.STAGE_STUCK, ROOT, ROOT, 50) for hour in (3, 2, 1)
    )
    assert "(3 of 3 restarts in 24 h)" in why(ledger=Ledger(restarts=spent))


@pytest.mark.parametrize(
    ("seen", "reason"),
    [({"two_coordinators": True}, "an older coordinator"), ({"healing": True}, "the job's own recovery")],
)
def test_reason_of_what_is_seen(seen: dict[str, object], reason: str):
    assert why(seen=seen).startswith(reason)


def test_reason_of_a_check_that_failed():
    lacks = lacking("Not by the command given with --resubmit: the bundle is over 25 MB.")
    assert why(submission=None, watch=lacks) == (
        "the job could not be submitted again. Not by the command given with --resubmit: "
        "the bundle is over 25 MB."
    )


def test_reason_with_nothing_to_resubmit_with():
    assert "Nobody knows how it was submitted" in why(submission=None)


def test_reason_of_a_change_without_a_submission():
    found = diagnosis(Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE)
    assert why(found, submission=None, watch=lacking("Nobody named the folder.")) == (
        "the job could not be submitted again. Nobody named the folder."
    )
