import pytest

from babysitter.diagnosis.learned.fact_words import words_of_facts
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        (JobFacts(), "no-state"),
        (JobFacts(state=JobState.FAILED), "failed"),
        (JobFacts(exit_code=137), "exit 137"),
        (JobFacts(pending_reason="no room"), "pending reason"),
        (JobFacts(state=JobState.RUNNING, last_line_age_s=59.0), "silent for a minute"),
        (JobFacts(state=JobState.RUNNING, last_line_age_s=1799.0), "silent for half an hour"),
        (JobFacts(state=JobState.RUNNING, last_line_age_s=9000.0), "silent for hours"),
    ],
)
def test_words_of_facts(facts, word):
    assert word in words_of_facts(facts)


def test_the_silence_of_a_job_that_ended_is_no_word():
    facts = JobFacts(state=JobState.FAILED, last_line_age_s=9000.0)
    assert words_of_facts(facts) == {"failed"}
