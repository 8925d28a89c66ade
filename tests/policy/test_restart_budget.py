"""When a restart may be proposed: each argument against it, alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.incident import Ledger, Restart
from babysitter.model.limits import Limits
from babysitter.model.verdict import Change
from babysitter.policy.restart_budget import RestartEligibility, budget, restart_eligibility
from tests.support.build import NOON, ROOT, diagnosis, verdict

MEMORY = Change("memory", "1GB", "2GB", "peak 1GB of 1GB")


def rule(found=None, change=None, ledger=Ledger(), high_water=10, is_asked=False, **seen):  # noqa: B008
    found = found or diagnosis()
    return restart_eligibility(
        verdict(found, **seen),
        found,
        change,
        ledger,
        high_water=high_water,
        now=NOON,
        limits=Limits(),
        is_asked=is_asked,
    )


def restarts(*specs: tuple[float, Cause, int]) -> Ledger:
    """(hours ago, cause, high water when stopped) each, oldest first."""
    return Ledger(restarts=tuple(Restart(NOON - timedelta(hours=h), c, ROOT, ROOT, w) for h, c, w in specs))


def test_a_zombie_may_be_restarted():
    assert rule() is RestartEligibility.ALLOWED


@pytest.mark.parametrize(
    ("confidence", "is_asked", "expected"),
    [
        (0.64, False, RestartEligibility.ONLY_GUESSED),
        (0.65, False, RestartEligibility.ALLOWED),
        (0.3, True, RestartEligibility.ALLOWED),
    ],
)
def test_no_restart_is_proposed_for_a_guess(confidence, is_asked, expected):
    assert rule(replace(diagnosis(), confidence=confidence), is_asked=is_asked) is expected


@pytest.mark.parametrize("cause", [cause for cause in Cause if about(cause).repeat_fails])
def test_causes_that_would_fail_again_are_never_restarted_blindly(cause):
    assert rule(diagnosis(cause)) is RestartEligibility.CAUSE_FORBIDS


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({"two_coordinators": True}, RestartEligibility.TWO_COORDINATORS),
        ({"healing": True}, RestartEligibility.HEALING),
    ],
)
def test_what_is_seen_forbids_it(seen, expected):
    assert rule(**seen) is expected


def test_a_change_lifts_the_ban_of_the_cause_but_only_then():
    oom = diagnosis(Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE)
    assert rule(oom, change=None) is RestartEligibility.NO_CHANGE_KNOWN
    assert rule(oom, change=MEMORY) is RestartEligibility.ALLOWED


def test_the_same_cause_again_escalates_unless_the_job_got_further():
    before = restarts((2, Cause.ZOMBIE_COORDINATOR, 50))
    assert rule(ledger=before, high_water=50) is RestartEligibility.SAME_CAUSE_AGAIN
    assert rule(ledger=before, high_water=51) is RestartEligibility.ALLOWED
    assert rule(diagnosis(Cause.STAGE_STUCK), ledger=before, high_water=50) is RestartEligibility.ALLOWED


@pytest.mark.parametrize(
    ("history", "high_water", "left"),
    [
        ([], 0, 3),
        ([(1, 10)], 10, 2),
        ([(1, 10)], 11, 3),  # got further: forgiven
        ([(24, 10)], 10, 3),  # outside the window, just
        ([(23.99, 10)], 10, 2),
        ([(3, 10), (2, 10), (1, 10)], 10, 0),
        ([(3, 10), (2, 30), (1, 20)], 20, 1),  # the first was followed by progress
    ],
)
def test_the_budget_counts_restarts_without_progress(history, high_water, left):
    ledger = restarts(*((hours, Cause.HOST_OOM, water) for hours, water in history))
    assert budget(ledger, high_water, now=NOON, limits=Limits()).left == left


def test_even_progress_does_not_buy_endless_restarts():
    ledger = restarts(*((1, Cause.HOST_OOM, water) for water in range(9)))
    assert budget(ledger, 100, now=NOON, limits=Limits()).left == 0


def test_a_spent_budget_forbids_it():
    ledger = restarts(*((1, Cause.HOST_OOM, 10) for _ in range(3)))
    assert rule(ledger=ledger) is RestartEligibility.NO_PROGRESS


@pytest.mark.parametrize(
    ("before", "ruling"), [(1, RestartEligibility.BUDGET_SPENT), (2, RestartEligibility.NO_PROGRESS)]
)
def test_spent_budget_names_missing_progress_from_the_second_on(before, ruling):
    ledger, limits = restarts(*((1, Cause.HOST_OOM, 10),) * before), Limits(restarts_per_day=1)
    found = diagnosis()
    said = restart_eligibility(verdict(found), found, None, ledger, high_water=10, now=NOON, limits=limits)
    assert said is ruling
