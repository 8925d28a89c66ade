"""Scenarios: YAML files that say what a job does, what befalls it, and what it does when started again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import yaml


class ScenarioFault(ValueError):
    """A scenario that cannot be played; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`shards` pieces of work that take `shard_s` each, give or take `jitter`."""

    ops: str
    shards: int = 0
    shard_s: float = 10.0
    jitter: float = 0.15
    skip: bool = False  # a stage without work: only its number is used up
    items: int = 1  # per shard
    noise: int = 0  # lines that say nothing, per progress line
    fails: Fault | None = None
    slow: Slow | None = None
    stuck: tuple[int, ...] = ()  # shards that never come back: they wait in `accept`
    killed: tuple[int, ...] = ()  # shards whose own process the kernel kills, each time


@dataclass(frozen=True, slots=True)
class Fault:
    """One shard's user function raises."""

    shard: int
    error: str
    times: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Slow:
    """One shard takes `times` as long as the others."""

    shard: int
    times: float


@dataclass(frozen=True, slots=True)
class Pipeline:
    stages: tuple[Stage, ...]
    workers: int = 3
    workers_wait_s: float = 0.5
    workers_reason: str = "Pending scheduler feedback"
    worker_memory: str = "512MB"
    ends: str = "well"  # well, leaked-thread, main-raised: the last two are zombies
    crash: str = ""  # an exception that ends the coordinator before its first stage
    crash_attempts: int = 0  # how many attempts of this pipeline end so


@dataclass(frozen=True, slots=True)
class Step:
    """Part of a plain program: wait, print, perhaps over and over."""

    say: str = ""
    every_s: float = 1.0
    times: int = 1
    source: str = "stdout"
    memory_mb: int = 0  # what the process holds from here on


@dataclass(frozen=True, slots=True)
class Exit:
    code: int = 0
    error: str = ""  # what the cluster says; empty: it quotes the last line of stderr
    traceback: str = ""  # the exception line of a traceback printed before


@dataclass(frozen=True, slots=True)
class Root:
    """A job somebody submits: what it is called, what it asks for, what it does."""

    user: str = "ada"
    name: str = "dedup"
    argv: tuple[str, ...] = ("python", "dedup.py")
    env: Mapping[str, str] = dataclasses.field(default_factory=dict)
    memory: str = "5GB"
    cpu: float = 0.0  # 0: the generation's own default
    max_retries: int = 0
    wait_s: float = 0.5
    pending_reason: str = "Pending scheduler feedback"
    context: str = "dedup"  # part of the names of its coordinators
    pipelines: tuple[Pipeline, ...] = ()  # none: a plain program
    pause_s: float = 1.0  # between two pipelines
    says: tuple[Step, ...] = ()  # a plain program
    exits: Exit = dataclasses.field(default_factory=Exit)
    exits_by_attempt: tuple[Exit, ...] = ()
    children: tuple[Root, ...] = ()  # jobs that a plain program starts one after another, and waits for

    @property
    def id(self) -> str:
        return f"/{self.user}/{self.name}"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that befalls the first run, `at_s` after its submission; `every_s` repeats it `times`.

    What is done to the controller or its database lasts `for_s`, or for ever; a worker that loses its
    machine waits so long for another.
    """

    at_s: float
    do: str
    worker: int = 0
    exit: int = -9
    error: str = ""
    for_s: float = 0.0
    every_s: float = 0.0
    times: int = 1


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    about: str
    root: Root
    events: tuple[Event, ...] = ()
    on_relaunch: tuple[Relaunch, ...] = ()
    machines: int = 3
    copies: int = 0  # further jobs of the same program, called <root>-1, <root>-2, ...
    programs: tuple[KnownProgram, ...] = ()  # what other submitted commands do: the first that fits


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """What a command does that holds this text and has these variables ("" = not set, * = set)."""

    command: str
    root: Root
    env: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relaunch:
    """What a later run of the same program does: the first entry whose condition holds."""

    root: Root
    memory_at_least: str = ""


DEEDS = frozenset(
    {
        "kill-parent",
        "kill-coordinator",
        "stop-coordinator",
        "kill-worker",
        "lose-worker",
        "stop-root",
        "controller-down",
        "controller-ill",
        "controller-busy",
        "controller-hangs",
        "logs-forgotten",
        "jobs-forgotten",
    }
)


def names() -> list[str]:
    """The shipped scenarios, sorted."""
    folder = files("babysitter.sim.iris").joinpath("scenarios")
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")
    )


def load(name: str) -> Scenario:
    """A shipped scenario by its name, or any other by the path of its file."""
    if name.endswith((".yaml", ".yml")):
        try:
            return parse(Path(name).read_text(encoding="utf-8"), name)
        except (OSError, UnicodeDecodeError) as error:
            raise ScenarioFault(f"{name} cannot be read: {error}.") from error
    file = files("babysitter.sim.iris").joinpath("scenarios", f"{name}.yaml")
    if not file.is_file():
        raise ScenarioFault(f"There is no scenario '{name}'; known are {', '.join(names())}.")
    return parse(file.read_text(encoding="utf-8"), f"{name}.yaml")


def parse(text: str, place: str) -> Scenario:
    """Read a scenario; what a relaunch leaves unsaid it takes over from the first run."""
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScenarioFault(f"{place} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("root"), dict):
        raise ScenarioFault(f"{place}: a scenario is a mapping with a `root` job.")
    relaunches = raw.get("on_relaunch") or []
    raw["on_relaunch"] = [
        {
            "memory_at_least": entry.get("memory_at_least", ""),
            "root": {**raw["root"], **entry.get("root", {})},
        }
        for entry in relaunches
    ]
    raw.setdefault("name", Path(place).stem)
    scenario = _build(Scenario, raw, place)
    assert isinstance(scenario, Scenario)
    for event in scenario.events:
        if event.do not in DEEDS:
            raise ScenarioFault(f"{place}: events: {event.do!r} is none of {', '.join(sorted(DEEDS))}.")
    return scenario


def _build(kind: Any, value: Any, place: str) -> Any:
    """Turn parsed YAML into the dataclass, tuple or scalar that `kind` names."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, place)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        if not isinstance(value, list):
            raise ScenarioFault(f"{place}: expected a list, found {value!r}.")
        return tuple(_build(arguments[0], item, f"{place}[{index}]") for index, item in enumerate(value))
    if origin in (Union, UnionType):
        inner = next(argument for argument in arguments if argument is not type(None))
        return None if value is None else _build(inner, value, place)
    if origin is not None:  # a mapping of texts
        return {str(key): str(item) for key, item in dict(value).items()}
    if kind is float and isinstance(value, int):
        return float(value)
    if not isinstance(value, kind):
        raise ScenarioFault(f"{place}: expected {kind.__name__}, found {value!r}.")
    return value


def _record(kind: type, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise ScenarioFault(f"{place}: expected a mapping, found {value!r}.")
    hints = get_type_hints(kind)
    unknown = sorted(set(value) - set(hints))
    if unknown:
        raise ScenarioFault(f"{place}: unknown key {unknown[0]!r}; known are {', '.join(sorted(hints))}.")
    try:
        return kind(**{key: _build(hints[key], item, f"{place}: {key}") for key, item in value.items()})
    except TypeError as error:
        raise ScenarioFault(f"{place}: {error}.") from error
