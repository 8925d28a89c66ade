"""Quotes against the evidence: true ones stay, invented ones go."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babysitter.advisor.answer_schema import OpinionAnswer, read_answer
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.material import Material
from babysitter.advisor.verify import requote, verify
from babysitter.model.opinion import NoOpinion, Opinion

LINES = (
    "I start  of the run",
    "OSError: [Errno 28] No space left on device",
    "café naïve L3| quoted",
    "ok",
)
PACK = build_pack(Material(("job state: failed",), LINES))


def answer(*quotes: tuple[object, str]) -> OpinionAnswer:
    citations = [{"line": line, "text": text} for line, text in quotes]
    found = read_answer(
        {
            "cause": "disk-full",
            "confidence": 0.9,
            "explanation": "e",
            "action": "escalate",
            "citations": citations,
        },
        fingerprint="f",
    )
    assert isinstance(found, OpinionAnswer)
    return found


TRUE = [
    ("L2", LINES[1], LINES[1]),
    ("L2", "No space left", "No space left"),
    (2, "No space left", "No space left"),
    ("2", "  No   space left ", "No space left"),
    ("L2", "L2| OSError: [Errno 28]", "OSError: [Errno 28]"),
    ("L1", "I start of the run", "I start of the run"),
    ("L3", "cafe\u0301 nai\u0308ve", "café naïve"),
    ("L4", "ok", "ok"),
    ("F1", "state: failed", "state: failed"),
]


@pytest.mark.parametrize(("line", "text", "kept"), TRUE)
def test_verify_keeps_a_true_quote(line, text, kept):
    found = verify(answer((line, text)), PACK)
    assert isinstance(found, Opinion)
    assert [quote.text for quote in found.quotes] == [kept]


INVENTED = [
    ("L2", "No space left on disk"),
    ("L2", "no space left"),
    ("L2", "OSError ... No space left"),
    ("L1", "No space left on device"),
    ("L9", "No space left on device"),
    ("L2", ""),
    ("L2", "space"),
    ("F2", "job state: failed"),
    ("", "No space left on device"),
    ("../L2", "No space left on device"),
]


@pytest.mark.parametrize(("line", "text"), INVENTED)
def test_verify_drops_an_invented_quote(line, text):
    assert isinstance(verify(answer((line, text)), PACK), NoOpinion)
    found = verify(answer((line, text), ("L2", "No space left")), PACK)
    assert isinstance(found, Opinion)
    assert (len(found.quotes), found.dropped_quotes) == (1, 1)


def test_verify_of_an_answer_without_quotes():
    found = verify(answer(), PACK)
    assert found == NoOpinion("The answer does not count. It quotes nothing.")


@settings(max_examples=25, deadline=None)
@given(
    lines=st.lists(st.text(string.ascii_lowercase + " ", min_size=8, max_size=30), min_size=1, max_size=5),
    quotes=st.lists(
        st.tuples(st.integers(1, 7), st.text(string.ascii_lowercase + " ", max_size=30)), max_size=12
    ),
)
def test_verify_keeps_no_invented_quote(lines, quotes):
    pack = build_pack(Material(("job state: running",), tuple(lines)))
    found = verify(answer(*quotes), pack)
    kept = found.quotes if isinstance(found, Opinion) else ()
    assert all(quote.text in " ".join(pack.lines[quote.line].split()) for quote in kept)
    if isinstance(found, Opinion):
        assert len(kept) + found.dropped_quotes <= len(quotes)


BROKEN = [
    {},
    [],
    None,
    7,
    "disk-full",
    {"cause": "aliens"},
    {"cause": "disk-full", "confidence": 2, "explanation": "e", "action": "escalate", "citations": []},
    {"cause": "disk-full", "confidence": 1, "explanation": "e", "action": "approve", "citations": []},
    {"cause": "disk-full", "confidence": 1, "explanation": "e" * 9_000, "action": "wait", "citations": []},
    {"cause": "disk-full", "confidence": 1, "explanation": "e", "action": "wait", "citations": [{}] * 99},
    {"fingerprint": "other", **answer().model_dump(mode="json", exclude={"fingerprint"})},
]


@pytest.mark.parametrize("value", BROKEN, ids=range(len(BROKEN)))
def test_broken_answer_is_no_opinion(value):
    found = read_answer(value, fingerprint="f")
    assert isinstance(found, NoOpinion)
    assert found.reason.endswith(".")
    assert "\n" not in found.reason


def test_requote_moves_quotes_to_their_new_lines():
    given = verify(answer(("L2", "No space left"), ("L4", "ok")), PACK)
    assert isinstance(given, Opinion)
    moved = build_pack(Material(("job state: failed",), ("other", *LINES[:2])))
    again = requote(given, moved, fingerprint="g")
    assert again is not None
    assert [(quote.line, quote.text) for quote in again.quotes] == [("L3", "No space left")]
    assert again.fingerprint == "g"
    assert requote(given, build_pack(Material((), ("other",))), fingerprint="g") is None
