"""Guesses: what is said of a job that no rule explains, and when nothing is."""

import pytest

from babysitter.diagnosis.causes.guess import CONFIDENCE, guess_cause, is_guess
from babysitter.diagnosis.causes.signature_files import STRENGTHS
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts

RUNNING, DONE, PENDING = JobState.RUNNING, JobState.SUCCEEDED, JobState.PENDING
FAILED = JobState.FAILED


def _guess(texts, state=RUNNING, found=(), **facts):
    entries = read_entries(texts)
    return guess_cause(
        Findings(tuple(found)),
        JobFacts(state=state, **facts),
        entries,
        lambda place: Evidence(texts[place], "log", place + 1),
    )


def _found(cause=Cause.DISK_FULL, confidence=0.8, place=0, **other):
    evidence = (Evidence("x", "log", place + 1),)
    return Finding(
        RuleId("a.rule"),
        cause,
        other.pop("severity", Severity.FATAL),
        ActionKind.ESCALATE,
        "because",
        evidence,
        confidence,
        position=place,
        last_position=place,
        **other,
    )


def test_guess_says_that_it_is_one() -> None:
    guess = _guess(["hello", "the login was refused"])
    assert guess is not None
    assert is_guess(guess)
    assert (guess.cause, guess.severity) == (Cause.AUTH_ERROR, Severity.DEGRADED)
    assert guess.explanation.startswith("By the wording of its lines, credentials are missing")
    assert [line.line_number for line in guess.evidence] == [2]
    assert guess.position == 1


def test_guess_of_vague_words_says_less() -> None:
    clear, vague = _guess(["the login was refused"]), _guess(["an error occurred"])
    assert clear is not None
    assert vague is not None
    assert vague.confidence < clear.confidence < 0.5


def test_guess_without_known_words_is_unknown() -> None:
    guess = _guess(["the frobnicator failed"])
    assert guess is not None
    assert (guess.cause, guess.severity, guess.action) == (
        Cause.UNKNOWN,
        Severity.DEGRADED,
        ActionKind.ESCALATE,
    )
    assert guess.evidence[0].text == "the frobnicator failed"


@pytest.mark.parametrize(
    ("texts", "state"),
    [
        (["hello"], RUNNING),
        ([], RUNNING),
        (["the login was refused"], DONE),
        (["the frobnicator failed"], FAILED),  # an end that nothing explains is said without a guess
        (["the operation took 2 minutes, which is slow: compile error"], FAILED),
    ],
)
def test_guess_is_not_made(texts, state) -> None:
    guess = _guess(texts, state)
    assert guess is None or guess.cause is Cause.COMPILE_ERROR


@pytest.mark.parametrize(
    ("found", "is_made"),
    [
        (_found(), False),
        (_found(confidence=0.3), False),
        (_found(Cause.CODE_ERROR, confidence=0.3), True),
        (_found(Cause.CODE_ERROR), False),
        (_found(severity=Severity.INFO), True),
        (_found(is_consequence=True), True),
        (_found(Cause.SLOW_STARTUP), True),
    ],
)
def test_guess_only_where_no_rule_tells(found, is_made) -> None:
    guess = _guess(["hello", "the login was refused"], FAILED, [found])
    assert (guess is not None) is is_made


def test_guess_of_lines_in_explained_words_is_not_made() -> None:
    calm = _found(Cause.TRANSIENT_NOISE, severity=Severity.INFO)
    assert _guess(["gate 7 refused login 3", "gate 9 refused login 4"], found=[calm]) is None


def test_guess_of_an_error_that_a_harmless_rule_finds() -> None:
    calm = _found(Cause.TRANSIENT_NOISE, severity=Severity.INFO, place=1)
    assert _guess(["hello", "INFO the login was refused"], found=[calm]) is None
    guess = _guess(["hello", "ERROR the login was refused"], found=[calm])
    assert guess is not None
    assert guess.cause is Cause.AUTH_ERROR


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("waiting for the turn", Cause.STAGE_STUCK),
        ("waiting for the peer: connection refused", Cause.NETWORK_TIMEOUT),
    ],
)
def test_guess_where_nothing_new_is_said(text: str, cause: Cause) -> None:
    guess = _guess([f"2026-01-02 03:{minute:02}:00 INFO {text}" for minute in (0, 10, 20, 31)])
    assert guess is not None
    assert (guess.cause, guess.action) == (cause, ActionKind.ESCALATE)


def test_guess_reads_a_line_of_a_vague_rule_for_more() -> None:
    vague = _found(Cause.CODE_ERROR, confidence=0.3)
    guess = _guess(["the login was refused"], FAILED, [vague])
    assert guess is not None
    assert guess.cause is Cause.AUTH_ERROR


def test_guess_after_an_overcome_finding() -> None:
    texts = ["disk is full", "step 3", "the login was refused"]
    guess = _guess(texts, found=[_found()], advanced_after=1)
    assert guess is not None
    assert guess.cause is Cause.AUTH_ERROR


def test_guess_reads_the_error_field_of_an_end() -> None:
    guess = _guess(["hello"], FAILED, error="container ran out of memory")
    assert guess is not None
    assert (guess.cause, guess.position) == (Cause.HOST_OOM, -1)
    assert guess.evidence[0].text == "container ran out of memory"


def test_guess_of_something_slow_is_calm() -> None:
    guess = _guess(["ERROR very slow compile of module x"])
    assert guess is not None
    assert (guess.cause, guess.severity, guess.action) == (
        Cause.SLOW_STARTUP,
        Severity.INFO,
        ActionKind.WAIT,
    )


_REASONS = [
    ("", Cause.CAPACITY_WAIT),
    ("Waiting for workers of group small", Cause.CAPACITY_WAIT),
    ("quota exceeded, backing off", Cause.CAPACITY_WAIT),
    ("no node satisfies the affinity: infeasible", Cause.UNSCHEDULABLE),
    ("memory: need 96 GB, available 64 GB", Cause.UNSCHEDULABLE),
    ("memory: need 32 GB, available 64 GB", Cause.CAPACITY_WAIT),
    ("memory: need 96 GB, available 64 GB. Waiting for a group to become ready", Cause.CAPACITY_WAIT),
]


@pytest.mark.parametrize(("reason", "cause"), _REASONS)
def test_guess_of_a_job_that_is_not_placed(reason: str, cause: Cause) -> None:
    guess = _guess([], PENDING, pending_reason=reason)
    assert guess is not None
    assert guess.cause is cause


def test_guess_of_waiting_reads_the_log_without_a_reason() -> None:
    guess = _guess(["ERROR the selector is unsatisfiable"], PENDING)
    assert guess is not None
    assert guess.cause is Cause.UNSCHEDULABLE


def test_guess_ranks_between_a_rules_guess_and_a_hint() -> None:
    assert STRENGTHS["guess"] < CONFIDENCE < STRENGTHS["hint"]
