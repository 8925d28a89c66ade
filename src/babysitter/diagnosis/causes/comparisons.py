"""Small spellings inside playbooks: comparisons, windows, scopes, progress tests."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from babysitter.model.progress import Motion

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_UNIT_S = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)\s*(s|m|min|h|d|)$")
_TEST = re.compile(r"([a-z_]+)\s*(>=|<=|!=|==|>|<)\s*(\S+)$")

_WHERE = re.compile(r"([a-z]\w*)\s*(>=|<=|!=|==|>|<)\s*([a-z]\w*|-?\d+(?:\.\d+)?)$")
_AMOUNT = re.compile(r"(-?\d[\d,]*\.?\d*)\s*([A-Za-z]*)")
_PREFIXES = "kmgtp"
_BYTES = {f"{name}b": 1000.0**power for power, name in enumerate(_PREFIXES, 1)}
_BYTES |= {f"{name}ib": 1024.0**power for power, name in enumerate(_PREFIXES, 1)}

COMPARED_PROGRESS = (
    "done", "total", "in_flight", "queued", "alive", "workers", "gone",
    "done_ratio", "dead_ratio", "alive_ratio", "quiet_s",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number held against others: `137`, `[137, -9]`, `"> 128"`, `"> 15m"`."""

    operator: str  # one of the comparison signs, or "in"
    values: tuple[float, ...]

    def holds(self, value: float) -> bool:
        if self.operator == "in":
            return value in self.values
        return _OPERATORS[self.operator](value, self.values[0])

    def __str__(self) -> str:
        numbers = ", ".join(f"{value:g}" for value in self.values)
        return f"one of {numbers}" if self.operator == "in" else f"{self.operator} {numbers}"


@dataclass(frozen=True, slots=True)
class Window:
    """How close together lines must be; exactly one of the two is given."""

    seconds: float | None = None
    lines: int | None = None

    def __str__(self) -> str:
        return f"{self.lines} lines" if self.lines is not None else f"{self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class ProgressTest:
    """Either a motion (`stuck`) or a comparison (`dead_ratio > 0.5`)."""

    motion: Motion | None = None
    field: str = ""
    comparison: Comparison | None = None

    def __str__(self) -> str:
        return self.motion.value if self.motion else f"{self.field} {self.comparison}"


def parse_comparison(value: Any) -> Comparison:
    """Understand a comparison. Raises ValueError."""
    if isinstance(value, Comparison):
        return value
    if isinstance(value, bool):
        raise ValueError(f"{value} is not a number")
    if isinstance(value, int | float):
        return Comparison("in", (float(value),))
    if isinstance(value, list) and value and all(isinstance(n, int | float) for n in value):
        return Comparison("in", tuple(float(n) for n in value))
    if isinstance(value, str):
        sign = next((sign for sign in _OPERATORS if value.strip().startswith(sign)), "")
        number = _number(value.strip().removeprefix(sign).strip())
        if number is not None:
            return Comparison(sign or "in", (number,))
    raise ValueError(f'{value!r} is no comparison; write 137, [137, -9], "!= 0" or "> 15m"')


def parse_window(value: Any) -> Window | None:
    """Understand `5m` or `30 lines`. Raises ValueError."""
    if value is None or isinstance(value, Window):
        return value
    text = str(value).strip()
    if text.endswith(("lines", "line")):
        count = text.removesuffix("s").removesuffix("line").strip()
        if count.isdigit() and 0 < int(count) <= 10_000:
            return Window(lines=int(count))
    elif (
        isinstance(value, str)
        and (seconds := _number(text)) is not None
        and seconds > 0
        and not text[-1].isdigit()
    ):
        return Window(seconds=seconds)
    raise ValueError(f'{value!r} is no window; write "30 lines", "90s", "5m" or "2h"')


@dataclass(frozen=True, slots=True)
class CaptureTest:
    """Two captured numbers, or one and a constant, compared: `need_gb > largest_gb`, `n >= 30`."""

    left: str
    operator: str
    right: str

    @property
    def names(self) -> tuple[str, ...]:
        """The captures that it names."""
        return tuple(side for side in (self.left, self.right) if not _NUMBER.match(side))

    def holds(self, captures: Mapping[str, str]) -> bool:
        """Whether it holds; False where a capture is missing or not a number."""
        left, right = (_amount(captures.get(side, side)) for side in (self.left, self.right))
        return left is not None and right is not None and _OPERATORS[self.operator](left, right)


def parse_where(value: Any) -> tuple[CaptureTest, ...]:
    """Understand `need_gb > largest_gb`, or a list of such tests, all to hold. Raises ValueError."""
    tests = value if isinstance(value, list | tuple) else [value]
    return tuple(test if isinstance(test, CaptureTest) else _capture_test(test) for test in tests)


def _capture_test(value: Any) -> CaptureTest:
    found = _WHERE.match(str(value).strip())
    if found is None:
        raise ValueError(f"{value!r} compares nothing; write `need_gb > largest_gb` or `attempt >= 30`")
    return CaptureTest(found[1], found[2], found[3])


def _amount(text: str) -> float | None:
    """The number at the start of a text, in bytes where a unit of memory follows it."""
    found = _AMOUNT.match(text.strip())
    if found is None:
        return None
    scale = _BYTES.get(found[2].lower(), 1.0)
    return float(found[1].replace(",", "").rstrip(".")) * scale


def parse_progress(value: Any) -> tuple[ProgressTest, ...]:
    """Understand `stuck`, `dead_ratio > 0.5`, or a list of such tests, all of which must hold."""
    tests = value if isinstance(value, list | tuple) else [value]
    return tuple(test if isinstance(test, ProgressTest) else _progress_test(test) for test in tests)


def _progress_test(value: Any) -> ProgressTest:
    text = str(value).strip()
    if text in [motion.value for motion in Motion]:
        return ProgressTest(motion=Motion(text))
    found = _TEST.match(text)
    if found and found[1] in COMPARED_PROGRESS:
        return ProgressTest(field=found[1], comparison=parse_comparison(found[2] + found[3]))
    motions = ", ".join(motion.value for motion in Motion)
    raise ValueError(
        f"{text!r} is no progress test; write one of {motions}, or compare {', '.join(COMPARED_PROGRESS)}"
    )


def _number(text: str) -> float | None:
    found = _NUMBER.match(text)
    return float(found[1]) * _UNIT_S[found[2]] if found else None
