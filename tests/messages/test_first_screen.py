"""The decisive line with those around it, and what followed."""

from dataclasses import replace

import pytest

from babysitter.messages.first_screen import SourceLine, WhatFollowed, followed_words, quote_evidence
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis, Reason

LINES = tuple(SourceLine(f"line {number}", "run.log", number) for number in range(1, 9))
FOUND = Diagnosis(
    Cause.DATA_ERROR,
    Severity.FATAL,
    ActionKind.ESCALATE,
    "The record is broken.",
    evidence=(
        Evidence("line 5", "run.log", 5),
        Evidence("exit code 1", "job"),
        Evidence("line 1", "run.log", 1),
    ),
    cascade=(Evidence("line 6", "run.log", 6), Evidence("the launcher gave up", "run.log", 8)),
)


def test_quote_shows_the_decisive_line_with_two_beside_it():
    quoted = quote_evidence(FOUND, LINES)
    assert [quoted_line.place for quoted_line in quoted] == [
        f"run.log:{number}" for number in (3, 4, 5, 6, 7, 1)
    ]
    assert [quoted_line.text for quoted_line in quoted if quoted_line.is_decisive] == ["line 5", "line 1"]


def test_quote_skips_blank_lines_and_other_tasks():
    lines = [
        SourceLine(text, task) for text, task in (("a", "/j/0"), ("b", "/j/1"), (" ", "/j/0"), ("c", "/j/0"))
    ]
    quoted = quote_evidence(replace(FOUND, evidence=(Evidence("c", "/j/0", 4),)), lines, within="/j")
    assert [(quoted_line.text, quoted_line.place) for quoted_line in quoted] == [
        ("a", "task 0"),
        ("c", "task 0"),
    ]


def test_quote_shows_the_last_lines_where_none_decides():
    quoted = quote_evidence(replace(FOUND, evidence=(Evidence("state running", "job"),)), LINES)
    assert [quoted_line.text for quoted_line in quoted] == ["line 6", "line 7", "line 8"]
    assert not any(quoted_line.is_decisive for quoted_line in quoted)


def test_quote_leaves_out_a_line_that_repeats_another():
    again = Evidence("Exit code: 1. stderr: line 5", "job /a")
    assert len(quote_evidence(replace(FOUND, evidence=(FOUND.evidence[0], again)), LINES)) == 5


@pytest.mark.parametrize(
    ("aftermath", "told"),
    [
        (WhatFollowed(JobState.FAILED, 1), ["the launcher gave up", "The job failed with exit code 1."]),
        (
            WhatFollowed(JobState.RUNNING, quiet_s=900.0),
            ["Nothing was printed for 15 min", "The job still runs."],
        ),
        (WhatFollowed(JobState.RUNNING, retries=2), ["It was tried again 2 times."]),
        (WhatFollowed(JobState.SUCCEEDED), ["The job succeeded."]),
        (WhatFollowed(JobState.PENDING), ["The job has not started."]),
    ],
)
def test_followed_says_how_it_went(aftermath, told):
    words = followed_words(FOUND, aftermath, quote_evidence(FOUND, LINES))
    assert all(item in words for item in told)
    assert "line 6" not in words


def test_followed_leaves_out_what_stands_before():
    earlier = (Evidence("line 2", "run.log", 2), Evidence("line 7", "run.log", 7))
    words = followed_words(replace(FOUND, cascade=earlier), WhatFollowed(), ())
    assert (("line 2" in words), ("line 7" in words)) == (False, True)


def test_followed_says_that_the_job_went_on():
    reasons = (Reason("store.refused.overcome", True, "the job advanced after it (line 9)"),)
    aftermath = WhatFollowed.of_facts(JobFacts(state=JobState.FAILED, failure_count=3), reasons)
    assert aftermath.retries == 2
    assert "The job advanced after it (line 9)." in followed_words(FOUND, aftermath, ())
