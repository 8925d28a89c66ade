"""A page of log lines that ignores its limit: the newest are kept, the rest is dropped while it comes."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.backends.iris.answers.log_window import LogWindow
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.reader import IrisReader
from babysitter.model.ids import JobId
from babysitter.model.log import Cursor, LogSource
from tests.support.build import ROOT
from tests.support.controller import MAY_CALLS, controller

HOSTILE = st.sampled_from(
    ['},{"', '},{"key":', "},{", '"}', "\\", '\\"', "]}", '},{"timestamp":{', "\n", "é"]
)
TEXTS = st.lists(st.one_of(HOSTILE, st.text(max_size=5)), max_size=4).map("".join)


def entry(text: str, number: int = 0) -> dict[str, object]:
    return {"timestamp": {"epochMs": str(number)}, "data": text, "key": f"{ROOT}/0:0", "source": "stdout"}


def page(texts: list[str], *, pretty: bool = False) -> bytes:
    body = {"entries": [entry(text, number) for number, text in enumerate(texts)], "cursor": "77"}
    return json.dumps(body, separators=(", ", ": ") if pretty else (",", ":"), ensure_ascii=False).encode()


def pieces(text: bytes, size: int) -> Iterator[bytes]:
    return (text[at : at + size] for at in range(0, len(text), size))


@given(st.lists(TEXTS, max_size=12), st.integers(1, 6), st.integers(1, 40), st.booleans())
def test_window_keeps_the_newest_whatever_they_hold(texts, most, size, pretty):
    window = LogWindow(most)
    for piece in pieces(page(texts, pretty=pretty), size):
        window.feed(piece)
    read = json.loads(window.text())
    assert [item["data"] for item in read.get("entries", [])] == texts[-most:]
    assert (window.dropped, read["cursor"]) == (max(0, len(texts) - most), "77")


@given(st.binary(max_size=300), st.integers(1, 50))
def test_window_leaves_anything_else_as_it_is(text, size):
    window = LogWindow(2)
    for piece in pieces(text, size):
        window.feed(piece)
    if not window.dropped:
        assert window.text() == text


def test_window_does_not_grow_with_the_page():
    window, text = LogWindow(500), page([f"line {number}" for number in range(100_000)])
    most = 0
    for piece in pieces(text, 64 * 1024):
        window.feed(piece)
        most = max(most, window.held_bytes)
    assert len(text) > 8_000_000
    assert most < 1_500_000
    assert len(json.loads(window.text())["entries"]) == 500


@pytest.mark.parametrize("shape", ["entries first", "cursor first"])
async def test_answer_that_ignores_its_limit_is_cut(shape: str):
    entries = [entry(f"line {number}", number) for number in range(5_000)]
    body = {"entries": entries, "cursor": "5000"}
    answer = body if shape == "entries first" else dict(reversed(body.items()))
    async with controller(MAY_CALLS | {"FetchLogs": answer}) as scripted:
        reader = IrisReader(HttpTransport(DirectEndpoint(scripted.url), place="x"))
        source = LogSource(JobId(ROOT))
        flood = await reader.lines(source, after=Cursor("1"), at_most=100)
        tail = await reader.lines(source, after=None, at_most=100, newest=True)
        await reader.close()
    assert [line.text for line in flood.lines] == [f"line {number}" for number in range(4_900, 5_000)]
    assert (flood.skipped, flood.cursor, flood.is_full) == (4_900, "5000", False)
    assert (len(tail.lines), tail.skipped) == (100, 0)
