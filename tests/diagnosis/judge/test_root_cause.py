"""The judgement as tables: findings and facts in, the one cause held responsible out."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from babysitter.diagnosis.causes.rule import SuggestedAction
from babysitter.diagnosis.judge.root_cause import diagnose, find_root_cause
from babysitter.model.cause_info import about, leads_to
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Retry, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts


def finding(
    cause: Cause,
    at: int = 0,
    *,
    confidence: float = 0.8,
    severity: Severity = Severity.FATAL,
    action: ActionKind = ActionKind.ESCALATE,
    consequence: bool = False,
    until: int | None = None,
    retry: Retry = Retry.UNKNOWN,
) -> Finding:
    return Finding(
        rule=RuleId(f"test.{cause.value}-{at}"),
        cause=cause,
        severity=severity,
        action=action,
        explanation=f"{cause.value} at {at}",
        evidence=(Evidence(f"line {at}", "log", at + 1),),
        confidence=confidence,
        position=at,
        last_position=at if until is None else until,
        is_consequence=consequence,
        retry=retry,
    )


FAILED = JobFacts(state=JobState.FAILED)
RUNNING = JobFacts(state=JobState.RUNNING)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # the process that died first explains those that lost it
        ([(Cause.HOST_OOM, 3), (Cause.NETWORK_TIMEOUT, 9), (Cause.COLLECTIVE_TIMEOUT, 40)], Cause.HOST_OOM),
        ([(Cause.NETWORK_TIMEOUT, 2), (Cause.HOST_OOM, 4)], Cause.HOST_OOM),  # within one report
        ([(Cause.DISK_FULL, 1), (Cause.STORAGE_ERROR, 2), (Cause.CODE_ERROR, 3)], Cause.DISK_FULL),
        ([(Cause.AUTH_ERROR, 1), (Cause.STORAGE_ERROR, 1)], Cause.AUTH_ERROR),
        ([(Cause.PREEMPTION, 5), (Cause.HOST_OOM, 6)], Cause.PREEMPTION),  # 137 with an eviction
        # what does not lead to the other: the earlier of two decisive ones
        ([(Cause.MISSING_DEPENDENCY, 2), (Cause.CONFIG_ERROR, 80)], Cause.MISSING_DEPENDENCY),
        ([(Cause.CONFIG_ERROR, 2), (Cause.DEVICE_OOM, 80)], Cause.CONFIG_ERROR),
    ],
)
def test_the_earliest_decisive_cause_comes_before_its_cascade(found, expected):
    findings = Findings(tuple(finding(cause, at) for cause, at in found))
    assert diagnose(findings, FAILED).cause is expected


def test_a_later_cause_does_not_explain_an_earlier_effect():
    early = finding(Cause.NETWORK_TIMEOUT, 2, confidence=0.8)
    late = finding(Cause.HOST_OOM, 400, confidence=0.8)
    assert diagnose(Findings((early, late)), FAILED).cause is Cause.NETWORK_TIMEOUT


def test_exact_evidence_beats_a_hint_wherever_it_stands():
    hint, exact = (
        finding(Cause.CODE_ERROR, 1, confidence=0.34),
        finding(Cause.CONFIG_ERROR, 90, confidence=0.9),
    )
    assert diagnose(Findings((hint, exact)), FAILED).cause is Cause.CONFIG_ERROR


def test_what_only_follows_is_never_the_root_but_stays_as_cascade():
    root = finding(Cause.HOST_OOM, 4)
    after = finding(Cause.USER_CANCEL, 9, confidence=0.99, consequence=True)
    diagnosis = diagnose(Findings((root, after)), FAILED)
    assert diagnosis.cause is Cause.HOST_OOM
    assert [evidence.text for evidence in diagnosis.cascade] == ["line 9"]


def test_a_line_that_repeats_a_failure_is_not_a_cause():
    churn = finding(Cause.WORKER_CHURN, 2, confidence=0.62)
    weak = finding(Cause.WORKER_CHURN, 2, confidence=0.5)
    said = finding(Cause.CODE_ERROR, 9, confidence=0.58)
    repeated = finding(Cause.CODE_ERROR, 9, confidence=0.46, consequence=True)
    assert diagnose(Findings((weak, said)), FAILED).cause is Cause.CODE_ERROR
    assert diagnose(Findings((weak, said, repeated)), FAILED).cause is Cause.CODE_ERROR
    assert diagnose(Findings((churn, said, repeated)), FAILED).cause is Cause.WORKER_CHURN


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (JobFacts(state=JobState.RUNNING, advanced_after=9), Cause.TRANSIENT_NOISE),
        (JobFacts(state=JobState.SUCCEEDED), Cause.TRANSIENT_NOISE),
        (JobFacts(state=JobState.RUNNING, advanced_after=3), Cause.NETWORK_TIMEOUT),
        (JobFacts(state=JobState.FAILED, advanced_after=9), Cause.NETWORK_TIMEOUT),
    ],
)
def test_what_the_job_went_on_after_has_no_effect(facts, expected):
    assert diagnose(Findings((finding(Cause.NETWORK_TIMEOUT, 5),)), facts).cause is expected


def test_a_loss_that_is_gone_outlasts_progress_and_success():
    gone = Findings((finding(Cause.NUMERICAL_DIVERGENCE, 5),))
    assert (
        diagnose(gone, JobFacts(state=JobState.RUNNING, advanced_after=90)).cause
        is Cause.NUMERICAL_DIVERGENCE
    )
    assert diagnose(gone, JobFacts(state=JobState.SUCCEEDED)).cause is Cause.NUMERICAL_DIVERGENCE


def test_news_from_before_progress_weighs_less_against_the_end():
    old, last = (
        finding(Cause.STORAGE_ERROR, 2, confidence=0.8),
        finding(Cause.CONFIG_ERROR, 200, confidence=0.65),
    )
    facts = JobFacts(state=JobState.FAILED, advanced_after=150)
    assert diagnose(Findings((old, last)), facts).cause is Cause.CONFIG_ERROR


@pytest.mark.parametrize(
    ("others", "expected", "action"),
    [
        ([], Cause.USER_CANCEL, ActionKind.IGNORE),
        ([(Cause.NETWORK_TIMEOUT, 0.9)], Cause.USER_CANCEL, ActionKind.IGNORE),  # stopping breaks connections
        ([(Cause.HOST_OOM, 0.95)], Cause.HOST_OOM, ActionKind.ESCALATE),
    ],
)
def test_a_stopped_job_was_stopped_unless_it_was_in_trouble(others, expected, action):
    stop = finding(Cause.USER_CANCEL, 50, severity=Severity.INFO, consequence=True)
    found = tuple(finding(cause, 4, confidence=confidence) for cause, confidence in others)
    diagnosis = diagnose(Findings((*found, stop)), JobFacts(state=JobState.KILLED))
    assert (diagnosis.cause, diagnosis.action) == (expected, action)


def test_a_kill_that_nobody_explains_is_unknown():
    diagnosis = diagnose(Findings(), JobFacts(state=JobState.KILLED))
    assert (diagnosis.cause, diagnosis.action) == (Cause.UNKNOWN, ActionKind.ESCALATE)


def test_a_kill_after_failures_of_others_looks_for_those_failures():
    failures = finding(Cause.UNKNOWN, 60, severity=Severity.INFO, consequence=True)
    weak = finding(Cause.CODE_ERROR, 3, confidence=0.45)
    assert diagnose(Findings((weak, failures)), JobFacts(state=JobState.KILLED)).cause is Cause.CODE_ERROR


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.WORKER_FAILED])
def test_an_end_without_proof_is_unknown_and_told(state):
    diagnosis = diagnose(Findings(), JobFacts(state=state))
    assert diagnosis.cause is Cause.UNKNOWN
    assert diagnosis.severity is Severity.FATAL
    assert diagnosis.action is ActionKind.ESCALATE


def test_nothing_found_in_a_running_job_is_health():
    diagnosis = diagnose(Findings(), RUNNING)
    assert (diagnosis.cause, diagnosis.action) == (Cause.HEALTHY, ActionKind.IGNORE)


def test_long_silence_is_evidence_unless_the_phase_is_known_to_be_quiet():
    silent = JobFacts(state=JobState.RUNNING, last_line_age_s=4000)
    quiet = finding(Cause.SLOW_STARTUP, 3, severity=Severity.BENIGN, action=ActionKind.WAIT)
    assert diagnose(Findings(), silent).cause is Cause.STAGE_STUCK
    assert diagnose(Findings((quiet,)), silent).cause is Cause.SLOW_STARTUP
    assert diagnose(Findings(), JobFacts(state=JobState.RUNNING, last_line_age_s=600)).cause is Cause.HEALTHY


@pytest.mark.parametrize(
    ("cause", "proposed", "facts", "severity", "action"),
    [
        (Cause.PREEMPTION, ActionKind.WAIT, RUNNING, Severity.DEGRADED, ActionKind.WAIT),
        (Cause.PREEMPTION, ActionKind.WAIT, FAILED, Severity.FATAL, ActionKind.RESTART),
        (Cause.NETWORK_TIMEOUT, ActionKind.RESTART, FAILED, Severity.FATAL, ActionKind.RESTART),
        (Cause.CODE_ERROR, ActionKind.WAIT, FAILED, Severity.FATAL, ActionKind.ESCALATE),
        (
            Cause.HOST_OOM,
            ActionKind.RESTART_WITH_CHANGE,
            FAILED,
            Severity.FATAL,
            ActionKind.RESTART_WITH_CHANGE,
        ),
        (
            Cause.HOST_OOM,
            ActionKind.RESTART_WITH_CHANGE,
            JobFacts(state=JobState.RUNNING, retried_by_itself=True),
            Severity.DEGRADED,
            ActionKind.WAIT,
        ),
        (
            Cause.CAPACITY_WAIT,
            ActionKind.ESCALATE,
            JobFacts(state=JobState.PENDING),
            Severity.DEGRADED,
            ActionKind.ESCALATE,
        ),
    ],
)
def test_action_and_severity_follow_cause_state_and_what_mends_itself(
    cause, proposed, facts, severity, action
):
    diagnosis = diagnose(Findings((finding(cause, action=proposed),)), facts)
    assert (diagnosis.severity, diagnosis.action) == (severity, action)


def test_code_data_and_numbers_are_never_restarted_blindly():
    for cause in (Cause.CODE_ERROR, Cause.DATA_ERROR, Cause.NUMERICAL_DIVERGENCE):
        for action in (ActionKind.WAIT, ActionKind.IGNORE, ActionKind.ESCALATE):
            found = Findings((finding(cause, action=action),))
            assert diagnose(found, FAILED).action is ActionKind.ESCALATE


def test_what_a_benign_rule_explained_is_noise():
    explained = finding(Cause.NETWORK_TIMEOUT, 2)
    diagnosis = diagnose(Findings((), ((explained, RuleId("benign.x")),)), RUNNING)
    assert (diagnosis.cause, diagnosis.action) == (Cause.TRANSIENT_NOISE, ActionKind.IGNORE)


def test_agreement_raises_confidence_and_a_rival_lowers_it():
    alone = diagnose(Findings((finding(Cause.HOST_OOM, 5),)), FAILED).confidence
    agreed = diagnose(Findings((finding(Cause.HOST_OOM, 5), finding(Cause.HOST_OOM, 8))), FAILED).confidence
    rival = Findings((finding(Cause.CONFIG_ERROR, 5), finding(Cause.DEVICE_OOM, 80)))
    assert agreed > alone > diagnose(rival, FAILED).confidence


def test_a_person_is_asked_where_one_of_equal_findings_asks():
    waits = finding(Cause.CONTROLLER_UNREACHABLE, 5, action=ActionKind.WAIT)
    asks = finding(Cause.CONTROLLER_UNREACHABLE, 8, action=ActionKind.ESCALATE)
    assert diagnose(Findings((waits,)), RUNNING).action is ActionKind.WAIT
    assert diagnose(Findings((waits, asks)), RUNNING).action is ActionKind.ESCALATE


def test_every_finding_that_lost_has_a_reason():
    found = (finding(Cause.HOST_OOM, 3), finding(Cause.NETWORK_TIMEOUT, 9), finding(Cause.CODE_ERROR, 12))
    names = {reason.name for reason in find_root_cause(Findings(found), FAILED).reasons}
    assert names == {"test.network-timeout-9.not-the-root", "test.code-error-12.not-the-root"}


def test_nothing_leads_to_itself_and_no_benign_cause_leads_anywhere():
    assert not any(leads_to(cause, cause) for cause in Cause)
    benign = {Cause.HEALTHY, Cause.TRANSIENT_NOISE, Cause.USER_CANCEL, Cause.SLOW_STARTUP, Cause.UNKNOWN}
    assert not any(about(cause).leads_to for cause in benign)


@pytest.mark.parametrize(
    ("confidence", "cause", "severity"),
    [
        (0.6, Cause.USER_CANCEL, Severity.BENIGN),  # an interrupt, a queue's own words
        (0.4, Cause.UNKNOWN, Severity.FATAL),  # "Terminated by user" stands for any end
    ],
)
def test_a_failed_job_was_interrupted_only_when_something_better_than_the_schedulers_phrase_says_so(
    confidence: float, cause: Cause, severity: Severity
) -> None:
    asked = finding(Cause.USER_CANCEL, 3, severity=Severity.INFO, confidence=confidence, consequence=True)
    failed = JobFacts(state=JobState.FAILED)
    told = diagnose(Findings((asked,)), failed)
    assert (told.cause, told.severity) == (cause, severity)
    broken = finding(Cause.CODE_ERROR, 2, confidence=0.34)
    assert diagnose(Findings((broken, asked)), failed).cause is Cause.CODE_ERROR


def test_change_that_a_rule_sets_is_carried_by_the_restart():
    wanted = finding(Cause.HOST_OOM, action=ActionKind.RESTART_WITH_CHANGE, retry=Retry.WITH_CHANGE)
    sets = {"env.ZEPHYR_NUM_WORKERS": "1", "memory": "8GB"}
    found = diagnose(Findings((replace(wanted, sets=sets),)), FAILED)
    changes = (found.change, *found.further_changes)
    assert [(change.what, change.after) for change in changes if change] == list(sets.items())
    assert diagnose(Findings((replace(finding(Cause.HOST_OOM), sets=sets),)), FAILED).change is None


@pytest.mark.parametrize(
    ("action", "fault"),
    [
        ({"kind": "restart", "sets": {"memory": "8GB"}}, "only restart-with-change"),
        ({"kind": "restart-with-change", "sets": {"name": "x"}}, "no submission can set"),
        ({"kind": "restart-with-change", "sets": {"env.A": "{worker}"}}, "fixed value"),
    ],
)
def test_setting_of_a_rule_that_no_restart_can_carry_is_refused(action, fault):
    with pytest.raises(ValidationError, match=fault):
        SuggestedAction.model_validate(action)
