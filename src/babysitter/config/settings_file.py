"""A settings file as plain values with their places; what cannot be read is told with line and column."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from babysitter.errors import BadConfig

MAX_BYTES = 1 << 20
MAX_DEPTH = 20
MAX_VALUES = 20_000

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """`places`: where each value stands, as `FILE, line N`. `faults`: what no reader should pass over."""

    values: dict[str, Any]
    places: Mapping[Keys, str]
    faults: tuple[str, ...] = ()


def read_settings_file(path: Path) -> SettingsFile:
    """YAML, or TOML where the name ends so. Raises BadConfig."""
    try:
        text = _text(path)
        if path.suffix == ".toml":
            return SettingsFile(tomllib.loads(text), {})
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        lines = list(islice(_lines(node), MAX_VALUES + 1))
        if len(lines) > MAX_VALUES:
            raise ValueError("it holds too many values")
        values = yaml.safe_load(text)
    except OSError as fault:
        raise BadConfig(
            f"The settings file {path} cannot be read: {fault.strerror}.",
            next_step="Name another with --settings or $BABYSIT_CONFIG; `babysit init` writes one.",
        ) from fault
    except (yaml.YAMLError, tomllib.TOMLDecodeError, ValueError, RecursionError) as fault:
        raise BadConfig(
            f"The settings file {path} cannot be read: {_sentence(fault)}.",
            next_step="Correct it there; `babysit init` writes one that can be read.",
        ) from fault
    if values is None:
        return SettingsFile({}, {})
    if not isinstance(values, dict):
        raise BadConfig(
            f"The settings file {path} must hold names with values, not {_kind(values)}.",
            next_step="`babysit init` writes one to begin with.",
        )
    places: dict[Keys, str] = {}
    faults: list[str] = []
    for keys, line in lines:
        if keys in places:
            faults.append(f"{path}, line {line}: {'.'.join(keys)}: stands here for the second time")
        places[keys] = f"{path}, line {line}"
    return SettingsFile(values, places, tuple(faults))


def _kind(values: object) -> str:
    return "a list" if isinstance(values, list) else "a single value"


def _text(path: Path) -> str:
    with path.open("rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 10} kB")
    return raw.decode("utf-8")


def _lines(node: yaml.Node | None, at: Keys = ()) -> Iterator[tuple[Keys, int]]:
    """The line of every key of a YAML document. Raises ValueError where it has no end."""
    if len(at) > MAX_DEPTH:
        raise ValueError("its values are nested too deeply, or hold themselves")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*at, str(key.value))
            yield here, key.start_mark.line + 1
            yield from _lines(value, here)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*at, str(index)), value.start_mark.line + 1
            yield from _lines(value, (*at, str(index)))


def _sentence(fault: Exception) -> str:
    match fault:
        case yaml.MarkedYAMLError(problem=str(problem), problem_mark=yaml.Mark() as mark):
            return f"line {mark.line + 1}, column {mark.column + 1}: {problem}"
        case UnicodeDecodeError():
            return f"it is not text in UTF-8 (byte {fault.start})"
        case yaml.reader.ReaderError():
            return f"it holds a character that is not allowed, at position {fault.position}"
        case RecursionError():
            return "its values are nested too deeply"
        case _:
            return " ".join(str(fault).split())
