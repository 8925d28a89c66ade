"""From a file, the environment and flags to one validated value; every fault named with its place."""

import copy
import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from babysitter.config.places import ENVIRONMENT_PREFIX, FILE_VARIABLE, default_file
from babysitter.config.settings import Settings, setting_names
from babysitter.config.settings_file import read_settings_file
from babysitter.config.validation_messages import what_is_wrong
from babysitter.errors import BadConfig

MAX_ROUNDS = 20
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
    path = file or default_file(variables)
    layers = []
    if path is not None:
        read = read_settings_file(path)
        faults += read.faults
        layers.append(_Given(read.values, read.places, str(path)))
    layers += [_from_environment(variables, faults), _from_flags(flags or {})]
    merged: dict[str, Any] = {}
    for layer in layers:
        _merge(merged, layer.values)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError:
        faults += _all_faults(merged, layers)
    if faults:
        raise BadConfig(
            "\n".join(["These settings do not fit:", *(f"  {fault}" for fault in faults)]),
            next_step="Correct these places; `babysit init` writes every setting with its default.",
        )
    return settings


def _from_environment(environment: Mapping[str, str], faults: list[str]) -> _Given:
    known = {ENVIRONMENT_PREFIX + "_".join(keys).upper(): keys for keys in setting_names()}
    values: dict[str, Any] = {}
    places: dict[tuple[str, ...], str] = {}
    for name in sorted(word for word in environment if word.startswith(ENVIRONMENT_PREFIX)):
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
            base[key] = copy.deepcopy(value)


def _all_faults(values: dict[str, Any], layers: list[_Given]) -> Iterator[str]:
    """Every fault of these values. What does not fit is taken out, so that the rest is looked at too."""
    removed: list[tuple[str, ...]] = []
    for _ in range(MAX_ROUNDS):
        try:
            Settings.model_validate(values)
        except ValidationError as wrong:
            for fault in wrong.errors():
                keys = tuple(map(str, fault["loc"]))
                if keys not in removed and not _follows_from(str(fault["msg"]), keys, removed):
                    yield _told(fault, keys, layers)
                removed.append(keys)
                _take_out(values, keys[:-1] if fault["type"] == "missing" else keys)
        else:
            return


def _follows_from(sentence: str, keys: tuple[str, ...], removed: list[tuple[str, ...]]) -> bool:
    """Whether a section is only wrong because of what was taken out of it."""
    inside = (path[-1] for path in removed if len(path) > len(keys) and path[: len(keys)] == keys)
    return any(re.search(rf"\b{re.escape(name)}\b", sentence) for name in inside)


def _take_out(values: Any, keys: tuple[str, ...]) -> None:
    """Forget the value at this path, as far as the path leads; a list loses its whole self."""
    for key in keys[:-1]:
        inner = values.get(key)
        if not isinstance(inner, dict):
            values.pop(key, None)
            return
        values = inner
    if keys:
        values.pop(keys[-1], None)


def _told(fault: Any, keys: tuple[str, ...], layers: list[_Given]) -> str:
    """One fault as a line: where, what, and what was found."""
    if not keys:  # a fault of several settings together names the one that it begins with
        sentence = what_is_wrong(fault, ("settings",), ())
        name, _, _ = sentence.partition(":")
        place = _place(tuple(name.split(".")), layers)
        return f"{place}: {sentence}" if place else f"settings: {sentence}"
    name = ".".join(keys)
    place = _place(keys, layers)
    siblings = [setting_name[-1] for setting_name in setting_names() if setting_name[:-1] == keys[:-1]]
    what = what_is_wrong(fault, keys, siblings)
    return f"{place}: {name}: {what}" if place else f"{name}: {what}"


def _place(keys: tuple[str, ...], layers: list[_Given]) -> str:
    """The place of the value in the highest layer that sets it, or part of it."""
    for length in range(len(keys), 0, -1):
        for layer in reversed(layers):
            if keys[:length] in layer.places:
                return layer.places[keys[:length]]
    holder = next((layer for layer in reversed(layers) if keys and keys[0] in layer.values), None)
    return holder.where if holder else ""
