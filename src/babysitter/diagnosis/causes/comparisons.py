"""Small spellings inside playbooks: comparisons, windows, scopes, progress tests."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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
class Scope:
    """Where an explanation reaches.

    line: the same line. unit: the same traceback, with the line that announces it. lines: that many lines
    before and after in the same task. task: the whole log of the task. everywhere: all that is read together.
    """

    kind: Literal["line", "unit", "lines", "task", "everywhere"]
    lines: int = 0


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


def parse_scope(value: Any) -> Scope:
    """Understand a scope. Raises ValueError."""
    if isinstance(value, Scope):
        return value
    if value in ("line", "unit", "task", "everywhere"):
        return Scope(value)
    try:
        window = parse_window(value)
    except ValueError:
        window = None
    if window is None or window.lines is None:
        raise ValueError(f'{value!r} is no scope; write line, unit, task, everywhere or "20 lines"')
    return Scope("lines", window.lines)


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
