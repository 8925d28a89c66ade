"""Readers that look at a line's shape only give the same for all digits."""

import re

import pytest

from babysitter.diagnosis.frame.header_formats import HEADER_FORMATS
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline import aftermath, checkpoints, failing_item, zephyr_lines

BY_SHAPE = [
    *((row.name, row.pattern) for row in HEADER_FORMATS),
    ("completed", aftermath._COMPLETED.pattern),
    ("not completed", aftermath._NOT_COMPLETED.pattern),
    ("checkpoint", checkpoints._HINT.pattern),
    ("failure", failing_item._FAILURE.pattern),
    ("zephyr", zephyr_lines._HEADER.pattern),
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


def test_a_json_line_keeps_its_named_fields() -> None:
    frame = read_frame('{"time": "2026-01-02T10:11:12Z", "level": "error", "rank": "4", "msg": "no space"}')
    assert (frame.level, frame.rank, frame.has_date) == ("error", 4, True)
