"""The data of the checks, read from `data/*.yaml` once: options, limits and types by generation."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import yaml

GENERATIONS = ("april", "may", "august")
COMMON_PROGRAMS = ("python", "python3", "bash", "torchrun", "accelerate", "deepspeed")
_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command. `takes`: how many words follow it. `type`: int, float, size or "" for text."""

    names: tuple[str, ...]
    takes: int
    type: str = ""
    choices: tuple[str, ...] = ()
    generations: tuple[str, ...] = GENERATIONS


@dataclass(frozen=True, slots=True)
class OptionTable:
    """The options before `job run`, those of `job run`, and the words that people write instead."""

    program: tuple[Option, ...]
    run: tuple[Option, ...]
    meant: Mapping[str, tuple[str, ...]]

    def run_options(self, generation: str) -> tuple[Option, ...]:
        """The options of `job run` in this generation; "" = those that any generation knows."""
        return tuple(option for option in self.run if not generation or generation in option.generations)


@dataclass(frozen=True, slots=True)
class ExtraResources:
    """From which sizes on, and for which options, `flag` is demanded."""

    flag: str
    sizes: Mapping[str, str]
    accelerators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClientAge:
    """How old a client may be. `undated`: what stands for a missing date; None = such a client passes."""

    days: int
    measured_from: str  # today, controller-build
    undated: date | None


@dataclass(frozen=True, slots=True)
class ClientLimits:
    extra_resources: ExtraResources
    max_bundle_bytes: int
    client_age: Mapping[str, ClientAge | None]  # by generation; None = not checked


@dataclass(frozen=True, slots=True)
class BundleRules:
    """What is left out besides ignored files, and the patterns of ignored files that are added."""

    folders: tuple[str, ...]
    suffixes: tuple[str, ...]
    folder_suffixes: tuple[str, ...]
    file_patterns: Mapping[str, tuple[str, ...]]  # by generation
    added: tuple[str, ...]


@cache
def option_table() -> OptionTable:
    raw = _read("flags.yaml")
    meant = {word: tuple(options) for word, options in raw["meant"].items()}
    return OptionTable(_options(raw["program"]), _options(raw["run"]), meant)


@cache
def limits() -> ClientLimits:
    raw = _read("limits.yaml")
    extra = raw["extra_resources"]
    return ClientLimits(
        extra_resources=ExtraResources(extra["flag"], extra["sizes"], tuple(extra["accelerators"])),
        max_bundle_bytes=raw["bundle"]["max_mib"] * 1024 * 1024,
        client_age={generation: _client_age(row) for generation, row in raw["client_age"].items()},
    )


@cache
def bundle_rules() -> BundleRules:
    raw = _read("bundle.yaml")
    left_out = raw["left_out"]
    return BundleRules(
        folders=tuple(left_out["folders"]),
        suffixes=tuple(left_out["suffixes"]),
        folder_suffixes=tuple(left_out["folder_suffixes"]),
        file_patterns={key: tuple(names) for key, names in left_out["file_patterns"].items()},
        added=tuple(raw["added"]),
    )


@cache
def gpu_names(generation: str) -> tuple[str, ...]:
    """GPU names of this generation; "" = those that any generation knows."""
    names = _read("types.yaml")["gpus"]
    wanted = [generation] if generation else list(names)
    return tuple(dict.fromkeys(name for table in wanted for name in names[table]))


@cache
def absent_programs() -> frozenset[str]:
    """Programs that the image of tasks does not have."""
    return frozenset(_read("image.yaml")["absent"])


@dataclass(frozen=True, slots=True)
class TpuType:
    """`machines`: of one slice, each of which runs one task. `chips`: per machine."""

    name: str
    machines: int
    chips: int


@cache
def tpu_types() -> Mapping[str, TpuType]:
    """The TPU types that clients know, by name."""
    families = _read("types.yaml")["tpus"].values()
    return {
        name: TpuType(name, machines, chips)
        for family in families
        for name, (machines, chips) in family.items()
    }


def _client_age(row: Mapping[str, Any] | None) -> ClientAge | None:
    if row is None:
        return None
    return ClientAge(row["days"], row["measured_from"], row.get("undated"))


def _options(rows: list[dict[str, Any]]) -> tuple[Option, ...]:
    return tuple(
        Option(
            names=tuple(row["names"]),
            takes=row["takes"],
            type=row.get("type", ""),
            choices=tuple(row.get("choices", ())),
            generations=tuple(row.get("in", GENERATIONS)),
        )
        for row in rows
    )


def _read(name: str) -> Any:
    return yaml.safe_load((_DATA / name).read_text(encoding="utf-8"))
