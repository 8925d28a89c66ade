from dataclasses import replace

from babysitter.diagnosis.learned.read_log import NO_LINE, lines_for, lines_that_read_like, read_log
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import TextReading, VerdictWeights
from babysitter.model.memory import Memory

WEIGHTS = VerdictWeights()
ORDINARY = [f"{name} goes on" for name in ("alpha", "beta", "gamma", "delta", "epsilon")]
FULL = "cannot write the checkpoint: no space left on device"


def reading_of(lines, facts=JobFacts()):  # noqa: B008  a frozen value
    observation = observation_of_text("\n".join(lines) + "\n")
    memory = update_memory(Memory(), observation)
    return read_log(memory, observation, facts, WEIGHTS)


def test_the_strongest_line_of_each_class_is_read():
    full, calm = reading_of([*ORDINARY, FULL]), reading_of(ORDINARY)
    assert full.meanings["disk-full"] > max(0.3, calm.meanings.get("disk-full", 0.0))


def test_the_lines_that_decide_are_quoted_with_their_numbers():
    reading = reading_of([*ORDINARY, FULL, *ORDINARY])
    (line,) = lines_for("disk-full", reading)
    assert (line.text, line.line_number, line.source) == (FULL, 6, "log")
    assert lines_for("code-error", reading_of(ORDINARY)) == ()


def test_a_line_that_alone_reads_like_the_cause_is_quoted():
    """Of a cause that the text model finds, and no word of a line by itself."""
    shares = {"line alpha goes on": 0.1, "line beta goes on": 0.6, "line gamma goes on": 0.4}

    def read_text(text):
        return TextReading({"disk-full": shares.get(text, 0.0)})

    reading = replace(reading_of([*ORDINARY, *ORDINARY]), read_text=read_text)
    assert [line.text for line in lines_that_read_like("disk-full", reading)] == ["beta goes on"]
    assert lines_that_read_like("code-error", reading) == ()
    assert lines_that_read_like("disk-full", replace(reading, read_text=None)) == ()


def test_error_field_and_pending_reason_are_lines():
    plain = reading_of(ORDINARY)
    for facts in (JobFacts(error=FULL), JobFacts(pending_reason=FULL)):
        assert reading_of(ORDINARY, facts).meanings["disk-full"] > plain.meanings.get("disk-full", 0.0)


def test_the_state_goes_with_what_lines_mean():
    meanings = reading_of([*ORDINARY, FULL], JobFacts(state=JobState.FAILED)).meanings
    assert meanings["failed disk-full"] == meanings["disk-full"]
    assert reading_of([FULL]).meanings["no-state disk-full"] == meanings["disk-full"]


def test_what_stands_around_the_worst_line_is_read():
    last, first = reading_of([*ORDINARY, FULL]), reading_of([FULL, *ORDINARY])
    assert last.meanings["worst disk-full"] == first.meanings["worst disk-full"] > 0.3
    assert last.meanings["calm after"] == first.meanings["calm before"] == NO_LINE
    assert last.meanings["calm before"] == first.meanings["calm after"] > NO_LINE
    assert "0 lines after the worst" in last.words
    assert "5 lines after the worst" in first.words


def test_one_bad_line_among_many_means_less():
    alone, among = reading_of([FULL]), reading_of([FULL, *ORDINARY])
    assert alone.meanings["mean disk-full"] > 2 * among.meanings["mean disk-full"]


def test_a_watched_job_that_lives_is_judged_by_rules_alone():
    text = observation_of_text("\n".join([*ORDINARY, FULL]) + "\n")
    memory, watched = update_memory(Memory(), text), replace(text, excerpt=None)
    assert read_log(memory, watched, JobFacts(state=JobState.RUNNING), WEIGHTS) is None
    assert read_log(memory, watched, JobFacts(state=JobState.FAILED), WEIGHTS) is not None


def test_a_dump_is_read_of_a_job_that_lives_only():
    text = observation_of_text("at work\n", dumps=("Thread 1: waits in recv",))
    memory = update_memory(Memory(), text)
    texts = {
        state: read_log(memory, text, JobFacts(state=state), WEIGHTS).text
        for state in (JobState.RUNNING, JobState.FAILED)
    }
    assert "waits in recv" in texts[JobState.RUNNING]
    assert "waits in recv" not in texts[JobState.FAILED]
