"""How alike two incidents are: weighted words of their fingerprints. Pure; ranking over many is in the store.

The weights were chosen on labelled incidents, leave-one-out (docs/memory.md): half or one and a half of one
of them changed at most four cases of 134.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from babysitter.diagnosis.learned.line_meaning import meaning_of_stems
from babysitter.model.past_incident import Fingerprint

SAME = 0.8  # from here on it is the same incident, seen again
SIMILAR = 0.5  # from here on it is worth mentioning; less is not shown by itself
MIN_WORDS = 5  # that decide, different ones: fewer are found in unlike incidents, too

_DECISIVE, _PAIR, _CLASS, _EXCEPTION, _FRAME, _CODE = 3.0, 1.0, 2.0, 2.0, 1.0, 1.0
_FACT, _REPORT, _CONTEXT = 2.0, 1.0, 0.3


def terms_of(fingerprint: Fingerprint) -> dict[str, float]:
    """The words to search for, with their weights. One word in several roles has the sum of their weights."""
    terms: dict[str, float] = {}
    for term, weight in _roles(fingerprint):
        terms[term] = round(terms.get(term, 0.0) + weight, 3)
    return terms


def similarity(one: Fingerprint, other: Fingerprint) -> float:
    """What part of the decisive words, exceptions, frames and codes is the same: 0 = nothing, 1 = all.

    It does not depend on what else was seen: a store of two incidents gives the same value as one of 10,000.
    """
    if not (is_telling(one) and is_telling(other)):
        return 0.0
    return 1.0 if one.key == other.key else _overlap(_decisive_terms(one), _decisive_terms(other))


def is_telling(fingerprint: Fingerprint) -> bool:
    """Whether it says enough to be recognised: "state failed" alone stands for any failure."""
    words = {word for line in fingerprint.decisive for word in line.split()}
    return len(words) >= MIN_WORDS or bool(fingerprint.frames)


def _overlap(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    terms = one.keys() | other.keys()
    most = sum(max(one.get(term, 0.0), other.get(term, 0.0)) for term in terms)
    return sum(min(one.get(term, 0.0), other.get(term, 0.0)) for term in terms) / most if most else 0.0


def _decisive_terms(fingerprint: Fingerprint) -> dict[str, float]:
    return dict(_decisive_roles(fingerprint))


def _roles(fingerprint: Fingerprint) -> Iterator[tuple[str, float]]:
    yield from _decisive_roles(fingerprint)
    meanings = [meaning_of_stems(tuple(line.split())) for line in fingerprint.decisive]
    causes = {meaning.cause for meaning in meanings if meaning is not None}
    yield from ((f"class:{name}", _CLASS) for name in sorted(causes))
    yield from ((f"fact:{name}", _FACT) for name in fingerprint.facts)
    yield from ((word, _REPORT) for word in fingerprint.reports)
    yield from ((word, _CONTEXT) for word in fingerprint.context)


def _decisive_roles(fingerprint: Fingerprint) -> Iterator[tuple[str, float]]:
    """Each term once."""
    lines = [line.split() for line in fingerprint.decisive]
    yield from dict.fromkeys((word, _DECISIVE) for line in lines for word in line)
    yield from dict.fromkeys((f"{one}+{other}", _PAIR) for line in lines for one, other in pairwise(line))
    yield from ((f"raised:{name.lower()}", _EXCEPTION) for name in fingerprint.exceptions)
    yield from ((f"frame:{frame.lower()}", _FRAME) for frame in fingerprint.frames)
    yield from ((f"code:{code}", _CODE) for code in fingerprint.codes)
