"""The regular expressions of playbooks: read alike by every engine, refused in words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.signatures.pattern import (
    BadPattern,
    Pattern,
    compiled,
    parse_pattern,
)

REFUSED = [
    ("/a(?=b)/", "lookahead"),
    ("/(?<!x)oom/", "lookbehind"),
    (r"/(\w+) \1/", "backreference"),
    ("/(?P<a>x)(?P=a)/", "backreference"),
    ("/(?>a+)b/", "atomic"),
    ("/a++b/", "possessive"),
    ("/x*/", "nothing at all"),
    ("/(?:a|b?)/", "nothing at all"),
    ("/^/", "nothing at all"),
    ("", "every line"),
    ("/a(b/", "never closed"),
    ("/a)b/", "closes nothing"),
    ("/*a/", "repeats nothing"),
    ("/a{2000}/", "too big"),
    ("/(?:(?:a{300}){300}b){9}/", "linear-time"),
    (r"/\p{L}x/", "do not share"),
    ("/[[:alpha:]]x/", "characters"),
    ("/(?P<1>x)/", "no name"),
    ("/(?P<a>x)(?P<a>y)/", "two groups"),
    ("/a[b/", "ends too early"),
    ("/→x/i", "ASCII"),
    (r"/a\nb/", "do not share"),
    ("/a^b/", "in the middle"),
    ("/a$b/", "in the middle"),
    ("/(?:^a){2}/", "in the middle"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_unfit_patterns_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(BadPattern, match=re.escape(words)):
        parse_pattern(text)


@pytest.mark.parametrize(
    ("text", "line", "captures"),
    [
        (
            r"/Shard (?P<shard>\d+) failed (?P<n>\d+) times/",
            "E Shard 12 failed 3 times",
            {"shard": "12", "n": "3"},
        ),
        ("out of memory", "CUDA out of memory.", {}),
        ("a.b", "a.b", {}),
        ("/out of memory/i", "Out Of Memory", {}),
        ("/(?i:out) of/", "OUT of", {}),
        (r"/\[(?P<stage>[^\]]+)\] done/", "x [stage0-Map → Scatter] done", {"stage": "stage0-Map → Scatter"}),
        ("/[×x] Failed/", "× Failed", {}),
        (r"/^E\d{4} .*$/", "E1120 x", {}),
        (r"/(?P<a>x)?y/", "y", {"a": ""}),
    ],
)
def test_patterns_capture(text: str, line: str, captures: dict[str, str]) -> None:
    assert parse_pattern(text).captures(line.encode()) == captures


@pytest.mark.parametrize(("text", "line"), [("a.b", "axb"), ("/oom\\b/", "zoomed ooms"), ("/^b/", "ab")])
def test_patterns_leave_other_lines(text: str, line: str) -> None:
    assert parse_pattern(text).captures(line.encode()) is None


ATOMS = st.sampled_from(
    ["a", "b", "0", r"\d", r"\w", r"\s", r"\S", ".", "[ab]", "[^a]", "[a-c0-9]", "ab", " ", r"\.", "é"]
)
REPEATS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,9}", "+?"])
ASSERTIONS = st.sampled_from(["", "", "", "^", "$", r"\b"])


def _repeated(part: tuple[str, str]) -> str:
    atom, repeat = part
    return f"(?:{atom}){repeat}" if repeat else atom


PIECES = st.tuples(ATOMS, REPEATS).map(_repeated)
EXPRESSIONS = st.recursive(
    st.lists(PIECES, min_size=1, max_size=4).map("".join),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, st.sampled_from(["?", "{2}", "{0,2}"])).map(_repeated),
        st.tuples(ASSERTIONS, inner, ASSERTIONS).map("".join),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=5,
)


def fit(text: str) -> Pattern | None:
    # Python's matcher, the oracle, backtracks: with many repeats it would not come back.
    if sum(text.count(sign) for sign in ("*", "+", "{1,9}")) > 3:
        return None
    try:
        return parse_pattern(f"/{text}/")
    except BadPattern:
        return None


FIT = EXPRESSIONS.map(fit).filter(lambda pattern: pattern is not None)
LINES = st.text(st.sampled_from("ab0c  é.\t"), max_size=12)


@given(FIT, LINES)
def test_they_mean_what_python_means(pattern: Pattern, line: str) -> None:
    """Our spelling against the standard library's own reading of what was written."""
    raw = line.encode()
    oracle = re.compile(pattern.text[1:-1].encode(), re.ASCII)
    assert (compiled(pattern).search(raw) is not None) == (oracle.search(raw) is not None)


@given(FIT, LINES)
def test_the_quick_form_misses_no_line(pattern: Pattern, line: str) -> None:
    raw = line.encode()
    narrow = re.sub(rb"  +", b" ", raw)
    whole, quick = re.compile(pattern.regex.encode()), re.compile(pattern.quick.encode())
    if whole.search(raw):
        assert quick.search(raw) or quick.search(narrow)
    elif pattern.exact_up_to_bytes >= len(raw) and raw == narrow:
        assert not quick.search(raw)
