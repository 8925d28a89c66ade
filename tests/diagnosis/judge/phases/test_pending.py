"""A job that waits for machines: for a while, for long, or for ever."""

from dataclasses import replace

import pytest

from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobTree, TaskState
from babysitter.model.phase import Phase
from babysitter.model.verdict import SignalKind, Verdict
from babysitter.policy.incident_lifecycle import is_incident
from tests.diagnosis.judge.test_judgement import story
from tests.support.jobs import P, R, look, pipeline, tree

NEVER = (
    "Scheduler: Insufficient memory (need 3000.0GB, available 991.0GB) - 1 worker(s)\n\n"
    "Autoscaler: Unsatisfied autoscaler demand: insufficient_resources: memory: need 3221225472000, "
    "available 68719476736"
)
TIER = NEVER.partition("insufficient")[0] + "tier_blocked: 3 matching group(s) blocked by quota-pool tier"


def waits(*reasons: str) -> list[Verdict]:
    """The verdicts of a root job that waits, for one pending reason every 30 s."""
    return story(*(look(30 * n, tree(root=P, pending_reason=reason)) for n, reason in enumerate(reasons)))


def test_never_placed_is_an_incident_at_the_second_check():
    first, second = waits(NEVER, NEVER)
    assert (first.cause, first.severity, is_incident(first)) == (
        Cause.UNSCHEDULABLE,
        Severity.DEGRADED,
        False,
    )
    assert first.next_check_s == 10
    assert (second.phase, second.severity, second.action) == (
        Phase.PENDING,
        Severity.FATAL,
        ActionKind.ESCALATE,
    )
    assert is_incident(second)
    assert second.diagnosis is not None
    assert "3000 GB" in second.diagnosis.explanation
    assert "Set --memory to at most 64 GB" in second.diagnosis.explanation


def test_never_placed_once_only_is_a_wait():
    """A group whose quota is in backoff leaves the autoscaler's sum for a moment."""
    verdicts = waits(NEVER, TIER, NEVER, TIER)
    assert not any(is_incident(verdict) for verdict in verdicts)
    assert verdicts[1].cause is Cause.CAPACITY_WAIT


def test_never_placed_says_nothing_of_going_on_by_itself():
    late = story(*(look(s, tree(root=P, pending_reason=NEVER)) for s in (0, 30, 1900)))[-1]
    assert {signal.kind for signal in late.signals} == {SignalKind.NEVER_PLACED}


def test_never_placed_workers_are_the_programs_own():
    seen = tree(*pipeline(workers=P, pending_reason=NEVER))
    verdict = story(look(0, seen), look(30, seen), look(60, seen))[-1]
    assert is_incident(verdict)
    assert verdict.diagnosis is not None
    assert "Let the program ask for" in verdict.diagnosis.explanation
    assert "--memory" not in verdict.diagnosis.explanation


@pytest.mark.parametrize("number", [99, 110, 600])
def test_a_busy_cluster_is_a_wait_however_large(number):
    text = f"Scheduler: Insufficient memory (need 900.0GB, available {number}.0GB) - 9 worker(s)"
    assert {wait.cause for wait in waits(text, text, text)} == {Cause.CAPACITY_WAIT}


def test_group_that_no_node_holds_is_an_incident_in_time():
    """Its driver runs and waits; worker nodes may still join."""
    told = "placement group 'unified_pg' is PENDING (INFEASIBLE), needs 24 GPU, 24 CPU"
    root = replace(tree(root=R).root, pending_reason=told, task_count=1, task_states={TaskState.RUNNING: 1})
    verdicts = story(*(look(30 * n, JobTree(root)) for n in range(8)))
    assert [is_incident(verdict) for verdict in verdicts] == [False] * 6 + [True] * 2
    assert {(verdict.phase, verdict.cause) for verdict in verdicts} == {(Phase.PENDING, Cause.UNSCHEDULABLE)}
    assert verdicts[-1].diagnosis is not None
    assert "needs 24 GPU, 24 CPU. Check that every worker node" in verdicts[-1].diagnosis.explanation


def test_group_that_waits_for_busy_nodes_is_a_wait():
    told = "placement group 'unified_pg' is PENDING (NO_RESOURCES), needs 24 GPU"
    root = replace(tree(root=R).root, pending_reason=told, task_count=1, task_states={TaskState.RUNNING: 1})
    verdicts = story(*(look(30 * n, JobTree(root)) for n in range(8)))
    assert {(verdict.phase, verdict.cause) for verdict in verdicts} == {(Phase.PENDING, Cause.CAPACITY_WAIT)}
    assert not any(is_incident(verdict) for verdict in verdicts)
