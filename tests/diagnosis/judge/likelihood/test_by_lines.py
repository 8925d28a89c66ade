"""Lines beside the rules' verdict: when they may name another cause, and what is said then."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.judge.likelihood.by_lines import TEXT_POWER
from babysitter.diagnosis.judge.likelihood.measured_confidence import as_measured
from babysitter.diagnosis.judge.root_cause import find_root_cause
from babysitter.diagnosis.learned.line_meaning import LEAST
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading, TextReading, VerdictWeights
from babysitter.model.log import LogLine
from babysitter.model.verdict import UNSURE_BELOW, Diagnosis

FAILED = JobFacts(state=JobState.FAILED, exit_code=1)
RUNNING = JobFacts(state=JobState.RUNNING)
CLASSES = ("calm", "code-error", "disk-full", "unknown")
WEIGHTS = VerdictWeights(
    CLASSES,
    {"verdict code-error": {"code-error": 0.3}},
    {name: {name: 1.0} for name in (*CLASSES, "capacity-wait", "unschedulable")},
    sharpness=6.0,
)
LINES = (LogLine("writing run 57"), LogLine("cannot write: no space left on device"))


def reading(**meanings):
    by_class = {name.replace("_", "-"): value for name, value in meanings.items()}
    return LogReading(WEIGHTS, frozenset(), by_class, "the text", LINES, 40, "log")


def finding(cause=Cause.CODE_ERROR, confidence=0.7, rule="some.rule"):
    return Finding(
        rule=RuleId(rule),
        cause=cause,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation="It failed.",
        evidence=(Evidence("Error", "log", 3),),
        confidence=confidence,
        position=40,
        last_position=40,
    )


def judged(findings, facts=FAILED):
    return find_root_cause(findings, facts).diagnosis


def test_lines_that_clearly_speak_for_another_cause_name_it():
    diagnosis = judged(Findings((finding(),), reading=reading(disk_full=0.9)))
    assert diagnosis.cause is Cause.DISK_FULL
    assert "By the wording of the log" in diagnosis.explanation
    assert [line.line_number for line in diagnosis.evidence] == [42]
    assert diagnosis.rules == ("learned.disk-full",)


def test_lines_that_name_what_a_rule_also_found_quote_the_rule():
    findings = Findings(
        (finding(), finding(Cause.DISK_FULL, 0.5, "disk.hint")), reading=reading(disk_full=0.9)
    )
    diagnosis = judged(findings)
    assert (diagnosis.cause, diagnosis.explanation) == (Cause.DISK_FULL, "It failed.")


@pytest.mark.parametrize(
    ("found", "facts", "scores"),
    [
        ((finding(confidence=0.93),), FAILED, {"disk_full": 0.9}),  # proven
        ((finding(confidence=0.93), finding(Cause.DATA_ERROR, 0.9, "a.rival")), FAILED, {"disk_full": 0.9}),
        ((finding(rule="measured.stuck"),), RUNNING, {"disk_full": 0.9}),  # seen over time
        ((finding(rule="own.rule"),), FAILED, {"disk_full": 0.9}),  # of the user's own folder
        ((finding(),), FAILED, {"disk_full": 0.1}),  # not likelier
        ((finding(),), FAILED, {"calm": 0.9}),  # no bad end is calm
        ((finding(),), FAILED, {"unknown": 0.9}),  # nor take a name away
    ],
)
def test_the_rules_verdict_stands(found, facts, scores):
    read = replace(reading(**scores), own_rules=frozenset({RuleId("own.rule")}))
    assert judged(Findings(found, reading=read), facts).cause is Cause.CODE_ERROR


@pytest.mark.parametrize(("likelihood", "is_sure"), [(0.3, False), (0.95, True)])
def test_what_lines_name_is_as_sure_as_such_verdicts_were(likelihood, is_sure):
    diagnosis = judged(Findings((finding(),), reading=reading(disk_full=0.9)))
    measured = as_measured(replace(diagnosis, likelihood=likelihood))
    assert (measured.confidence >= UNSURE_BELOW) is is_sure


@pytest.mark.parametrize(
    ("rule_cause", "named", "share", "cause"),
    [
        (Cause.STAGE_STUCK, "slow-startup", 0.95, Cause.STAGE_STUCK),  # the course of time counts
        (Cause.CODE_ERROR, "slow-startup", 0.38, Cause.CODE_ERROR),
        (Cause.CODE_ERROR, "slow-startup", 0.6, Cause.SLOW_STARTUP),
        (Cause.CODE_ERROR, "stage-stuck", 0.6, Cause.CODE_ERROR),
        (Cause.CODE_ERROR, "stage-stuck", 0.8, Cause.STAGE_STUCK),
        (Cause.CODE_ERROR, "calm", 0.38, Cause.CODE_ERROR),
        (Cause.CODE_ERROR, "calm", 0.6, Cause.TRANSIENT_NOISE),
        (Cause.CODE_ERROR, "disk-full", 0.45, Cause.DISK_FULL),
    ],
)
def test_a_milder_cause_needs_a_greater_share(rule_cause, named, share, cause):
    other = (1.0 - share) / 3
    shares = dict.fromkeys(("storage-error", "data-error"), other) | {rule_cause.value: other, named: share}
    weights = VerdictWeights(tuple(sorted(shares)), {}, {}, sharpness=0.0)
    understood = {"data-error": LEAST}
    power = 1 / TEXT_POWER  # so that the shares of both together are these
    read = replace(
        reading(),
        weights=weights,
        meanings=understood,
        read_text=lambda _: TextReading({n: v**power for n, v in shares.items()}),
    )
    assert judged(Findings((finding(rule_cause),), reading=read), RUNNING).cause is cause


def test_an_end_of_words_that_no_line_knows_is_not_named():
    read = replace(reading(), read_text=lambda _: TextReading({"disk-full": 0.99, "unknown": 0.01}))
    assert judged(Findings(reading=read), FAILED).cause is Cause.UNKNOWN
    spoken = replace(read, meanings={"disk-full": LEAST})
    assert judged(Findings(reading=spoken), FAILED).cause is Cause.DISK_FULL


def test_an_end_that_nothing_explains_may_be_named_but_no_kill():
    read = reading(disk_full=0.9)
    assert judged(Findings(reading=read), FAILED).cause is Cause.DISK_FULL
    assert judged(Findings(reading=read), JobFacts(state=JobState.KILLED)).cause is Cause.UNKNOWN


def test_a_silence_is_no_matter_of_lines():
    facts = JobFacts(state=JobState.RUNNING, last_line_age_s=7200.0)
    silent = judged(Findings(), facts)
    assert judged(Findings(reading=reading(disk_full=0.9)), facts).cause is silent.cause is Cause.STAGE_STUCK


def test_what_the_job_has_overcome_is_not_brought_back():
    passed = replace(finding(Cause.DISK_FULL, 0.93, "disk.full"), overcome_by="it went on")
    diagnosis = judged(Findings((finding(), passed), reading=reading(disk_full=0.9)), RUNNING)
    assert diagnosis.rules == ("learned.disk-full",)


def test_a_cause_without_weights_is_judged_by_rules():
    diagnosis = judged(Findings((finding(Cause.DATA_ERROR),), reading=reading(disk_full=0.9)))
    assert (diagnosis.cause, diagnosis.likelihood) == (Cause.DATA_ERROR, None)


def test_the_confidence_of_the_users_own_rule_is_its_own():
    read = replace(reading(code_error=-2.0), own_rules=frozenset({RuleId("own.rule")}))
    assert judged(Findings((finding(rule="own.rule"),), reading=read)).likelihood is None


def test_a_verdict_by_lines_is_no_milder():
    fatal = finding()
    diagnosis = judged(Findings((fatal,), reading=reading(disk_full=0.9)), RUNNING)
    assert (diagnosis.severity, diagnosis.action) == (Severity.FATAL, ActionKind.ESCALATE)


def test_where_rules_understand_nothing_lines_may_name_trouble():
    diagnosis = judged(Findings(reading=reading(disk_full=2.0)), RUNNING)
    assert (diagnosis.cause, diagnosis.action) == (Cause.DISK_FULL, ActionKind.ESCALATE)
    assert diagnosis.severity is Severity.DEGRADED


def test_lines_alarm_nobody_where_they_are_not_sure_or_the_job_has_succeeded():
    unsure = judged(Findings(reading=reading(disk_full=0.1)), RUNNING)
    succeeded = judged(Findings(reading=reading(disk_full=2.0)), JobFacts(state=JobState.SUCCEEDED))
    assert {unsure.cause, succeeded.cause} <= {Cause.HEALTHY, Cause.TRANSIENT_NOISE}


def test_the_text_model_is_weighed_with_rules_and_lines():
    def read_text(text):
        assert text == "the text"
        return TextReading({"disk-full": 0.96, "code-error": 0.02, "calm": 0.02})

    plain = reading(code_error=LEAST)
    assert judged(Findings((finding(),), reading=plain)).cause is Cause.CODE_ERROR
    diagnosis = judged(Findings((finding(),), reading=replace(plain, read_text=read_text)))
    assert diagnosis.cause is Cause.DISK_FULL
    assert 0.5 < diagnosis.likelihood < 1.0


def test_what_the_text_model_gives_to_impossible_classes_makes_rules_no_less_sure():
    """A model that speaks for a person's stop, of a job that nobody stopped, has said nothing."""
    plain = reading(code_error=LEAST, data_error=0.0)
    alone = judged(Findings((finding(),), reading=plain)).likelihood
    unheard = replace(plain, read_text=lambda _: TextReading({"user-cancel": 1.0}))
    assert judged(Findings((finding(),), reading=unheard)).likelihood == pytest.approx(alone)


@pytest.mark.parametrize(
    ("state", "stops_at", "is_read"),
    [
        (JobState.FAILED, 41, False),  # its workers were stopped because it had failed
        (JobState.FAILED, 39, True),  # it failed because something was stopped
        (JobState.KILLED, 41, False),  # it had failed before
        (None, 41, False),
    ],
)
def test_the_stop_that_follows_a_failure_is_not_read(state, stops_at, is_read):
    asked = []

    def read_text(text):
        asked.append(text)
        return TextReading({"code-error": 1.0})

    stop = replace(
        finding(Cause.USER_CANCEL, 0.5, "some.stop"),
        evidence=(Evidence(LINES[1].text, "log", 42),),
        position=stops_at,
        is_consequence=True,
    )
    read = replace(reading(code_error=LEAST), read_text=read_text)
    judged(Findings((finding(), stop), reading=read), JobFacts(state=state))
    (text,) = asked
    if is_read:
        assert text == "the text"
    else:
        assert LINES[0].text in text
        assert LINES[1].text not in text


def test_the_text_model_is_not_asked_where_the_verdict_stands():
    def read_text(text):
        raise AssertionError(text)

    read = replace(reading(disk_full=0.9), read_text=read_text)
    for found, facts in (
        ((finding(confidence=0.93),), FAILED),
        ((finding(rule="measured.stuck"),), RUNNING),
        ((), JobFacts(state=JobState.SUCCEEDED)),
    ):
        judged(Findings(found, reading=read), facts)


def test_a_job_that_works_may_be_in_a_long_phase():
    weights = replace(WEIGHTS, classes=("calm", "slow-startup"), of_meaning={"s": {"slow-startup": 1.0}})
    read = replace(reading(s=0.9), weights=weights)
    diagnosis = judged(Findings(reading=read), replace(RUNNING, advanced_after=3))
    assert (diagnosis.cause, diagnosis.action) == (Cause.SLOW_STARTUP, ActionKind.WAIT)


def test_lines_may_calm_a_job_that_lives():
    diagnosis = judged(Findings((finding(),), reading=reading(calm=0.9)), RUNNING)
    assert (diagnosis.cause, diagnosis.severity) == (Cause.TRANSIENT_NOISE, Severity.BENIGN)
    assert diagnosis.rivals == (Cause.CODE_ERROR,)


@pytest.mark.parametrize(
    ("rule", "facts", "calm", "cause"),
    [
        ("words.code-error", RUNNING, 0.9, Cause.TRANSIENT_NOISE),
        ("words.code-error", RUNNING, 0.25, Cause.CODE_ERROR),
        ("words.code-error", JobFacts(), 0.9, Cause.CODE_ERROR),  # the log was kept for its end
        ("some.rule", RUNNING, 0.9, Cause.CODE_ERROR),  # that it is fatal is known
    ],
)
def test_the_last_word_of_a_job_is_calmed_by_a_majority_if_it_is_guessed(rule, facts, calm, cause):
    last = replace(finding(rule=rule), position=41, last_position=41)  # the newest line
    assert judged(Findings((last,), reading=reading(calm=calm)), facts).cause is cause


def test_calm_that_is_hardly_possible_takes_no_majority():
    weights = VerdictWeights(("calm", "disk-full", "data-error", "storage-error"), {}, {}, 0.0)
    read = replace(reading(disk_full=LEAST), weights=weights)
    power = 1 / TEXT_POWER
    for calm, cause in ((0.05, Cause.DISK_FULL), (0.3, Cause.HEALTHY)):
        shares = {"calm": calm, "disk-full": 0.45, "data-error": 0.3, "storage-error": 0.25}
        told = TextReading({name: share**power for name, share in shares.items()})
        assert (
            judged(Findings(reading=replace(read, read_text=lambda _, told=told: told)), RUNNING).cause
            is cause
        )


def told(shares: dict[str, float]) -> LogReading:
    """A reading in which only the text model tells something: its shares come out nearly as given."""
    weights = VerdictWeights(tuple(shares), {}, {}, 0.0)
    by_text = TextReading({name: share ** (1 / TEXT_POWER) for name, share in shares.items()})
    return replace(reading(disk_full=LEAST), weights=weights, read_text=lambda _: by_text)


@pytest.mark.parametrize(("last", "cause"), [(40, Cause.STAGE_STUCK), (41, Cause.CODE_ERROR)])
def test_a_report_that_is_the_last_word_is_no_mere_standstill(last, cause):
    shares = {"stage-stuck": 0.9, "code-error": 0.06, "disk-full": 0.04}
    report = replace(finding(), last_position=last)
    assert judged(Findings((report,), reading=told(shares)), RUNNING).cause is cause


@pytest.mark.parametrize(("share", "cause"), [(0.45, Cause.SLOW_STARTUP), (0.9, Cause.DISK_FULL)])
def test_a_long_phase_yields_to_a_majority(share, cause):
    rest = (0.95 - share) / 2
    shares = {"disk-full": share, "slow-startup": 0.05, "code-error": rest, "data-error": rest}
    phase = replace(finding(Cause.SLOW_STARTUP), severity=Severity.INFO, action=ActionKind.WAIT)
    assert judged(Findings((phase,), reading=told(shares)), RUNNING).cause is cause


def test_a_program_that_exited_badly_is_not_calmed():
    facts = JobFacts(exit_code=1)
    assert judged(Findings((finding(),), reading=reading(calm=0.9)), facts).cause is Cause.CODE_ERROR


def test_a_report_before_all_lines_that_are_read_stands():
    earlier = replace(finding(), position=5, last_position=5)  # the first line that is read is number 40
    assert judged(Findings((earlier,), reading=reading(disk_full=0.9))).cause is Cause.CODE_ERROR


def test_the_text_model_is_not_asked_where_it_cannot_read_the_report():
    def read_text(text):
        raise AssertionError(text)

    earlier = replace(finding(), position=5, last_position=5)  # the first line that is read is number 40
    judged(Findings((earlier,), reading=replace(reading(disk_full=0.9), read_text=read_text)), FAILED)


@pytest.mark.parametrize(
    "facts", [FAILED, JobFacts(state=JobState.KILLED), replace(RUNNING, last_line_age_s=7200.0)]
)
def test_lines_calm_no_end_and_no_silence(facts):
    assert judged(Findings((finding(),), reading=reading(calm=0.9)), facts).severity is Severity.FATAL


@pytest.mark.parametrize(
    ("facts", "cause"),
    [
        (JobFacts(state=JobState.KILLED), Cause.USER_CANCEL),
        (JobFacts(state=JobState.FAILED, exit_code=130), Cause.USER_CANCEL),
        (FAILED, Cause.UNKNOWN),
    ],
)
def test_lines_tell_that_a_person_stopped_what_was_stopped(facts, cause):
    weights = replace(
        WEIGHTS, classes=("unknown", "user-cancel"), of_meaning={"user-cancel": {"user-cancel": 1.0}}
    )
    read = replace(reading(user_cancel=0.9), weights=weights)
    assert judged(Findings(reading=read), facts).cause is cause


@pytest.mark.parametrize("state", [JobState.KILLED, JobState.FAILED, JobState.RUNNING])
def test_of_words_that_it_has_never_met_the_text_model_is_not_asked(state):
    def read_text(text):
        raise AssertionError(text)

    read = replace(reading(disk_full=LEAST / 2), read_text=read_text)
    judged(Findings(reading=read), JobFacts(state=state))


def test_a_kill_without_a_word_for_it_was_nobodys_stop():
    read = replace(
        reading(disk_full=LEAST), read_text=lambda _: TextReading({"user-cancel": 0.99, "unknown": 0.01})
    )
    read = replace(read, weights=replace(WEIGHTS, classes=("unknown", "user-cancel", "disk-full")))
    assert judged(Findings(reading=read), JobFacts(state=JobState.KILLED)).cause is Cause.UNKNOWN


@pytest.mark.parametrize(
    ("found", "facts"),
    [
        ((finding(),), JobFacts()),  # whose end nobody told
        ((finding(),), RUNNING),
        ((finding(),), JobFacts(state=JobState.KILLED)),  # a failure was reported, then it was stopped
        ((finding(),), JobFacts(state=JobState.FAILED, exit_code=130)),
    ],
)
def test_a_reported_failure_is_no_persons_stop(found, facts):
    weights = VerdictWeights(("code-error", "user-cancel"), {}, {"user-cancel": {"user-cancel": 1.0}}, 6.0)
    read = replace(reading(user_cancel=0.9), weights=weights)
    assert judged(Findings(found, reading=read), facts).cause is Cause.CODE_ERROR


def test_a_job_that_runs_is_not_restarted_for_its_wording():
    diagnosis = judged(Findings((finding(),), reading=reading(disk_full=0.9)), RUNNING)
    assert (diagnosis.cause, diagnosis.action) == (Cause.DISK_FULL, ActionKind.ESCALATE)


def test_a_job_that_waits_is_changed_by_a_person():
    waits = finding(Cause.CAPACITY_WAIT, 0.5, "words.capacity-wait")
    weights = replace(WEIGHTS, classes=("capacity-wait", "unschedulable"))
    read = replace(reading(unschedulable=0.9), weights=weights)
    diagnosis = judged(Findings((waits,), reading=read), JobFacts(state=JobState.PENDING))
    assert (diagnosis.cause, diagnosis.action) == (Cause.UNSCHEDULABLE, ActionKind.ESCALATE)


def test_without_a_reading_only_rules_judge():
    diagnosis = judged(Findings((finding(),)))
    assert (diagnosis.cause, diagnosis.likelihood) == (Cause.CODE_ERROR, None)


def test_the_reasons_say_what_lines_did():
    reasons = find_root_cause(Findings((finding(),), reading=reading(disk_full=0.9)), FAILED).reasons
    assert any(reason.name == "learned.disk-full" and "code-error" in reason.text for reason in reasons)


@pytest.mark.parametrize(
    ("cause", "likelihood", "shown"),
    [
        (Cause.DISK_FULL, 0.8, 0.88),
        (Cause.DISK_FULL, 0.65, 0.81),
        (Cause.DISK_FULL, 0.1, 0.38),
        (Cause.HEALTHY, 0.85, 0.78),
        (Cause.UNKNOWN, 0.9, 0.5),
    ],
)
def test_confidence_by_likelihood(cause, likelihood, shown):
    diagnosis = Diagnosis(cause, Severity.FATAL, ActionKind.ESCALATE, "", 0.6, likelihood=likelihood)
    assert as_measured(diagnosis).confidence == shown
    assert as_measured(replace(diagnosis, likelihood=None)).confidence <= 0.75


def test_a_proof_is_no_less_sure_for_the_lines():
    proof = Diagnosis(Cause.DISK_FULL, Severity.FATAL, ActionKind.ESCALATE, "", 0.93, likelihood=0.1)
    assert as_measured(proof).confidence >= 0.93
