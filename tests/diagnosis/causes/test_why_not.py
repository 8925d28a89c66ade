"""Why a cause was not found: the demands that failed, with the values that they met."""

import pytest

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.causes.why_not import MAX_RULES
from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import missing
from tests.diagnosis.causes.test_match_rules import book
from tests.support.recordings import rules

LIMIT = """
cause: host-oom
match: {exit_code: 137, memory_peak: "> 0.9", logs: {any: [out of room], near_end: 2}}
"""
PLAIN = "{cause: host-oom, match: {logs: [out of room]}}"


def told(text: str, playbook: Playbook, facts: JobFacts | None = None) -> list[tuple[bool, str]]:
    return [(reason.holds, reason.text) for reason in missing(text, playbook, Cause.HOST_OOM, facts)]


def test_each_demand_stands_with_the_value_that_decided() -> None:
    facts = JobFacts(state=JobState.FAILED, exit_code=1)
    assert told("we are out of room\nthen\nsome\nmore\n", book(LIMIT), facts) == [
        (False, "exit code one of 137: 1"),
        (False, "memory peak > 0.9: not known"),
        (True, "a line with `out of room`: 1 seen"),
        (False, "  those lines among the last 2 of their task: not so"),
    ]


def test_a_line_that_never_came_is_said_to_be_missing() -> None:
    assert (False, "  those lines among the last 2 of their task: no such line") in told(
        "calm\n", book(LIMIT)
    )


def test_a_choice_is_taken_apart_too() -> None:
    choice = "{cause: host-oom, match: {any: [{exit_code: 137, state: failed}, {logs: [out of room]}]}}"
    assert told("calm\n", book(choice), JobFacts(state=JobState.FAILED, exit_code=1)) == [
        (False, "one of 2 ways: none does"),
        (True, "   or state failed: failed"),
        (False, "   and exit code one of 137: 1"),
        (False, "   or a line with `out of room`: 0 seen"),
    ]


def test_a_rule_that_did_match_says_so() -> None:
    assert told("out of room\n", book(PLAIN)) == [(True, "it matched; what decided was earlier or surer")]


@pytest.mark.parametrize("cause", list(Cause))
def test_every_shipped_rule_can_be_taken_apart(cause: Cause) -> None:
    reasons = missing("I all is well\n", rules(), cause, JobFacts(state=JobState.RUNNING))
    assert len({reason.name for reason in reasons}) <= MAX_RULES + 1
    assert all(reason.text for reason in reasons)
