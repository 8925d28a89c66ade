"""The exact action that is offered: its name, its command, its facts, whom it asks, what waiting costs."""

from dataclasses import replace

import pytest

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import IncidentId, JobId, Person
from babysitter.model.incident import Ledger, Restart
from babysitter.model.job import JobState
from babysitter.model.policy import Policy
from babysitter.model.proposal import Proposal, ProposalFacts, ProposalStatus
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.model.verdict import ProgressSummary, Signal, SignalKind
from babysitter.policy.build_proposal import (
    as_named,
    cost_of_waiting,
    difference,
    facts_of,
    is_open,
    missing_submission_reason,
    plan_restart,
    submission_facts,
)
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.respond import offer_of
from tests.support.build import (
    ARGV,
    COORDINATOR,
    NOON,
    ROOT,
    at,
    case,
    diagnosis,
    submission,
    verdict,
    watch,
)

SHOWN = ProposalFacts(ROOT, JobState.RUNNING, COORDINATOR, Cause.ZOMBIE_COORDINATOR, ARGV)
OOM = diagnosis(Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE, evidence=())
IDS = {"root": JobId("/ada/dedup-r1"), "attempt": JobId(f"{ROOT}/zephyr-dedup-0a1b2c3d-p0-a1")}


def offer(seen: PolicyInput) -> Proposal:
    assert seen.verdict.diagnosis is not None
    return offer_of(seen, IncidentId("i-1"), seen.verdict.diagnosis)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"root": IDS["root"]}, f"the job watched is now /ada/dedup-r1, not {ROOT}"),
        ({"root_state": JobState.FAILED}, f"{ROOT} is now failed, it was running"),
        ({"attempt": IDS["attempt"]}, f"a newer attempt runs: {IDS['attempt']}"),
        ({"cause": Cause.HOST_OOM}, "the cause is now host-oom, it was zombie-coordinator"),
        ({"submission": (*ARGV, "-v")}, "the command to resubmit changed"),
        ({"two_coordinators": True}, "two coordinators run at once"),
    ],
)
def test_difference_names_each_fact_that_moved(changes, said):
    assert difference(SHOWN, replace(SHOWN, **changes)) == said


def test_difference_names_the_coordinator_that_is_left():
    assert difference(replace(SHOWN, two_coordinators=True), SHOWN) == "one coordinator is left"


def test_difference_of_two_facts_names_both():
    moved = replace(SHOWN, cause=Cause.HOST_OOM, two_coordinators=True)
    assert difference(SHOWN, moved).count("; ") == 1


@pytest.mark.parametrize(("user", "filed"), [((), "/ada/dedup-r1"), (("--user", "bob"), "/bob/dedup-r1")])
def test_successor_is_the_job_that_the_command_files(user, filed):
    sent = submission(*ARGV[:5], *user, *ARGV[5:])
    assert plan_restart(diagnosis(), sent, watch(), Ledger(), None).submission.job == filed


def test_successor_over_http_keeps_the_path_of_a_child_job():
    stored = Submission((), SubmissionOrigin.CONTROLLER, request={"resources": {}})
    child = watch(first_root=JobId("/ada/dedup/eval"), root=JobId("/ada/dedup/eval"))
    assert plan_restart(diagnosis(), stored, child, Ledger(), None).submission.job == "/ada/dedup/eval-r1"


def test_named_command_has_name_and_user_and_does_not_wait():
    named = as_named(("iris", "job", "run", "--", "x"), JobId("/ada/dedup-r1"))
    before = " ".join(named[: named.index("--")])
    assert "--job-name dedup-r1" in before
    assert "--user ada" in before
    assert "--no-wait" in before
    assert as_named((), JobId("/ada/dedup-r1")) == ()


def test_named_command_keeps_the_user_that_it_names():
    named = as_named(("iris", "job", "run", "--user", "bob", "--", "x"), JobId("/bob/dedup-r1"))
    assert named.count("--user") == 1
    assert named[named.index("--user") + 1] == "bob"


def test_facts_of_a_request_change_with_the_request_and_the_name():
    stored = Submission((), SubmissionOrigin.CONTROLLER, job=ROOT, request={"resources": {"cpu": 1}})
    others = [
        replace(stored, request={"resources": {"cpu": 2}}),
        replace(stored, job=JobId("/ada/other")),
        replace(stored, job=None),
    ]
    facts = [submission_facts(item) for item in (stored, *others)]
    assert len(set(facts)) == 4
    assert facts[0][:2] == ("LaunchJob", ROOT)
    assert facts[3][1] == ""
    assert submission_facts(submission()) == ARGV


def test_facts_are_those_of_the_verdict():
    plan = plan_restart(diagnosis(), submission(), watch(), Ledger(), None)
    failed = verdict(diagnosis(), state=JobState.FAILED, two_coordinators=True)
    facts = facts_of(failed, diagnosis(), watch(), plan)
    assert (facts.root_state, facts.attempt, facts.two_coordinators) == (JobState.FAILED, COORDINATOR, True)
    unknown = verdict(diagnosis(), state=None, attempt=None)
    facts = facts_of(unknown, diagnosis(), watch(), plan)
    assert (facts.root_state, facts.attempt) == (JobState.OTHER, ROOT)


def test_offer_is_numbered_within_its_incident():
    first = offer(case(verdict(diagnosis())))
    earlier = replace(first, status=ProposalStatus.WITHDRAWN)
    second = offer(case(verdict(diagnosis()), Ledger(proposals=(earlier,))))
    foreign = replace(earlier, incident=IncidentId("i-2"))
    assert second.id != first.id
    assert offer(case(verdict(diagnosis()), Ledger(proposals=(foreign,)))).id == first.id
    assert offer(case(verdict(diagnosis()), Ledger(proposals=(earlier, foreign)))).id == second.id


def test_offer_names_the_action_that_it_really_is():
    changed = offer(case(verdict(OOM)))
    assert (changed.action, changed.change is not None) == (ActionKind.RESTART_WITH_CHANGE, True)
    as_it_was = offer(case(verdict(diagnosis(Cause.STAGE_STUCK, ActionKind.RESTART_WITH_CHANGE))))
    assert (as_it_was.action, as_it_was.change) == (ActionKind.RESTART, None)
    assert offer(case(verdict(diagnosis(Cause.HOST_OOM, evidence=())))).change is None


def test_offer_expires_and_says_what_is_left():
    before = Ledger(restarts=(Restart(at(-60), Cause.HOST_OOM, ROOT, JobId("/ada/dedup-r1"), 99),))
    made = offer(case(verdict(diagnosis()), before))
    assert made.expires_at == at(watch().limits.proposal_expires_s)
    assert (made.successor, made.restarts_left) == ("/ada/dedup-r2", watch().limits.restarts_per_day - 1)


def test_offer_asks_the_first_approvers_or_the_owner():
    ada, bob = Person("U-ada"), Person("U-bob")
    tiers = Policy(approvers=((bob,), (ada, bob)))
    assert offer(case(verdict(diagnosis()), policy=tiers)).may_approve == (bob,)
    assert offer(case(verdict(diagnosis()))).may_approve == (ada,)
    assert missing_submission_reason(tiers, watch()) == (bob, ada)
    assert missing_submission_reason(Policy(), watch()) == (ada,)
    assert missing_submission_reason(Policy(), watch(owner=None)) == ()


def test_waiting_costs_only_what_was_measured():
    signals = (
        Signal(SignalKind.STUCK, at(-600), "nothing moves"),
        Signal(SignalKind.STUCK, at(-900), "nothing moves"),
    )
    price = cost_of_waiting(
        verdict(diagnosis(), signals=signals, outlook=ProgressSummary("", alive=7)), now=NOON
    )
    assert (price.idle_workers, price.since_at, price.lost_s) == (7, at(-900), 900)
    unmeasured = cost_of_waiting(verdict(diagnosis()), now=NOON)
    assert (unmeasured.since_at, unmeasured.lost_s) == (None, None)


@pytest.mark.parametrize("status", ProposalStatus)
def test_offer_stands_while_it_can_be_answered(status):
    made = replace(offer(case(verdict(diagnosis()))), status=status)
    assert is_open(made) is (status in (ProposalStatus.OPEN, ProposalStatus.SNOOZED))


def test_no_offer_stands_where_none_was_made():
    assert not is_open(None)
