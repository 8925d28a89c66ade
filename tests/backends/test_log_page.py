"""Pages of log lines read quickly equal those read with care, and odd ones are left to the careful reader."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.backends.iris.answers import decode
from babysitter.backends.iris.answers.log_page import read_page
from babysitter.model.ids import JobId, TaskId
from babysitter.model.log import LogBatch, LogSource
from tests.backends.recorded import ERAS, FIXTURES, exchanges

SOURCES = (
    LogSource(JobId("/u/j")),
    LogSource(JobId("/u/j"), include_children=False),
    LogSource(JobId("/u/j"), task=TaskId("/u/j/0"), attempt=1),
)


def carefully(text: bytes, source: LogSource) -> LogBatch:
    return decode.log_batch(msgspec.json.decode(text), source, after=None, at_most=9)


def quickly(text: bytes, source: LogSource) -> LogBatch:
    page = read_page(text)
    assert page is not None
    return decode.log_batch(page, source, after=None, at_most=9)


NUMBERS = st.integers(-1, 1 << 42).flatmap(lambda number: st.sampled_from([number, str(number)]))
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "timestamp": st.fixed_dictionaries({}, optional={"epochMs": NUMBERS}),
        "data": st.text(),
        "key": st.sampled_from(
            ["", "/u/j/0:3", "/u/j/c/1:0", "/system/controller", "/u/j/0:²", ":7", "odd:"]
        ),
        "level": st.sampled_from(["LOG_LEVEL_ERROR", "LOG_LEVEL_UNKNOWN", "LOG_LEVEL_TO_COME", ""]),
        "source": st.sampled_from(["stdout", "build", ""]),
        "attemptId": NUMBERS,
        "seq": st.integers() | st.text(),
    },
)
PAGES = st.fixed_dictionaries({}, optional={"entries": st.lists(ENTRIES, max_size=4), "cursor": NUMBERS})


@given(PAGES, st.sampled_from(SOURCES))
def test_both_readers_agree(page, source):
    text = json.dumps(page).encode("utf-8", "surrogatepass")
    assert quickly(text, source) == carefully(text, source)


@pytest.mark.parametrize("generation", list(ERAS))
def test_both_readers_agree_on_recorded_answers(generation):
    read = 0
    for folder in sorted((FIXTURES / ERAS[generation]).iterdir()):
        for exchange in exchanges(generation, folder.name):
            if exchange.method == "FetchLogs" and exchange.status == 200:
                text = json.dumps(exchange.json).encode()
                read += len(quickly(text, SOURCES[0]).lines)
                assert quickly(text, SOURCES[0]) == carefully(text, SOURCES[0])
    assert read > 100


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<html>log in</html>",
        b"[]",
        b'{"entries": {}}',
        b'{"entries": [{"data": 7}]}',
        b'{"entries": [{"data": null}]}',
        b'{"entries": [{"timestamp": {"epochMs": "soon"}}]}',
        b'{"cursor": true}',
        b'{"entries": [{"data": "cut o',
        b'{"entries": [{"data": "\xff"}]}',
        b"[" * 100_000,
    ],
    ids=range(11),
)
def test_what_is_odd_is_left_to_the_careful_reader(text):
    assert read_page(text) is None
