"""The action by the text model beside the one by the rules."""

import pytest

from babysitter.diagnosis.judge.likely_action import with_likely_action
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Change, Diagnosis


def diagnosis(cause, action):
    return Diagnosis(Cause(cause), Severity.FATAL, ActionKind(action), "It failed.")


@pytest.mark.parametrize(
    ("cause", "state", "by_rules", "by_text", "action"),
    [
        ("storage-error", "failed", "escalate", "restart", "restart"),
        ("storage-error", "failed", "escalate", "wait", "escalate"),  # nothing is left to wait for
        ("storage-error", "failed", "escalate", "ignore", "escalate"),
        ("storage-error", "running", "escalate", "wait", "wait"),
        ("storage-error", "running", "escalate", "restart", "escalate"),  # a person looks first
        ("stage-stuck", "running", "restart", "restart", "restart"),
        ("stage-stuck", "running", "restart", "ignore", "restart"),
        ("healthy", "running", "ignore", "wait", "wait"),
        ("healthy", "running", "ignore", "restart", "ignore"),
        ("slow-startup", "running", "wait", "escalate", "wait"),
        ("user-cancel", "killed", "ignore", "restart", "ignore"),
    ],
)
def test_the_likeliest_action_that_the_state_allows(cause, state, by_rules, by_text, action):
    found = with_likely_action(diagnosis(cause, by_rules), {by_text: 0.95}, JobFacts(state=JobState(state)))
    assert found.action == action


@pytest.mark.parametrize(("share", "action"), [(0.7, "escalate"), (0.9, "restart")])
def test_the_action_by_the_rules_counts_more(share, action):
    shares = {"restart": share, "escalate": 1 - share}
    found = with_likely_action(diagnosis("data-error", "escalate"), shares, JobFacts(state=JobState.FAILED))
    assert found.action == action


def test_a_change_belongs_to_its_action():
    change = Change("memory", "1g", "2g", "rule a")
    action = ActionKind.RESTART_WITH_CHANGE
    told = Diagnosis(Cause.HOST_OOM, Severity.FATAL, action, "It grew.", change=change)
    failed = JobFacts(state=JobState.FAILED)
    assert with_likely_action(told, {"restart-with-change": 0.9}, failed).change == change
    assert with_likely_action(told, {"restart": 0.99}, failed).change is None


def test_without_a_word_of_the_text_model_the_action_stands():
    told = diagnosis("data-error", "escalate")
    assert with_likely_action(told, {}, JobFacts(state=JobState.FAILED)) is told
