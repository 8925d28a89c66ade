import pytest

from babysitter.diagnosis.learned.text_words import words_of_facts, words_of_line, words_of_lines
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("disk full", {"disk", "full", "disk full"}),
        ("DiskFull", {"disk", "full", "disk full"}),
        ("disk_full: 17", {"disk", "full", "disk full"}),
        ("HTTPError", {"http", "error", "http error"}),
        ("step 12/500", {"step"}),
        ("0x7f3a a b", set()),
        ("", set()),
    ],
)
def test_words_of_line(line, words):
    assert words_of_line(line) == words


def test_the_same_message_with_another_number_has_the_same_words():
    assert words_of_line("shard 17 of 900 took 3.2 s") == words_of_line("shard 4 of 12 took 811 s")


def test_a_pair_stands_within_one_line():
    assert "full disk" not in words_of_lines(["is full", "disk of node"])


def test_frames_of_a_traceback_and_their_code_have_no_words():
    lines = ['  File "/srv/app/train.py", line 7, in fit', "    checkpoint.save(path)", "OSError: no space"]
    assert words_of_lines(lines) == words_of_line("OSError: no space")


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        (JobFacts(), "=no-state"),
        (JobFacts(state=JobState.FAILED), "=failed"),
        (JobFacts(exit_code=137), "=exit 137"),
        (JobFacts(pending_reason="no room"), "=pending reason"),
        (JobFacts(pending_reason="no room"), "no room"),
        (JobFacts(error="Out of memory"), "of memory"),
        (JobFacts(state=JobState.RUNNING, last_line_age_s=59.0), "=silent for a minute"),
        (JobFacts(state=JobState.RUNNING, last_line_age_s=1799.0), "=silent for half an hour"),
        (JobFacts(state=JobState.RUNNING, last_line_age_s=9000.0), "=silent for hours"),
    ],
)
def test_words_of_facts(facts, word):
    assert word in words_of_facts(facts)


def test_the_silence_of_a_job_that_ended_is_no_word():
    facts = JobFacts(state=JobState.FAILED, last_line_age_s=9000.0)
    assert words_of_facts(facts) == {"=failed"}
