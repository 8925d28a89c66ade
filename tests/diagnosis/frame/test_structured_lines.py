"""Lines of JSON and logfmt loggers become plain lines, one for one; rows of data stay."""

import json

import pytest

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.structured_lines import MAX_LINE, unwrap_structured_lines, unwrap_text


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ('{"level":"error","ts":1767348672,"msg":"no space left"}', "1767348672 ERROR no space left"),
        ('{"log":"it said \\"no\\"","stream":"stderr"}', 'it said "no" stream=stderr'),
        (
            '{"time":"2026-01-02T10:11:12Z","level":"warn","logger":"sync","message":"slow","error":"EOF"}',
            "2026-01-02T10:11:12Z WARN [sync] slow error: EOF",
        ),
        ('{"severity":"INFO","message":"gone","kind":"Spot","n":7}', "INFO gone kind=Spot n=7"),
        (
            'time=2026-01-02T10:11:12Z level=error msg="it said \\"no\\"" err="stream closed" peer=7',
            '2026-01-02T10:11:12Z ERROR it said "no" err: stream closed peer=7',
        ),
        (
            '[pod/a-0/main] ts=7 level=warn caller=a.go:7 msg="hello you"',
            "[pod/a-0/main] 7 WARN [a.go:7] hello you",
        ),
        ('[pod/a-0/main] {"level":"info","msg":"hello"}', "[pod/a-0/main] INFO hello"),
        (
            json.dumps(
                {"level": "error", "msg": "Traceback (most recent call last):\n  File 'a'\nKeyError: 7"}
            ),
            "ERROR Traceback (most recent call last):  File 'a'  KeyError: 7",
        ),
    ],
)
def test_json_line_becomes_plain(line, plain):
    assert unwrap_structured_lines(line.encode()).decode() == plain


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "out of memory", "id": 7}',
        '{"message": "out of memory", "role": "user"}',
        '{"level": "error", "msg": "cut off he',
        '{"level": "error", "msg": 7}',
        '["msg"]',
        'metrics {"loss": 2.1, "msg": "x"}',
        'sample text="a" msg="b"',
        "no JSON at all",
        "",
    ],
)
def test_other_lines_stay(line):
    assert unwrap_structured_lines(line.encode()) == line.encode()


def test_json_lines_keep_their_number():
    lines = ["first", '{"level":"info","msg":"a\\nb"}', "", '{"level":"info","msg":"c"}', "last"]
    plain = unwrap_structured_lines("\n".join(lines).encode()).split(b"\n")
    assert plain == [b"first", b"INFO a  b", b"", b"INFO c", b"last"]


def test_unwrapped_line_has_a_frame():
    line = '{"level":"error","time":"2026-01-02T10:11:12Z","logger":"sync","msg":"hello"}'
    frame = read_frame(unwrap_structured_lines(line.encode()).decode())
    assert (frame.message, frame.program, frame.level.value, frame.has_date) == (
        "hello",
        "sync",
        "error",
        True,
    )


def test_a_line_that_is_nested_too_deep_stays() -> None:
    deep = '{"level":"info","msg":"x","data":' + "[" * 5000 + "]" * 5000 + "}"
    assert unwrap_text(deep) == deep


def test_a_line_that_is_too_long_stays() -> None:
    long = '{"level":"info","msg":"' + "x" * MAX_LINE + '"}'
    assert unwrap_text(long) == long
