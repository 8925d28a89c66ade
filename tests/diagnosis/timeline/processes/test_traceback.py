"""Tracebacks as units, through prefixes, interleaving, chains, groups and cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.timeline.processes.traceback import (
    MAX_LINES,
    Traceback,
    read_tracebacks,
    unfinished,
)

PLAIN = [
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3.12/threading.py", line 58, in run',
    "    self.fn()",
    "    ~~~~~~~^^",
    '  File "/app/job.py", line 12, in tokenize',
    '    return x["text"]',
    '  File "/venv/lib/python3.12/site-packages/lib/core.py", line 9, in get',
    "KeyError: 'text'",
]
CHAIN = [*PLAIN, "", "The above exception was the direct cause of the following exception:", "",
         "Traceback (most recent call last):", '  File "/app/job.py", line 30, in main', "    run()",
         "ValueError: bad shard"]  # fmt: skip


def types(units: list[Traceback]) -> list[list[str]]:
    return [[raised.type for raised in unit.raised] for unit in units]


def test_a_plain_one_names_the_users_innermost_frame() -> None:
    (unit,) = read_tracebacks(["I start", "E shard 3 failed", *PLAIN, "I20261120 10:00:00 x.y next"])
    (raised,) = unit.raised
    assert (raised.name, raised.message, str(raised.place)) == ("KeyError", "'text'", "/app/job.py:tokenize")
    assert unit.lines == tuple(range(2, 10))
    assert unit.announced_by == 1
    assert not unit.is_cut


def test_a_chain_is_one_unit_that_begins_with_its_cause() -> None:
    assert types(read_tracebacks([*CHAIN, "I next"])) == [["KeyError", "ValueError"]]


@pytest.mark.parametrize(
    "prefix",
    [
        "(Actor pid=12, ip=10.0.0.1) ",
        "(RayTrainWorker pid=7) ",
        "[rank3]: ",
        "[12:00:01] task=/u/j/0 | ",
        "2026-11-20T10:00:00Z task=/u/j/0 | ",
        "12: ",
        "node-3: ",
        "loader-1  | ",
        "[loader]  | ",
    ],
)
def test_prefixes_are_seen_through(prefix: str) -> None:
    lines = [prefix + line for line in ["W closing", *CHAIN]]
    (unit,) = read_tracebacks(lines)
    assert types([unit]) == [["KeyError", "ValueError"]]
    assert unit.announced_by == 0


def test_clock_times_that_differ_from_line_to_line_do_not_matter() -> None:
    lines = [f"[12:00:{number:02}] task=/u/j/0 | {line}" for number, line in enumerate(CHAIN)]
    assert types(read_tracebacks(lines)) == [["KeyError", "ValueError"]]


@pytest.mark.parametrize("seed", range(5))
def test_workers_mixed_line_by_line_are_told_apart(seed: int) -> None:
    import random

    draw = random.Random(seed)
    left = {name: list(CHAIN) for name in ("(A pid=1)", "(B pid=2)", "[rank3]:")}
    mixed = []
    while left:
        name = draw.choice(sorted(left))
        mixed.append(f"{name} {left[name].pop(0)}")
        if not left[name]:
            del left[name]
    assert types(read_tracebacks(mixed)) == [["KeyError", "ValueError"]] * 3


def test_workers_without_prefix_are_told_apart_by_their_task() -> None:
    mixed = [line for line in PLAIN for _ in range(2)]
    owners = ["/j/0", "/j/1"] * len(PLAIN)
    assert types(read_tracebacks(mixed, owners)) == [["KeyError"], ["KeyError"]]


def test_exception_groups_are_one_unit() -> None:
    group = [
        "  + Exception Group Traceback (most recent call last):",
        '  |   File "/app/g.py", line 3, in <module>',
        "  |     raise ExceptionGroup()",
        "  | ExceptionGroup: many (2 sub-exceptions)",
        "  +-+---------------- 1 ----------------",
        "    | Traceback (most recent call last):",
        '    |   File "/app/h.py", line 3, in h',
        "    | ValueError: 1",
        "    +---------------- 2 ----------------",
        "    | TypeError: 2",
        "    +------------------------------------",
        "I next",
    ]
    (unit,) = read_tracebacks(group)
    assert [raised.type for raised in unit.raised] == ["ExceptionGroup", "ValueError", "TypeError"]
    assert str(unit.raised[1].place) == "/app/h.py:h"


def test_notes_belong_to_the_exception_and_log_lines_do_not() -> None:
    (unit,) = read_tracebacks([*PLAIN, "while reading shard 3", "I20261120 10:00:00 x.y next"])
    assert unit.raised[0].notes == ("while reading shard 3",)


@pytest.mark.parametrize(
    ("lines", "expected", "is_cut"),
    [
        (["Traceback (most recent call last):"], [], True),
        (PLAIN[:3], [""], True),
        (["KeyError: 'x'"], ["KeyError"], False),
        (["Exit code: 1. stderr: ModuleNotFoundError: No module named 'x'"], ["ModuleNotFoundError"], False),
        (["Traceback (most recent call last):", "RuntimeError: no frames"], ["RuntimeError"], False),
        (
            ['  File "/app/s.py", line 3', "    def f(", "SyntaxError: '(' was never closed"],
            ["SyntaxError"],
            False,
        ),
        (["KeyboardInterrupt"], ["KeyboardInterrupt"], False),
    ],
)
def test_short_and_cut_ones(lines: list[str], expected: list[str], is_cut: bool) -> None:
    unit = read_tracebacks(lines)[-1]
    assert [raised.type for raised in unit.raised] == expected
    assert unit.is_cut is is_cut


def test_ordinary_lines_are_no_tracebacks() -> None:
    assert (
        read_tracebacks(["I all well", "progress 3/8", "the traceback of a wolf", 'File "x.txt" was read'])
        == []
    )


def test_what_may_go_on_is_carried_and_nothing_else() -> None:
    texts = [*PLAIN, "", "I next", *PLAIN[:3]]
    assert unfinished(texts, [""] * len(texts)) == (10, 11, 12)
    assert unfinished(["I fine"], [""]) == ()


PIECES = st.sampled_from(
    [*CHAIN, "(A pid=1) " + PLAIN[0], "(A pid=1) " + PLAIN[4], "  | " + PLAIN[4], "x: " + PLAIN[0]]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=40))
def test_nothing_crashes_and_every_line_has_at_most_one_unit(lines: list[str]) -> None:
    units = read_tracebacks(lines)
    used = [line for unit in units for line in unit.lines]
    assert len(used) == len(set(used))
    assert all(0 <= line < len(lines) for line in used)


def test_an_endless_one_is_cut() -> None:
    lines = [PLAIN[0]] + [f'  File "/app/job.py", line {n}, in f' for n in range(3 * MAX_LINES)]
    assert max(len(unit.lines) for unit in read_tracebacks(lines)) <= MAX_LINES
