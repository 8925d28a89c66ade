"""What a ladder file says: steps in order, each with a command and with what proves its success."""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from babysitter.launch.submit_options import SubmitOptions

CLUSTER, LOCAL = "cluster", "local"
PLACES = (CLUSTER, LOCAL)  # another kind of place is a word here, and a row in usecases/ladders/run_ladder.py


class CheckKind(StrEnum):
    STATE = "state"
    LINE = "line"
    FILE = "file"
    METRIC = "metric"
    STEPS = "steps"


@dataclass(frozen=True, slots=True)
class SuccessCheck:
    """One demand. `text`: the state, a part of the line, the file's path or address, the metric's name.

    `contains`: text that the file must hold. `at_least`, `at_most`: of a metric, or the steps to reach.
    `is_fresh`: the file must be younger than the step. `meaning`: what a failure means, for a person.
    """

    kind: CheckKind
    text: str = ""
    contains: str = ""
    at_least: float | None = None
    at_most: float | None = None
    is_fresh: bool = True
    is_required: bool = True
    meaning: str = ""

    @property
    def name(self) -> str:
        """The demand in words."""
        match self.kind:
            case CheckKind.STATE:
                return f"the job ends as {self.text}"
            case CheckKind.LINE:
                return f"a line contains {self.text!r}"
            case CheckKind.FILE:
                content = f" and contains {self.contains!r}" if self.contains else ""
                return f"{self.text} exists{content}"
            case CheckKind.METRIC:
                return f"{self.text} is {self._bounds}"
            case CheckKind.STEPS:
                return f"{self.at_least:g} steps are reached"

    @property
    def _bounds(self) -> str:
        words = [f"at least {self.at_least:g}"] if self.at_least is not None else []
        words += [f"at most {self.at_most:g}"] if self.at_most is not None else []
        return " and ".join(words)


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


@dataclass(frozen=True, slots=True)
class LadderStep:
    """`options`: as `submit` takes them, without a name. `limits`: of the watch, on top of the settings'.

    `time_limit_s`: 0 = none.
    """

    name: str
    options: SubmitOptions
    checks: tuple[SuccessCheck, ...]
    place: str = CLUSTER
    about: str = ""
    owner: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    time_limit_s: float = 0.0
    retries: int = 0

    @property
    def digest(self) -> str:
        """Changes with what is run and with what is demanded."""
        said: dict[str, Any] = {"options": asdict(self.options), "place": self.place}
        said["checks"] = [asdict(check) for check in self.checks]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def settings(self) -> tuple[str, ...]:
        """What is run and demanded, a line for each setting. Not redacted."""
        given = asdict(self.options)
        lines = [shlex.join(given.pop("command")), f"on: {self.place}"]
        lines += [shlex.join(("-e", *pair)) for pair in given.pop("variables")]
        lines += [
            f"{name}: {_words(value)}" for name, value in given.items() if value not in ((), "", 0, None)
        ]
        return (*lines, *(f"success: {check.name}" for check in self.checks))

    def with_variables(self, variables: Mapping[str, str]) -> "LadderStep":
        """The step with these environment variables on top of its own."""
        if not variables:
            return self
        own = {pair[0]: pair[1] if len(pair) > 1 else "" for pair in self.options.variables}
        merged = tuple((name, value) for name, value in {**own, **variables}.items())
        return replace(self, options=replace(self.options, variables=merged))


@dataclass(frozen=True, slots=True)
class Ladder:
    """`values`: what `${NAME}` stands for; None = to be given on the command line."""

    name: str
    file: Path
    steps: tuple[LadderStep, ...]
    about: str = ""
    values: Mapping[str, str | None] = field(default_factory=dict)
