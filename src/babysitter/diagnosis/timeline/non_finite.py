"""Measured values that are not a number: NaN or infinity by the name of the value, in any format."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from babysitter.diagnosis.timeline.entries import Entry

MIN_REPORTS = 2
MAX_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class NonFinite:
    """A value that is NaN or infinite to the end. `names`: all such values; places are of the bad reports."""

    names: tuple[str, ...]
    first_place: int
    last_place: int
    reports: int
    was_finite: bool


def find_non_finite(entries: Sequence[Entry]) -> NonFinite | None:
    """Return the values that are not finite any more and have not come back; None when there are none.

    One bad report is enough after finite ones of the same name, or when two values are bad at once: a single
    one may be a skipped step or a value that is not measured yet.
    """
    series: defaultdict[str, list[tuple[int, bool]]] = defaultdict(list)
    for entry in entries:
        if len(entry.message) <= MAX_CHARACTERS and not _SKIPPED.search(entry.message):
            for name, is_finite in read_measures(entry.message):
                series[name].append((entry.place, is_finite))
    bad: dict[str, list[int]] = {}
    was_finite = False
    has_finite = any(told[-1][1] for told in series.values())
    for name, told in series.items():
        tail = _bad_tail(told)
        if not tail:
            continue
        if len(tail) == len(told) and has_finite and not _is_training(name):
            continue  # never measured beside values that are: an evaluation that did not run yet
        bad[name] = tail
        was_finite = was_finite or len(tail) < len(told)
    places = sorted(place for tail in bad.values() for place in tail)
    if not bad or not (len(bad) >= 2 or was_finite or len(places) >= MIN_REPORTS):
        return None
    return NonFinite(tuple(bad), places[0], places[-1], len(places), was_finite)


def read_measures(message: str) -> list[tuple[str, bool]]:
    """Return the measured values in a message as (name, is finite), the newest value after arrows."""
    found = []
    for match in _MEASURE.finditer(message):
        name = _NAME_END.sub("", match["name"].lower()).strip(" _./-")
        words = [word for word in re.split(r"[^a-z]+", name) if word]
        if words and _MEASURED.intersection(words[-2:]) and not _NOT_MEASURED.intersection(words):
            found.append((name, _BAD.fullmatch(match["last"]) is None))
    return found


def _bad_tail(told: Sequence[tuple[int, bool]]) -> list[int]:
    tail: list[int] = []
    for place, is_finite in reversed(told):
        if is_finite:
            break
        tail.append(place)
    return tail[::-1]


def _is_training(name: str) -> bool:
    return not re.search(r"\b(?:eval|val|valid|validation|test|dev)(?:\b|_)", name)


_VALUE = r"[-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf(?:inity)?)(?:%|(?![A-Za-z0-9_]))"
_ARROW = r"\s*(?:->|-->|→|⇒|=>|,? then)\s*"
_SIGN = (
    r"(?:['\"*`]{0,3}\s{0,8}(?::?=|:|->|→|\||is now|is|was|became|of|at)\s*|\s+|['\"*`]{1,3}\s+)"
    r"['\"*`(\[]{0,3}(?:tensor\()?"
)
_MEASURE = re.compile(
    rf"(?P<name>[A-Za-z][A-Za-z_./-]*(?:[ ][A-Za-z_/]+)?(?:/[A-Za-z_]+)*){_SIGN}"
    rf"(?:{_VALUE}{_ARROW})*(?P<last>{_VALUE})",
    re.IGNORECASE,
)
_NAME_END = re.compile(r"\b(?:is now|is|was|became|of|at|now)$")
_BAD = re.compile(r"[-+]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_MEASURED_WORDS = """
    loss losses grad gradient gradients norm gnorm ppl perplexity nll kl reward rewards entropy score value
    advantage advantages objective elbo logprob logprobs mse rmse mae ce bpb bpc return returns
"""
_MEASURED = frozenset(_MEASURED_WORDS.split())
_NOT_MEASURED = frozenset(
    ("best", "min", "lowest", "initial", "threshold", "max", "clip", "patience", "limit")
)
_SKIPPED = re.compile(
    r"(?i)\b(?:skip(?:ped|ping|s)?|overflow|loss.?scal(?:e|er|ing)|ignor(?:ed|ing)|if|unless|assert(?:s|ed)?"
    r"|check(?:s|ing)? for|detect_anomaly|nan_to_num|replac(?:ed|ing)|test_\w+|PASSED)\b"
)
