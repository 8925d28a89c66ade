import pytest

from babysitter.diagnosis.judge.actions import action_of
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause, Finding
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts


def _finding(cause: str, place: int) -> Finding:
    row = about(Cause(cause))
    return Finding(
        rule=RuleId("a.rule"),
        cause=row.cause,
        severity=row.severity,
        action=row.action,
        explanation="",
        evidence=(),
        confidence=0.9,
        retry=row.retry,
        position=place,
        last_position=place,
    )


@pytest.mark.parametrize(
    ("cause", "state", "place", "advanced_after", "action"),
    [
        ("preemption", "running", 4, None, "wait"),
        ("preemption", "running", 4, 3, "wait"),
        ("preemption", "running", 4, 9, "ignore"),
        ("preemption", "running", -1, 9, "ignore"),
        ("preemption", "failed", 4, None, "restart"),
        ("disk-full", "running", 4, None, "escalate"),
        ("disk-full", "failed", 4, None, "restart-with-change"),
        ("capacity-wait", "pending", 4, None, "wait"),
        ("capacity-wait", "failed", 4, None, "restart-with-change"),
        ("controller-unreachable", "running", 4, None, "wait"),
        ("controller-unreachable", "failed", 4, None, "restart"),
        ("host-oom", "running", 4, None, "restart-with-change"),
        ("network-timeout", "running", 4, None, "escalate"),
        ("network-timeout", "failed", 4, None, "restart"),
        ("bad-accelerator", "running", 4, None, "escalate"),
    ],
)
def test_action_of_cause_and_state(
    cause: str, state: str, place: int, advanced_after: int | None, action: str
) -> None:
    facts = JobFacts(state=JobState(state), advanced_after=advanced_after)
    assert action_of(_finding(cause, place), facts).value == action
