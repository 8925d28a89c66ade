"""The shape of a ladder file, as YAML has it. Every mistake is a validation error with its place."""

import itertools
import shlex
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from babysitter.model.duration import duration_s
from babysitter.model.limits import Limits

MAX_NODES = 50_000
_NAME = r"^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$"


def _seconds(value: object) -> object:
    """`10m` as seconds."""
    if isinstance(value, str):
        found = duration_s(value)
        if found is None:
            raise ValueError("must be a duration such as 30m or 2h")
        return found
    return value


def _words(value: object) -> object:
    """One text where several may stand."""
    return [value] if isinstance(value, (str, int)) else value


def _text(value: object) -> object:
    """A number or nothing where a text is meant; true and false are not numbers."""
    if value is None:
        return ""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _value(value: object) -> object:
    """As _text; nothing stays nothing: to be given on the command line."""
    return None if value is None else _text(value)


def _command(value: object) -> object:
    """A line as a shell splits it, or its words."""
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as fault:
        raise ValueError(f"cannot be split as a shell does: {str(fault).lower()}") from fault


Seconds = Annotated[float, BeforeValidator(_seconds), Field(ge=0)]
Text = Annotated[str, BeforeValidator(_text)]
Several = Annotated[tuple[Text, ...], BeforeValidator(_words)]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class CheckPart(Part):
    """Exactly one of state, line, file, metric and steps."""

    state: Literal["succeeded", "failed", "killed"] | None = None
    line: Text | None = None
    file: Text | None = None
    metric: Text | None = None
    steps: Annotated[int, Field(ge=1)] | None = None
    contains: Text = ""
    at_least: float | None = None
    at_most: float | None = None
    fresh: bool = True
    required: bool = True
    means: Text = ""

    @model_validator(mode="after")
    def _is_one(self) -> "CheckPart":
        kinds = ("state", "line", "file", "metric", "steps")
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(
                f"must have exactly one of {', '.join(kinds)}, not {' and '.join(given) or 'none'}"
            )
        (kind,) = given
        if getattr(self, kind) == "":
            raise ValueError(f"it names nothing: {kind} is empty")
        if kind != "file" and (self.contains or not self.fresh):
            raise ValueError("only a file can have contains or fresh")
        bounds = (self.at_least is not None) + (self.at_most is not None)
        if kind != "metric" and bounds:
            raise ValueError("only a metric can have at_least or at_most")
        if kind == "metric" and not bounds:
            raise ValueError("a metric needs at_least or at_most")
        return self


class ResourcesPart(Part):
    """As the options of `babysit submit`."""

    tpu: Several = ()
    gpu: Text = ""
    cpu: Annotated[float, Field(ge=0)] | None = None
    memory: Text = ""
    disk: Text = ""
    replicas: Annotated[int, Field(ge=1)] | None = None
    region: Several = ()
    zone: Text = ""
    extra: Several = ()
    reserve: Several = ()
    priority: Text = ""
    preemptible: bool | None = None
    max_retries: Annotated[int, Field(ge=0)] = 0
    timeout: Seconds = 0
    ports: Several = ()
    constraint: Several = ()
    coscheduling_timeout: Seconds = 0
    scale_group: Text = ""
    auto: bool = False
    user: Text = ""


class WatchPart(Part):
    owner: Text = ""
    limits: dict[str, Seconds] = {}

    @model_validator(mode="after")
    def _are_limits(self) -> "WatchPart":
        known = Limits.__dataclass_fields__
        if unknown := sorted(set(self.limits) - set(known)):
            raise ValueError(f"there are no such limits: {', '.join(unknown)}")
        Limits(**self.limits)  # type: ignore[arg-type]  # raises ValueError for numbers that make no sense
        return self


class StepPart(Part):
    name: Annotated[str, Field(pattern=_NAME)]
    command: Annotated[tuple[Text, ...], BeforeValidator(_command), Field(min_length=1)]
    on: Literal["cluster", "local"] = "cluster"
    about: Text = ""
    env: dict[str, Text] = {}
    resources: ResourcesPart = ResourcesPart()
    watch: WatchPart = WatchPart()
    success: Annotated[tuple[CheckPart, ...], Field(min_length=1)] = (CheckPart(state="succeeded"),)
    time_limit: Seconds = 0
    retries: Annotated[int, Field(ge=0, le=10)] = 0


class LadderPart(Part):
    """`on` is read by YAML 1.1 as a truth value; the reader of the file repairs it."""

    ladder: Annotated[str, Field(pattern=_NAME)]
    about: Text = ""
    values: dict[str, Annotated[str | None, BeforeValidator(_value)]] = {}
    steps: Annotated[tuple[StepPart, ...], Field(min_length=1, max_length=50)]


def repaired(raw: Any) -> Any:
    """The parsed document with `on:` as the word that was written: YAML 1.1 reads it as true.

    Raises ValueError for one whose aliases make it larger than any ladder, or without end.
    """
    return _repaired(raw, itertools.count())


def _repaired(raw: Any, nodes: Iterator[int]) -> Any:
    if next(nodes) > MAX_NODES:
        raise ValueError(f"its aliases make more than {MAX_NODES:,} values of it")
    if isinstance(raw, dict):
        return {("on" if key is True else key): _repaired(value, nodes) for key, value in raw.items()}
    if isinstance(raw, list):
        return [_repaired(value, nodes) for value in raw]
    return raw
