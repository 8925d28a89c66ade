"""The same report again and again, with nothing new beside it."""

import pytest

from babysitter.diagnosis.last_good.build_profile import add_lines
from babysitter.diagnosis.timeline.count_history import entries_of
from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.repetition.failing_loop import find_failing_loop, lasts_s
from babysitter.model.run_profile import LineTemplate, RunProfile
from tests.diagnosis.timeline.repetition.test_stopped_work import Printed, every
from tests.support.build import at
from tests.support.jobs import raw

REFUSED = "ERROR could not reach the store: connection refused"
KEY_ERROR = "KeyError: 'mel'"


def found(printed: Printed, now_s: float) -> LineTemplate | None:
    lines = [raw(seconds, text) for seconds, text in sorted(printed, key=lambda line: line[0])]
    work = read_counters(entries_of(lines, 0)).work
    return find_failing_loop(add_lines(RunProfile(), lines), work, at(now_s).timestamp())


def test_a_client_that_asks_a_dead_server() -> None:
    loop = found([(0, "reading the settings file"), *every(30, 1200, REFUSED, 10)], 1200)
    assert loop is not None
    assert loop.example == REFUSED
    assert lasts_s(loop) == 30 * 38


def test_a_supervisor_that_counts_its_children() -> None:
    rounds = [
        *every(30, 1200, "child {n} is up"),
        *every(30, 1200, "reading the profile from disk", 1),
        *every(30, 1200, KEY_ERROR, 2),
    ]
    loop = found(rounds, 1200)
    assert loop is not None
    assert loop.example == KEY_ERROR


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("few reports", every(300, 1200, REFUSED)),
        ("it stopped", every(30, 600, REFUSED)),
        ("something new begins", [*every(30, 1200, REFUSED), (900, "reading the second corpus from disk")]),
        ("a count rises", [*every(30, 1200, REFUSED), *every(100, 1200, "shard {n}/40 is done")]),
        ("work goes on as before", [*every(30, 1200, REFUSED, 300), *every(20, 1200, "answered a request")]),
        ("nearly its pace", [*every(9, 1200, REFUSED), *every(10, 1200, "redo goes on in the log", 90)]),
        ("asked too early", every(15, 1200, "Readiness probe failed: dial tcp: connection refused")),
        ("no failure", every(30, 1200, "poked the sensor for the file")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_no_loop(name: str, printed: Printed) -> None:
    assert found(printed, 1200) is None, name
