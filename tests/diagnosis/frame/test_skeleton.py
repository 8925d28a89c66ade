"""Readers that look at a line's shape only give the same for all digits."""

import re

import pytest

from babysitter.diagnosis import text_observation
from babysitter.diagnosis.frame import failure_words, ordinary
from babysitter.diagnosis.frame.header_formats import HEADER_FORMATS
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline import aftermath
from babysitter.diagnosis.timeline.measures import checkpoints, non_finite
from babysitter.diagnosis.timeline.members import failing_item
from babysitter.diagnosis.timeline.pipelines import zephyr_lines
from babysitter.model.log import LogLine

BY_SHAPE = [
    *((row.name, row.pattern) for row in HEADER_FORMATS),
    ("completed", aftermath._COMPLETED.pattern),
    ("not completed", aftermath._NOT_COMPLETED.pattern),
    ("checkpoint", checkpoints._HINT.pattern),
    ("failure", failing_item._FAILURE.pattern),
    ("zephyr", zephyr_lines._HEADER.pattern),
    ("zephyr's message", text_observation._ZEPHYR.pattern),
    ("nothing skipped", non_finite._SKIPS.pattern),
    ("no work", ordinary._NO_WORK.pattern),
    ("report", ordinary._OF_A_REPORT.pattern),
    ("advice", ordinary._ADVICE.pattern),
    *(
        (f"failure words {number}", digit.pattern)
        for number, digit in enumerate(failure_words._WITH_ANY_DIGITS)
    ),
]
_COUNTS = re.compile(r"\{\d*,?\d*\}|\(\?P<\w+>|\[[^\]]*0-9[^\]]*\]")


@pytest.mark.parametrize(("name", "pattern"), BY_SHAPE, ids=[name for name, _ in BY_SHAPE])
def test_what_reads_a_shape_names_no_digit(name: str, pattern: str) -> None:
    assert not re.search(r"[0-9]", _COUNTS.sub("", pattern)), name


def test_lines_of_one_shape_keep_their_own_fields() -> None:
    one = read_frame("[rank3]: 2026-01-02 10:00:01,500 WARNING app.loop: step 7 took 3 s")
    other = read_frame("[rank5]: 2026-01-02 11:22:33,250 WARNING app.loop: step 8 took 9 s")
    assert without_digits(one.text) == without_digits(other.text)
    assert (one.rank, other.rank) == (3, 5)
    assert other.at_s is not None
    assert one.at_s is not None
    assert other.at_s - one.at_s == pytest.approx(4951.75)
    assert other.message.endswith("took 9 s")


def test_times_of_one_shape_are_read_from_each_line() -> None:
    lines = [
        f"I20261120 {clock} app.loop reading" for clock in ("19:44:36", "19:44:59", "00:00:60", "24:00:00")
    ]
    first, second, *rest = [read_frame(line) for line in lines]
    assert first.at_s is not None
    assert second.at_s == first.at_s + 23
    assert all(frame.has_date for frame in (first, second, *rest))
    read = [zephyr_lines.line_at(LogLine(line)) for line in lines]
    assert [at and at.timestamp() for at in read] == [first.at_s, second.at_s, None, None]


@pytest.mark.parametrize(
    ("reported", "not_reported"),
    [
        ("exited with code 7", "exited with code 0"),
        ("HTTP 503 for part 4", "HTTP 200 for part 4"),
        ("502 Bad Gateway", "202 Bad Gatewa"),
        ("returned error: 404", "returned errata: 404"),
    ],
)
def test_numbers_decide_among_messages_of_one_shape(reported: str, not_reported: str) -> None:
    assert failure_words.find_failure_words(not_reported) is None
    assert failure_words.find_failure_words(reported) is not None


def test_a_json_line_keeps_its_named_fields() -> None:
    frame = read_frame('{"time": "2026-01-02T10:11:12Z", "level": "error", "rank": "4", "msg": "no space"}')
    assert (frame.level, frame.rank, frame.has_date) == ("error", 4, True)
