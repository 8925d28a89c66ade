"""The action by the text model beside the one by the rules."""

import pytest

from babysitter.diagnosis.judge.likelihood.likely_action import with_likely_action
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Change, Diagnosis


def diagnosis(cause, action, severity=Severity.DEGRADED):
    return Diagnosis(Cause(cause), severity, ActionKind(action), "It failed.")


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
        ("unknown", "failed", "escalate", "restart", "escalate"),
        ("code-error", "failed", "escalate", "restart", "escalate"),  # the same would fail again
        ("code-error", "failed", "escalate", "restart-with-change", "restart-with-change"),
        ("capacity-wait", "pending", "wait", "escalate", "wait"),  # machines may still come
        ("collective-timeout", "running", "escalate", "wait", "escalate"),  # a silence
    ],
)
def test_the_likeliest_action_that_the_state_allows(cause, state, by_rules, by_text, action):
    found = with_likely_action(diagnosis(cause, by_rules), {by_text: 0.95}, JobFacts(state=JobState(state)))
    assert found.action == action


@pytest.mark.parametrize(("share", "action"), [(0.7, "escalate"), (0.9, "restart")])
def test_the_action_by_the_rules_counts_more(share, action):
    shares = {"restart": share, "escalate": 1 - share}
    found = with_likely_action(
        diagnosis("storage-error", "escalate"), shares, JobFacts(state=JobState.FAILED)
    )
    assert found.action == action


@pytest.mark.parametrize(
    ("facts", "severity"),
    [
        (JobFacts(state=JobState.RUNNING, last_line_age_s=7200.0), Severity.DEGRADED),
        (JobFacts(state=JobState.RUNNING), Severity.FATAL),
        (JobFacts(), Severity.DEGRADED),
    ],
)
def test_waiting_is_no_answer_to_silence_nor_to_what_is_fatal(facts, severity):
    told = diagnosis("storage-error", "escalate", severity)
    assert with_likely_action(told, {"wait": 0.95}, facts).action == "escalate"


def test_what_is_left_of_a_forbidden_action_decides_nothing():
    shares = {"restart-with-change": 0.9, "wait": 0.06, "escalate": 0.001}
    told = diagnosis("numerical-divergence", "escalate")
    running = JobFacts(state=JobState.RUNNING)
    assert with_likely_action(told, shares, running).action == "escalate"
    assert with_likely_action(told, {"ignore": 0.75, "wait": 0.2}, running).action == "escalate"


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
