"""The words without which an expression cannot match, and the scans of a few texts that rest on them."""

import pytest

from babysitter.diagnosis.signatures.needed_words import has_needed, words_of
from babysitter.diagnosis.signatures.pattern import parse_pattern
from babysitter.diagnosis.signatures.scanner_re2 import SCANS_BEFORE_ALL, Re2Scanner


@pytest.mark.parametrize(
    ("written", "needed"),
    [
        ("/Lost contact/", ((b"contact",), (b"lost",))),
        (r"/(?:worker|pod)s? .*di(?:ed|sappeared)/", ((b"pod", b"worker"),)),
        (r"/(?:fatal )?exit \d+ of (?:[Tt]ask|task)/", ((b"exit",), (b"ask", b"task"))),
        (r"/a+bcde+f \d{3}/", ((b"bcd",),)),
        (r"/(?:ab|timeout) \d+/", ()),
        ("/ERROR/i", ((b"error",),)),
    ],
)
def test_each_match_holds_one_of_the_needed_words(written: str, needed: object) -> None:
    assert parse_pattern(written).needed_words == needed


@pytest.mark.parametrize(("text", "is_there"), [(b"a TIMEOUT1", True), (b"time out", False)])
def test_words_are_found_within_longer_ones(text: bytes, is_there: bool) -> None:
    assert has_needed(words_of(text), ((b"meou",),)) is is_there


def test_the_first_texts_are_scanned_as_later_ones() -> None:
    scanner = Re2Scanner([parse_pattern(spelled) for spelled in ("absent", "needle", "/[0-9]+ %/", "lost")])
    text = b"nothing\nlost a needle\n12 %"
    for _ in range(SCANS_BEFORE_ALL + 1):
        assert scanner.scan(text) == [(1, 1, 8, 21), (1, 3, 8, 21), (2, 2, 22, 26)]
    assert scanner.scan(b"") == []
