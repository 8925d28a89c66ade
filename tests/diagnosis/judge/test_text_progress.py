"""What a text alone tells about progress: tables of reports."""

import pytest

from babysitter.diagnosis.judge.text_progress import read_story
from babysitter.model.progress import Motion


def report(
    clock: str, done: int, total: int, flying: int, queued: int, alive: str = "8/8", dead: int = 0
) -> str:
    return (
        f"I20260301 {clock} zephyr.execution [e1] [stage1-Reduce] {done}/{total} complete, "
        f"{flying} in-flight, {queued} queued, {alive} workers alive, {dead} dead"
    )


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([("10:00:00", 4, 9, 5, 0), ("10:00:05", 6, 9, 3, 0)], Motion.ADVANCING),
        ([("10:00:00", 0, 9, 5, 4), ("10:10:00", 0, 9, 5, 4)], Motion.NOT_STARTED),
        ([("10:00:00", 0, 9, 5, 4), ("10:50:00", 0, 9, 5, 4)], Motion.STUCK),  # over 45 min before the first
        ([("10:00:00", 5, 9, 4, 0), ("10:14:00", 5, 9, 4, 0)], Motion.UNKNOWN),  # under the floor of 15 min
        ([("10:00:00", 5, 9, 4, 0), ("10:16:00", 5, 9, 4, 0)], Motion.STUCK),
        ([("23:55:00", 5, 9, 4, 0), ("00:16:00", 5, 9, 4, 0)], Motion.STUCK),  # midnight
        ([("10:00:00", 98, 100, 2, 0), ("11:00:00", 99, 100, 1, 0)], Motion.STRAGGLING),
        ([("10:00:00", 90, 100, 8, 2), ("10:00:05", 98, 100, 2, 0)], Motion.ADVANCING),  # ends at its pace
        ([("10:00:00", 0, 40, 0, 40), ("10:02:00", 0, 40, 0, 40)], Motion.STUCK),  # a queue nobody serves
    ],
)
def test_motion_of_a_stage(reports, expected):
    lines = [report(*each) for each in reports]
    lines = [line.replace("20260301 00", "20260302 00") for line in lines]
    assert read_story(lines).motion is expected


def test_silence_after_the_last_report_counts():
    lines = [report("10:00:00", 5, 9, 4, 0)]
    assert read_story(lines, silent_s=1200).motion is Motion.STUCK
    assert read_story(lines, silent_s=60).motion is not Motion.STUCK


def test_a_program_that_prints_a_report_of_its_own_changes_nothing():
    own = [report("10:00:00", 3, 9, 6, 0), report("12:00:00", 3, 9, 6, 0)]
    fake = "[stage1-Reduce] 9/9 complete, 0 in-flight, 0 queued, 8/8 workers alive, 0 dead"
    assert read_story([own[0], fake, own[1], fake]).motion is Motion.STUCK


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["E boom", "I rows 100", "I rows 200"], 2),
        (["I rows 200", "I rows 100"], None),
        (["E attempt 1 failed", "E attempt 2 failed"], None),
        (["I done with part 3"], None),
        (["16 of 16 tasks running"], 0),
    ],
)
def test_a_count_that_rises_proves_progress(lines, expected):
    assert read_story(lines).advanced_at == expected
