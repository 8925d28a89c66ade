"""What is scanned for in place of a dear expression, and how long a line may be for it to need no proof."""

import pytest

from babysitter.diagnosis.signatures.pattern import LINE_LIMIT_BYTES, parse_pattern


@pytest.mark.parametrize(
    ("written", "scanned"),
    [
        (r"(?:worker|task)\S*.{0,30}(?:was|has been) preempted", " preempted"),
        (r"(?:cache|shard) .*do(?:es)? +not +(?:match|add up)", " not (?:match|add up)"),
        (r"Shard (?:\d+) failed on w\S+ again, re-queuing", " again, re-queuing"),
        (r"worker .* requires (?:\d+)GB .*free", " requires (?:[0-9]+)GB [^\\n]*free"),
        (r"(?:worker|pod)\w* (?:was )?(?:dead|gone)", "[0-9A-Za-z_]{3} (?:was )?(?:dead|gone)"),
        (r"(?:worker|p.d)\w* dead", r"(?:worker|p[^\n]d)[0-9A-Za-z_]* dead"),
        (r"complete, \d[\d,]* queued, 0/\d+ workers", " queued, 0/[0-9]+ workers"),
        (r"\w+Error: .+", r"[0-9A-Za-z_]Error: [^\n]"),
        (r"KeyError:[ _]?.+", r"KeyError:[^\n]"),
    ],
)
def test_the_rare_part_of_an_expression_is_scanned_for(written: str, scanned: str) -> None:
    assert parse_pattern(f"/{written}/").quick == scanned


@pytest.mark.parametrize(
    ("written", "longest"),
    [
        ("needle", LINE_LIMIT_BYTES),
        ("needle.*thread", LINE_LIMIT_BYTES),
        ("needle.{0,80}thread", 80 + len("needlethread")),
        ("needle.{2,80}thread.{0,300}", 80 + len("needlethread")),
        ("worker.{0,30}needle", 0),
    ],
)
def test_short_lines_need_no_second_look(written: str, longest: int) -> None:
    assert parse_pattern(f"/{written}/").exact_up_to_bytes == longest
