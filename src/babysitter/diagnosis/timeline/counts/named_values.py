"""Named values in a line: what was done, how well, how fast, and what was turned away."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.counts.work_words import counts_work, measures_else, words_in

MAX_CHARACTERS = 400
MAX_SERIES = 60
MAX_VALUES = 16  # of one line; a longer row is data


class ValueKind(StrEnum):
    """What a value measures."""

    QUALITY = "quality"  # how well the work goes; a loss is one
    QUANTITY = "quantity"  # work done
    RATE = "rate"  # work done in a time
    COST = "cost"  # the time of a piece of work
    REJECTED = "rejected"  # what came and was turned away
    OTHER = "other"


class ValuePlace(NamedTuple):
    """Where a message holds a value: the words before it, its name and kind, the span of its digits."""

    series: str
    name: str
    kind: ValueKind
    start: int
    end: int


def read_named_values(message: str) -> tuple[ValuePlace, ...]:
    """Return where a message holds values, the first one first."""
    return _values(without_digits(message[:MAX_CHARACTERS]))


@lru_cache(maxsize=4096)
def _values(skeleton: str) -> tuple[ValuePlace, ...]:
    """The values of all messages whose digits stand at the same places."""
    found: dict[int, ValuePlace] = {}
    for match, name, kind in _candidates(skeleton):
        start, end = match.span("value")
        if name and kind is not None and start not in found:
            before = " ".join(_NUMBER.sub("#", skeleton[:start]).split())  # columns are padded
            series = f"{before[-MAX_SERIES:]} {name}"
            found[start] = ValuePlace(series, name, kind, start, end)
    return tuple(found[start] for start in sorted(found)) if len(found) <= MAX_VALUES else ()


def _candidates(skeleton: str) -> Iterator[tuple[re.Match[str], str, ValueKind | None]]:
    """Numbers with what names them and what they measure; of two names for one number the better first."""
    for match in _RATE.finditer(skeleton):
        name = _name_of_rate(match)
        yield match, name, _kind_of_rate(match, name)
    for match in _NAMED.finditer(skeleton):
        name = match["name"].strip(" _./-")
        yield match, name, _kind(name)
    for match in _COUNTED.finditer(skeleton):
        kind = _kind(match["name"])
        yield match, match["name"], kind if kind in _COUNTS else None


def _name_of_rate(match: re.Match[str]) -> str:
    """The unit; what is counted stands before a mere "/s", as in "docs 12/s"."""
    unit = match["name"].strip()
    counted = _LAST_WORD.search(match.string[: match.start("value")]) if unit.startswith("/") else None
    return f"{counted[0].strip()}{unit}" if counted else unit


def _kind_of_rate(match: re.Match[str], name: str) -> ValueKind | None:
    if _BAD.search(name):
        return None
    return ValueKind.COST if match["cost"] else ValueKind.RATE


def _kind(name: str) -> ValueKind | None:
    words = _words(name)
    if not words or _LIMITS.intersection(words):
        return None
    if _REJECTED.intersection(words):
        return ValueKind.REJECTED
    if _BAD.search(name):
        return None
    if _QUALITY.intersection(words) or _LOSS.fullmatch(name):
        return ValueKind.QUALITY
    if _RATES.intersection(words):
        return ValueKind.RATE
    if measures_else(words):
        return None
    return ValueKind.QUANTITY if counts_work(words) or _ACCEPTED.intersection(words) else ValueKind.OTHER


def _words(name: str) -> Sequence[str]:
    return [word.lower() for word in _NAME_WORD.findall(name)][-2:]


_VALUE = r"[-+]?(?:\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+|nan\b|NaN\b|[iI]nf(?:inity)?\b|\*{3,})"
_NUMBER = re.compile(_VALUE)
_NAMED = re.compile(
    r"(?<![A-Za-z])(?P<name>[A-Za-z][A-Za-z_./-]*(?: [A-Za-z][A-Za-z_/-]*)?)['\"]?\s{0,12}[:=|]\s{0,12}['\"]?"
    rf"(?P<value>{_VALUE})(?![\w:/.]*\d)"
)
_LAST_WORD = re.compile(r"[A-Za-z_]+\s?$")
_COUNTED = re.compile(rf"(?<![\w.=:/-])(?P<value>{_VALUE}) (?P<name>[a-z]+)\b")
_PIECES = r"(?:step|it|iter|iteration|batch|epoch|sample|record|doc|frame|item)s?"
_BYTES = r"(?i:[kmgt]?i?b(?:its?|ytes?)?|packets)"  # small files and large ones come at different rates
_RATE = re.compile(
    rf"(?<![\w.])(?P<value>{_VALUE})\s?(?P<name>(?P<cost>m?s/{_PIECES})"
    rf"|(?!{_BYTES}/)[A-Za-z]{{1,10}}/(?:s|sec|second|min|h)"
    r"|/s(?:ec)?|fps|[a-z]{1,10} per sec(?:ond)?)\b"
)
_COUNTS = (ValueKind.QUANTITY, ValueKind.REJECTED)
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# The less of it, the better.
_BAD = re.compile(r"(?i)error|fail|miss|false|drop|penalt|violat|timeout|retr(?:y|ies)|duplicat|wast|lost")
# The loss that is trained; a part of it, such as that of an added task, may be switched off.
_LOSS = re.compile(r"(?i)(?:(?:train(?:ing)?|lm|total|avg|mean|step|ce|val|eval)[/_. ])*loss(?:es)?")
_QUALITY = words_in(
    """
    reward rewards rew acc accuracy success score bleu psnr ssim recall precision objective return
    """
)
_RATES = words_in("throughput rate speed fps ips qps sec")
_ACCEPTED = words_in("accepted passed kept matched valid ok solved produced emitted inserted")
_REJECTED = words_in(
    """
    rejected rejects wrong failed orphan orphans unmatched invalid bad corrupt refused quarantined malformed
    """
)
_LIMITS = words_in("best min lowest initial threshold max limit target clip patience scale learning lr total")
