"""The tables of `playbooks/startup/`: phases of a start, their lines and usual durations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from babysitter.lazy_regex import lazy_regex
from babysitter.model.finding import Cause
from babysitter.shipped import shipped

MAX_HOLE = 60  # characters that a `*` stands for


@dataclass(frozen=True, slots=True)
class Mark:
    """A text in a line. `literal`: its longest part, to be searched for first."""

    literal: str
    regex: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        return self.literal in text and self.regex.search(text) is not None


@dataclass(frozen=True, slots=True)
class StartupStep:
    """A part of a phase that lines of one process tell of."""

    name: str
    begins: tuple[Mark, ...]
    quiet_s: float | None
    advice: str
    follows_full: bool = False


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """A phase; `usual_s`: shortest and longest usual time, None where it has no usual end."""

    name: str
    usual_s: tuple[float, float] | None
    quiet_s: float | None
    advice: str
    begins: tuple[Mark, ...]
    ends: tuple[Mark, ...]
    ends_each: tuple[Mark, ...]
    steps: tuple[StartupStep, ...]

    @property
    def marks(self) -> tuple[Mark, ...]:
        own = (*self.begins, *self.ends, *self.ends_each)
        return (*own, *(mark for step in self.steps for mark in step.begins))


@dataclass(frozen=True, slots=True)
class StartupTable:
    """The start of one program."""

    program: str
    recognised_by: tuple[str, ...]
    phases: tuple[PhaseRow, ...]
    first_advice: Mapping[Cause, str] = field(default_factory=dict)
    unsure: str = ""  # advice where the evidence does not name a cause
    unsure_sets: Mapping[str, str] = field(default_factory=dict)  # variables that make it say more

    @property
    def literals(self) -> frozenset[str]:
        return frozenset(mark.literal for phase in self.phases for mark in phase.marks)


@cache
def shipped_startups() -> tuple[StartupTable, ...]:
    """The tables that come with the program."""
    return tuple(parse_startup(read_startup(path)) for path in startup_files())


def startup_files() -> list[Path]:
    return sorted((shipped() / "startup").glob("*.yaml"))


def read_startup(path: Path) -> Mapping[str, Any]:
    import yaml  # here: commands that judge nothing do without it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: Mapping[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    return document


def parse_startup(document: Mapping[str, Any]) -> StartupTable:
    """A table from its file. Raises KeyError for a row without a name or its first lines."""
    phases = tuple(_phase(row) for row in document["phases"])
    advice = {Cause(name): text for name, text in document.get("first_advice", {}).items()}
    marks = tuple(document["recognised_by"])
    return StartupTable(
        document["program"],
        marks,
        phases,
        advice,
        document.get("unsure", ""),
        document.get("unsure_sets", {}),
    )


def _phase(row: Mapping[str, Any]) -> PhaseRow:
    usual = row.get("usual_s")
    return PhaseRow(
        name=row["name"],
        usual_s=(float(usual[0]), float(usual[1])) if usual else None,
        quiet_s=row.get("quiet_s"),
        advice=row.get("advice", ""),
        begins=_marks(row["begins"]),
        ends=_marks(row.get("ends", ())),
        ends_each=_marks(row.get("ends_each", ())),
        steps=tuple(
            StartupStep(
                step["name"],
                _marks(step["begins"]),
                step.get("quiet_s"),
                step.get("advice", ""),
                step.get("follows_full", False),
            )
            for step in row.get("steps", ())
        ),
    )


def _marks(texts: Sequence[str]) -> tuple[Mark, ...]:
    return tuple(_mark(text) for text in texts)


def _mark(text: str) -> Mark:
    parts = text.split("*")
    pattern = rf".{{0,{MAX_HOLE}}}?".join(re.escape(part) for part in parts)
    return Mark(max(parts, key=len), lazy_regex(pattern))
