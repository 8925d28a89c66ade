"""The same failing line followed by work, or by nothing: noise in the one, the cause in the other."""

import pytest

from babysitter.model.finding import Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis
from babysitter.usecases.looking.classify_text import examine
from tests.support.metamorphic import Failure, last_word, pairs, survived
from tests.support.recordings import rules

MIN_RIGHT = 0.95
PAIRS = tuple(pairs())
SECONDS_OF_WORK = {"one minute": 60.0, "five minutes": 300.0, "one hour": 3600.0}
# In so short a time they print nothing at all that shows work.
SLOW_PROGRAMS = {
    "one minute": {"levanter", "plain", "benchmarked", "quiet"},
    "five minutes": {"quiet"},
    "one hour": set(),
}
LASTING = {"disk-full", "capacity-wait", "unschedulable"}  # a minute of work after them proves nothing


def _judged(text: str, facts: JobFacts) -> Diagnosis:
    return examine(text, rules(), facts).diagnosis


def _share_right(wrong: list[str], total: int) -> float:
    return 1 - len(wrong) / total


@pytest.mark.parametrize(("part", "work"), list(enumerate(SECONDS_OF_WORK)))
def test_failure_that_work_follows_is_no_alarm(part: int, work: str) -> None:
    chosen = [
        (program, failure)
        for program, failure in PAIRS[part :: len(SECONDS_OF_WORK)]
        if program not in SLOW_PROGRAMS[work] and (work != "one minute" or failure.cause not in LASTING)
    ]
    facts = JobFacts(state=JobState.RUNNING, last_line_age_s=5.0)
    wrong = [
        f"{program}: {failure.text[:60]}: {diagnosis.cause}"
        for program, failure in chosen
        if (diagnosis := _judged(survived(program, failure, SECONDS_OF_WORK[work]), facts)).severity
        >= Severity.DEGRADED
    ]
    assert _share_right(wrong, len(chosen)) >= MIN_RIGHT, wrong


@pytest.mark.parametrize(
    ("part", "facts"),
    [
        (0, JobFacts(state=JobState.RUNNING, last_line_age_s=5400.0)),
        (1, JobFacts(state=JobState.FAILED, exit_code=1)),
    ],
    ids=["silence", "end"],
)
def test_failure_that_nothing_follows_is_the_cause(part: int, facts: JobFacts) -> None:
    chosen = PAIRS[part::2]
    wrong = [
        f"{program}: {failure.text[:60]}: {diagnosis.cause}, not {failure.cause}"
        for program, failure in chosen
        if not _is_right(diagnosis := _judged(last_word(program, failure), facts), failure)
    ]
    assert _share_right(wrong, len(chosen)) >= MIN_RIGHT, wrong


def _is_right(diagnosis: Diagnosis, failure: Failure) -> bool:
    return diagnosis.severity >= Severity.DEGRADED and diagnosis.cause.value == failure.cause
