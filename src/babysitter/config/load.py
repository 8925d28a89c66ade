"""From a file, the environment and flags to one validated value; every fault named with its place."""

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from babysitter.config.settings import Settings, setting_names
from babysitter.errors import BadConfig

ENVIRONMENT_PREFIX = "BABYSIT_"
FILE_VARIABLE = "BABYSIT_CONFIG"
NOT_SETTINGS = frozenset({FILE_VARIABLE})  # variables of our prefix that mean something else


@dataclass(frozen=True, slots=True)
class _Given:
    """A layer of settings, and where each of its values stands."""

    values: dict[str, Any]
    places: Mapping[tuple[str, ...], str]
    where: str


def load_settings(
    file: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings in force. Raises BadConfig that lists every fault with its place.

    `file` None = $BABYSIT_CONFIG, else config.yaml or config.toml in the XDG config folder, when there is
    one. `flags`: values by dotted name, None = not given.
    """
    variables = os.environ if environment is None else environment
    faults: list[str] = []
    path = file or _default_file(variables)
    layers = [_read_file(path)] if path is not None else []
    layers += [_from_environment(variables, faults), _from_flags(flags or {})]
    merged: dict[str, Any] = {}
    for layer in layers:
        _merge(merged, layer.values)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as wrong:
        faults += [_told(each, layers) for each in wrong.errors()]
    if faults:
        raise BadConfig(
            "\n".join(["These settings do not fit:", *(f"  {each}" for each in faults)]),
            next_step="Correct these places; `babysit init` writes every setting with its default.",
        )
    return settings


def default_config_folder(environment: Mapping[str, str]) -> Path:
    """$XDG_CONFIG_HOME/babysit, or ~/.config/babysit."""
    base = environment.get("XDG_CONFIG_HOME", "")
    home = Path(environment.get("HOME") or Path.home())
    return (Path(base) if base.startswith("/") else home / ".config") / "babysit"


def _default_file(environment: Mapping[str, str]) -> Path | None:
    if named := environment.get(FILE_VARIABLE):
        return Path(named)
    folder = default_config_folder(environment)
    candidates = (folder / name for name in ("config.yaml", "config.yml", "config.toml"))
    return next((each for each in candidates if each.is_file()), None)


def _read_file(path: Path) -> _Given:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return _Given(tomllib.loads(text), {}, str(path))
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except OSError as fault:
        raise BadConfig(
            f"The settings file {path} cannot be read: {fault.strerror}.",
            next_step="Name another with --settings or $BABYSIT_CONFIG; `babysit init` writes one.",
        ) from fault
    except (yaml.YAMLError, tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadConfig(
            f"The settings file {path} cannot be read: {' '.join(str(fault).split())}.",
            next_step="Mend it there; `babysit init` writes one that can be read.",
        ) from fault
    if values is None:
        return _Given({}, {}, str(path))
    if not isinstance(values, dict):
        raise BadConfig(
            f"The settings file {path} must hold names with values, not a {type(values).__name__}.",
            next_step="`babysit init` writes one to begin with.",
        )
    places = {keys: f"{path}, line {line}" for keys, line in _lines(node)}
    return _Given(values, places, str(path))


def _lines(node: yaml.Node | None, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The line of every key of a YAML document."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*at, str(key.value))
            yield here, key.start_mark.line + 1
            yield from _lines(value, here)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*at, str(index)), value.start_mark.line + 1
            yield from _lines(value, (*at, str(index)))


def _from_environment(environment: Mapping[str, str], faults: list[str]) -> _Given:
    known = {ENVIRONMENT_PREFIX + "_".join(keys).upper(): keys for keys in setting_names()}
    values: dict[str, Any] = {}
    places: dict[tuple[str, ...], str] = {}
    for name in sorted(each for each in environment if each.startswith(ENVIRONMENT_PREFIX)):
        if name in NOT_SETTINGS:
            continue
        keys = known.get(name)
        if keys is None:
            near = difflib.get_close_matches(name, known, 1)
            faults.append(
                f"{name}: there is no such setting" + (f"; did you mean {near[0]}?" if near else "")
            )
            continue
        text = environment[name]
        try:
            value = json.loads(text) if text.lstrip()[:1] in ("[", "{") else text
        except json.JSONDecodeError as fault:
            faults.append(f"{name}: starts like JSON and is none ({fault.msg})")
            continue
        if text:
            _put(values, keys, value)
            places[keys] = name
    return _Given(values, places, "the environment")


def _from_flags(flags: Mapping[str, Any]) -> _Given:
    values: dict[str, Any] = {}
    places: dict[tuple[str, ...], str] = {}
    for name, value in flags.items():
        if value is not None:
            keys = tuple(name.split("."))
            _put(values, keys, value)
            places[keys] = "--" + name.replace(".", "-").replace("_", "-")
    return _Given(values, places, "flags")


def _put(values: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    for key in keys[:-1]:
        values = values.setdefault(key, {})
    values[keys[-1]] = value


def _merge(base: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = dict(value) if isinstance(value, Mapping) else value


def _told(fault: Any, layers: list[_Given]) -> str:
    """One fault as a line: where, what, and what was found."""
    keys = tuple(map(str, fault["loc"]))
    name = ".".join(keys) or "settings"
    place = _place(keys, layers)
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        siblings = [each[-1] for each in setting_names() if each[:-1] == keys[:-1]]
        near = difflib.get_close_matches(keys[-1], siblings, 1)
        what = "there is no such setting" + (f"; did you mean {near[0]}?" if near else "")
    else:
        what = fault["msg"].removeprefix("Value error, ")
        what = what[:1].lower() + what[1:]
    return f"{place}: {name}: {what}" if place else f"{name}: {what}"


def _place(keys: tuple[str, ...], layers: list[_Given]) -> str:
    """The place of the value in the highest layer that sets it, or part of it."""
    for length in range(len(keys), 0, -1):
        for layer in reversed(layers):
            if keys[:length] in layer.places:
                return layer.places[keys[:length]]
    holder = next((each for each in reversed(layers) if keys and keys[0] in each.values), None)
    return holder.where if holder else ""
