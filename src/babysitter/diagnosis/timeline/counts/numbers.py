"""Numbers in a message: the wording around them, and which of them may count work."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.counts.work_words import (
    counts_work,
    is_progress_line,
    is_state,
    is_unit,
    measures_else,
)

MAX_TEMPLATE_CHARACTERS = 100  # they tell wordings apart
MAX_NUMBERS = 12  # of one line; a longer row of numbers is data
MAX_CHARACTERS = 400
MAX_COUNT = 1e15


class SlotKind(StrEnum):
    """Why a number may count work."""

    FRACTION = "fraction"
    WORK = "work"  # a word of work names it
    OTHER = "other"  # nothing says what it is; only its course can


class Slot(NamedTuple):
    """Where a wording holds a number that may count work: spans in the message, factors of its units."""

    kind: SlotKind
    start: int
    end: int
    factor: float = 1.0
    total_start: int = 0  # of a fraction such as 12/900; a percentage has none
    total_end: int = 0
    total_factor: float = 1.0

    def read(self, message: str) -> tuple[float, float | None] | None:
        """Return the number and, of a fraction, its total; None for a fraction above one."""
        value = _value(message[self.start : self.end], self.factor)
        if self.kind is not SlotKind.FRACTION:
            return value, None
        total = (
            _value(message[self.total_start : self.total_end], self.total_factor) if self.total_end else 100.0
        )
        return (value, total) if value <= total else None


class Wording(NamedTuple):
    """A message without its numbers, and which of them may count work."""

    template: str
    slots: tuple[Slot, ...]
    is_progress: bool  # False: the line speaks of retrying, waiting or failing


def read_wording(message: str) -> Wording | None:
    """Return the wording of a message; None when no number of it can count work."""
    return _wording(without_digits(message[:MAX_CHARACTERS]))


@lru_cache(maxsize=4096)
def _wording(skeleton: str) -> Wording | None:
    """The wording of a message whose digits are all zeros: messages of one shape are read once."""
    if "0" not in skeleton:
        return None
    found: list[re.Match[str]] = []

    def mask(match: re.Match[str]) -> str:
        if match.lastgroup in ("number", "fraction"):
            found.append(match)
            return "#"
        if match.lastgroup == "quote" and " " not in match[0]:
            return match[0]
        return "" if match.lastgroup == "bar" else "~"

    template = _IDENTIFIER.sub("~", _ATOM.sub(mask, skeleton))
    if len(found) > MAX_NUMBERS:
        return None
    slots = tuple(slot for match in found if (slot := _slot(skeleton, match)) is not None)
    if not slots:
        return None
    return Wording(template[:MAX_TEMPLATE_CHARACTERS], slots, is_progress_line(skeleton))


def _slot(message: str, match: re.Match[str]) -> Slot | None:
    if match.lastgroup == "number":
        kind = _kind(
            message, match.start(), match.end(), is_bare=match["digits"].isdigit() and not match["unit"]
        )
        return Slot(kind, *match.span("digits"), _factor(match["unit"])) if kind else None
    kind = _kind(message, match.start(), match.end(), is_fraction=True)
    if kind is None:
        return None
    if match["percent"]:
        return Slot(kind, *match.span("percent"))
    return Slot(
        kind,
        *match.span("done"),
        _factor(match["done_unit"]),
        *match.span("total"),
        _factor(match["total_unit"]),
    )


def _kind(
    message: str, start: int, end: int, *, is_fraction: bool = False, is_bare: bool = False
) -> SlotKind | None:
    name = _NAME_BEFORE.search(message[max(0, start - 40) : start])
    unit = _NAME_AFTER.match(message[end : end + 30])
    named = _words(name["name"]) if name else []
    counted = _words(unit["name"]) if unit else []
    is_assigned = bool(name and name["sign"])
    deciding = named if is_assigned else counted
    if is_assigned and measures_else(named):
        return None
    is_named = is_unit(named) and not is_state(counted)  # "step 12 loss 2.1", not "tasks: 12 failed"
    if measures_else(counted) and not is_named:
        return None
    if measures_else(named) and not (is_named or counts_work(counted)):
        return None
    if is_fraction:
        return SlotKind.FRACTION
    if counts_work(deciding) or (not is_assigned and counts_work(named)):
        return SlotKind.WORK
    return SlotKind.OTHER if is_bare else None


def _words(name: str) -> list[str]:
    """The last two words of a name: `train/global_step` is `global step`."""
    return [word for word in re.split(r"[^a-z]+", name.lower()) if word][-2:]


def _factor(unit: str | None) -> float:
    return _FACTORS.get((unit or "").strip()[:1].lower(), 1.0)


def _value(digits: str, factor: float) -> float:
    text = digits.replace(",", "").replace("_", "")
    return min(float(text) * factor, MAX_COUNT) if len(text) < 20 else MAX_COUNT


_FACTORS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_N = r"\d[\d,_]*(?:\.\d+)?"
_UNIT = (
    r"\s?[kKMGT]i?[Bb](?![A-Za-z])|[kKMGT](?:it|ex|tok|steps?|samples?)?(?![A-Za-z])|(?:it|ex)(?![A-Za-z])"
)
# A number stands alone: it is not part of a word, a version, an address or a path.
_ALONE = r"(?<![A-Za-z0-9_.])(?<!\d[,:])"
_DURATION = rf"{_ALONE}{_N}\s?(?:[munµ]?s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hrs?|hours?|d|days?)\b"
_NUMBERED = r"(?<![A-Za-z])(?:(?<=step[-_])|(?<=epoch[-_])|(?<=iter[-_])|(?<=chunk[-_]))"
_ATOM = re.compile(
    r'(?=["\d+\-\[ |█▉▊▋▌▍▎▏░▒▓━╸╺])(?:'
    r'(?P<quote>"[^"]{0,300}")'
    r"|(?P<bar>(?<=%)\s?\|[^|]{0,200}\||[█▉▊▋▌▍▎▏░▒▓━╸╺]+[ ]*|\[[=>#.\- ]{5,}\])"
    r"|(?P<time>\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)?Z?"
    r"|\b\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d+)?\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b\d+\.\d+\.\d+\S*)"
    rf"|(?P<rate>{_ALONE}[+-]?{_N}\s?[A-Za-z]{{0,8}}/(?:s|sec|it|iter|min|h|step|hr|hour|second|minute)\b)"
    rf"|(?P<duration>{_DURATION}(?:\s?{_N}[mshd]\b)*)"
    r"|(?P<measure>(?<![A-Za-z_])[-+]\d[\d.]*(?:[eE][-+]?\d+)?|\d[\d.]*[eE][-+]?\d+)"
    rf"|(?P<fraction>{_ALONE}(?:(?P<percent>\d{{1,3}}(?:\.\d+)?)\s?%"
    rf"|(?P<done>{_N})(?P<done_unit>{_UNIT})?\s?(?:/|\bof\b|\bout of\b)\s?"
    rf"(?P<total>{_N})(?P<total_unit>{_UNIT})?)(?![A-Za-z0-9/]))"
    rf"|(?P<number>(?:{_ALONE}|{_NUMBERED})(?P<digits>{_N})(?P<unit>{_UNIT})?(?![A-Za-z0-9_]|[-.:/]\d)))"
)
_IDENTIFIER = re.compile(r"[\w.-]*\d[\w.-]*")
_NAME_BEFORE = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z][\w/-]*)?)"
    r"['\"]?\s{0,3}(?P<sign>['\"]?\s*[:=|]\s*|)[\s(\[#'\"]{0,3}$"
)
_NAME_AFTER = re.compile(
    r"['\"]?\s{0,2}(?P<name>[A-Za-z][A-Za-z_-]*+(?!\s?[:=])(?: [A-Za-z][a-z-]+(?![\w-]*\s?[:=]))?)"
)
