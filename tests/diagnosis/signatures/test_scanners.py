"""Both engines give equal answers, on any patterns and any bytes, in time that grows with the text."""

import random
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babysitter.diagnosis.causes.rule_index import index_of
from babysitter.diagnosis.signatures.pattern import LINE_LIMIT_BYTES, Pattern, parse_pattern
from babysitter.diagnosis.signatures.scanner import Scanner, cache_file, open_engine, tidy
from babysitter.diagnosis.signatures.scanner_re2 import Re2Scanner
from babysitter.diagnosis.signatures.template import to_regex
from babysitter.playbook.load import load, scenario_files
from babysitter.shipped import shipped
from babysitter.workbench.rule_tests import read_test_files
from tests.diagnosis.signatures.test_regex import FIT
from tests.support.waiting import is_linear

hyperscan = pytest.importorskip("babysitter.diagnosis.signatures.scanner_hyperscan")

PIECES = st.sampled_from(
    [
        b"ab",
        b"0",
        b" ",
        b"  ",
        b"\n",
        b"\n\n",
        b"a",
        b"b",
        b"c",
        b".",
        b"\xff",
        b"\x00",
        b"\xc3\xa9",
        b"abab 00",
        b"\t",
        b"\r",
    ]
)
LINES = st.lists(PIECES, max_size=9).map(b"".join)
TEXTS = st.lists(LINES, max_size=6).map(b"\n".join)


def simple(patterns: list[Pattern], text: bytes) -> list[tuple[int, int]]:
    """What the engines must give, by Python's own matcher, line by line."""
    programs = [
        re.compile(pattern.regex.encode(), re.IGNORECASE if pattern.ignore_case else 0)
        for pattern in patterns
    ]
    return [
        (number, index)
        for number, line in enumerate(text.split(b"\n"))
        for index, program in enumerate(programs)
        if line and program.search(line)
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(FIT, min_size=1, max_size=6, unique=True), TEXTS)
def test_engines_are_equal(patterns: list[Pattern], raw: bytes) -> None:
    text = tidy(raw)
    expected = simple(patterns, text)
    for engine in (hyperscan.HyperscanScanner(patterns), Re2Scanner(patterns)):
        hits = engine.scan(text)
        assert [(line, index) for line, index, _, _ in hits] == expected
        assert all(text[start:end] == text.split(b"\n")[line] for line, _, start, end in hits)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("lost contact", b"worker:  lost   contact"),
        ("worker ... lost contact", b"worker w-1    lost  contact"),
        ("^lost contact", b"lost  contact"),
        ("/lost  contact/", b"lost  contact"),
        ("/^  lost/", b"  lost"),
        ("/a.{4}lost/", b"a    lost"),
    ],
)
def test_runs_of_blanks_hide_nothing(written: str, line: bytes) -> None:
    body = written if written.startswith("/") else f"/{to_regex(written)}/"
    text = b"\n".join([b"  indented", line, b"x  y", line])
    hits = hyperscan.HyperscanScanner([parse_pattern(body)]).scan(text)
    assert [number for number, *_ in hits] == [1, 3]


@pytest.fixture(scope="module")
def shipped_patterns() -> tuple[Pattern, ...]:
    return index_of(load()).patterns


@pytest.fixture(scope="module")
def engines(shipped_patterns: tuple[Pattern, ...]) -> tuple[Scanner, Scanner]:
    return open_engine(shipped_patterns), Re2Scanner(shipped_patterns)


def test_engines_are_equal_on_the_shipped_rules_own_examples(engines: tuple[Scanner, Scanner]) -> None:
    files, _ = read_test_files(scenario_files([shipped()]))
    examples = [text for file in files for texts in file.specimens.values() for text in texts]
    text = tidy("\n".join(examples).encode())
    fast, portable = (engine.scan(text) for engine in engines)
    assert fast == portable
    assert len(fast) > len(examples) // 4


def test_engines_are_equal_on_junk(engines: tuple[Scanner, Scanner]) -> None:
    draw = random.Random(11)
    words = [
        b"failed",
        b"error",
        b"worker",
        b"out of memory",
        b"\xff\xfe",
        b"\x00",
        b"timeout",
        b"503",
        b": ",
        b" ",
    ]
    text = tidy(b"\n".join(b" ".join(draw.choices(words, k=draw.randrange(12))) for _ in range(2000)))
    fast, portable = (engine.scan(text) for engine in engines)
    assert fast == portable


def test_long_lines_and_colours_survive() -> None:
    pattern = parse_pattern("needle")
    text = tidy(
        b"\x1b[31mnee\x1b[0mdle\r\n" + b"x" * 100_000 + b"needle\nneedle " + b"y" * 100_000 + b"\nend"
    )
    for engine in (hyperscan.HyperscanScanner([pattern]), Re2Scanner([pattern])):
        assert {line for line, _, _, _ in engine.scan(text)} >= {0, 2}
    assert text.count(b"\n") == 3
    assert max(map(len, text.split(b"\n"))) <= LINE_LIMIT_BYTES + 64


@given(st.binary(max_size=300))
def test_tidying_keeps_the_number_of_lines_and_settles(raw: bytes) -> None:
    assert tidy(raw).count(b"\n") == raw.count(b"\n")


def test_a_damaged_database_is_made_again(tmp_path: Path) -> None:
    patterns = [parse_pattern("needle")]
    cache = tmp_path / "patterns"
    hyperscan.HyperscanScanner(patterns, cache=cache)
    for damage in (b"", b"nonsense", cache.read_bytes()[:-20], b"other machine\n" + cache.read_bytes()):
        cache.write_bytes(damage)
        assert hyperscan.HyperscanScanner(patterns, cache=cache).scan(b"a needle") == [(0, 0, 0, 8)]


def test_small_texts_do_not_wait_for_a_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    patterns = [parse_pattern("needle one")]
    assert isinstance(open_engine(patterns, size_hint=1000), Re2Scanner)
    assert isinstance(open_engine(patterns), hyperscan.HyperscanScanner)
    assert cache_file(patterns).exists()
    assert isinstance(open_engine(patterns, size_hint=1000), hyperscan.HyperscanScanner)


HOSTILE = [b"a", b"failed ", b"Error: ", b"(", b"worker ", b"0 ", b"\xff", b"\n", b"retry ", b"Traceback "]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear(piece: bytes, engines: tuple[Scanner, Scanner]) -> None:
    for engine in engines:
        assert is_linear(partial(_scan, engine, piece), 50_000)


def _scan(engine: Scanner, piece: bytes, size: int) -> None:
    engine.scan(tidy(piece * (size // len(piece))))
