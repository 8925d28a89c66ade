"""A log text as an observation: whose lines, when, and in which state."""

from datetime import UTC, datetime

import pytest

from babysitter.diagnosis.text_observation import MAX_LINES, observation_of_text
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import pipeline_attempts
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import read_progress
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.observation import Observation

DAY = "2026-03-01"
REPORT = "[stage1-Reduce] 5/9 complete, 4 in-flight, 0 queued, 8/8 workers alive, 0 dead"


def seconds(observation: Observation) -> list[float]:
    first = observation.seen_lines[0].at_ms
    return [(line.at_ms - first) / 1000 for line in observation.seen_lines]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([f"{DAY} 10:00:00 INFO a", f"{DAY} 10:00:07 INFO b"], [0, 7]),
        ([f"{DAY} 10:00:00 INFO a", "no clock", f"{DAY} 10:00:07 INFO b"], [0, 0, 7]),
        (["no clock", f"{DAY} 10:00:00 INFO a"], [0, 0]),
        (["[10:00:00] a", "[10:00:07] b"], [0, 7]),
        (["[23:59:58] a", "[00:00:03] b"], [0, 5]),
        (["a", "b"], [0, 0]),
        (["Cut: 1/90 [00:10<14:00]", "a note", "Cut: 2/90 [01:05<14:00]"], [0, 0, 55]),
        (["[10:00:00] Cut: 1/90 [00:10<14:00]", "Cut: 2/90 [01:05<14:00]"], [0, 0]),
    ],
    ids=[
        "dates",
        "inherited",
        "inherited backwards",
        "no dates",
        "midnight",
        "no clocks",
        "bars",
        "a clock beside bars",
    ],
)
def test_every_line_has_a_time(lines, expected):
    assert seconds(observation_of_text("\n".join(lines))) == expected


def test_now_is_the_last_line_and_its_age():
    seen = observation_of_text(f"{DAY} 10:00:00 INFO a\n", JobFacts(last_line_age_s=90))
    assert seen.taken_at == datetime(2026, 3, 1, 10, 1, 30, tzinfo=UTC)


def test_a_line_without_a_task_goes_on_with_the_one_before_it():
    text = "task=/ada/x/0 | a\nTraceback (most recent call last):\ntask=/ada/x/y/1 | b"
    lines = observation_of_text(text).seen_lines
    assert [line.task for line in lines] == ["/ada/x/0", "/ada/x/0", "/ada/x/y/1"]
    assert lines[0].text == "a"


def test_the_jobs_are_those_that_speak():
    coordinator = "/ada/x/zephyr-x-0a0a0a0a-p0-a0"
    workers = f"{coordinator}/zephyr-x-0a0a0a0a-p0-workers-a0"
    text = f"task=/ada/x/0 | a\ntask={coordinator}/0 | b\ntask={workers}/3 | c"
    tree = observation_of_text(text, JobFacts(state=JobState.FAILED)).seen_tree
    assert tree is not None
    assert (tree.root.id, tree.root.state) == ("/ada/x", JobState.FAILED)
    assert [pipeline.coordinator.id for pipeline in pipeline_attempts(tree)] == [coordinator]


def test_an_older_coordinator_is_not_taken_for_a_second_one_at_work():
    text = "\n".join(f"task=/ada/x/zephyr-x-0a0a0a0a-p0-a{attempt}/0 | b" for attempt in (0, 1))
    tree = observation_of_text("task=/ada/x/0 | a\n" + text).seen_tree
    assert tree is not None
    assert [job.state for job in tree.descendants] == [JobState.OTHER, JobState.RUNNING]


@pytest.mark.parametrize(
    "line",
    [
        f"I20260301 10:00:00 zephyr.execution {REPORT}",
        f"10:00:01.5I20260301 10:00:00 zephyr.coordinator {REPORT}",
        f"INFO zephyr.execution:341 {REPORT}",
        f"[10:00:00] execution.py:341] {REPORT}",
        f"2026-03-01 10:00:00 {REPORT}",
        REPORT,
    ],
)
def test_a_report_of_zephyr_is_read_in_any_dress(line):
    (seen,) = observation_of_text(line).seen_lines
    report = read_progress(seen)
    assert report is not None
    assert (report.stage, report.done, report.total) == ("stage1-Reduce", 5, 9)


def test_a_report_that_a_program_prints_does_not_count_beside_zephyrs():
    own = f"I20260301 10:00:00 zephyr.execution {REPORT}"
    seen = observation_of_text(f"{own}\n{REPORT.replace('5/9', '9/9')}").seen_lines
    assert [read_progress(line) is not None for line in seen] == [True, False]


def test_of_a_long_text_the_end_is_read():
    seen = observation_of_text("\n".join(str(number) for number in range(MAX_LINES + 5)))
    assert seen.excerpt is not None
    assert (len(seen.seen_lines), seen.excerpt.first_line) == (MAX_LINES, 5)
