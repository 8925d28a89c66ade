from babysitter.diagnosis.learned.job_text import (
    LAST_LINES,
    MAX_FIELD_CHARACTERS,
    MAX_LINE_CHARACTERS,
    TELLING_LINES,
    text_of_job,
)
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts

FULL = "cannot write the checkpoint: no space left on device"


def test_what_is_known_stands_before_the_lines():
    facts = JobFacts(
        state=JobState.FAILED,
        exit_code=1,
        error="it broke",
        pending_reason="no room",
        failure_count=2,
        preemption_count=3,
        last_line_age_s=130.0,
    )
    assert text_of_job(facts, ["one", "", "two"]) == (
        "state failed exit code 1 silent for 2 minutes failures 2 preemptions 3 error it broke"
        " pending no room log\none \n two"
    )


def test_nothing_is_said_of_what_is_not_known():
    assert text_of_job(JobFacts(), []) == "state none log\n"


def test_names_of_one_thing_are_left_out():
    text = text_of_job(JobFacts(), ["pid 123456 at 0x7ffe12ab of 9f86d081884c7d659a2f, step 1234"])
    assert text.endswith("pid # at # of #, step 1234")


def test_of_a_long_log_the_last_lines_and_the_most_telling_are_read():
    ordinary = [f"batch {number} is done" for number in range(60)]
    ordinary[7] = FULL
    text = text_of_job(JobFacts(), ordinary)
    lines = text.partition("\n")[2].split(" \n ")
    assert len(lines) == LAST_LINES + TELLING_LINES
    assert FULL in lines
    assert lines[-LAST_LINES:] == ordinary[-LAST_LINES:]
    assert lines == [line for line in ordinary if line in lines]  # in their order


def test_lengths_are_limited():
    text = text_of_job(JobFacts(error="e" * 5000), ["l" * 5000], ["d" * 5000])
    assert len(text) < MAX_FIELD_CHARACTERS + MAX_LINE_CHARACTERS + 600


def test_a_dump_stands_before_the_log():
    assert " dump MainThread wait log\n" in text_of_job(JobFacts(), ["x"], ["MainThread wait"])


def test_lines_that_say_the_same_leave_room_for_others():
    repeated = [f"worker processed document 4{number:05d}" for number in range(60)]
    text = text_of_job(JobFacts(), ["the file system is sick", *repeated, "cannot finish"])
    assert text.count("processed document") == 2
    assert "the file system is sick" in text
    assert text.endswith("cannot finish")
