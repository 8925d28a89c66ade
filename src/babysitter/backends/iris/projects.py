"""What the projects of a folder declare: extras, dependency groups, names. It blocks."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from babysitter.preflight.extras import as_uv_spells

MAX_PROJECTS = 50


@dataclass(frozen=True, slots=True)
class Projects:
    """Of every shipped pyproject.toml: names as uv spells them, and programs that are installed."""

    extras: frozenset[str]
    groups: frozenset[str]
    names: frozenset[str]
    commands: frozenset[str] = frozenset()


def read_projects(folder: Path, shipped: Iterable[str]) -> Projects | None:
    """None without a project, or where one cannot be read."""
    files = sorted(
        (name for name in shipped if name == "pyproject.toml" or name.endswith("/pyproject.toml")),
        key=lambda name: name.count("/"),
    )
    extras, groups, names, commands = set[str](), set[str](), set[str](), set[str]()
    for name in files[:MAX_PROJECTS]:
        try:
            file = tomllib.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            return None
        project = _mapping(file.get("project"))
        extras |= set(_mapping(project.get("optional-dependencies")))
        groups |= set(_mapping(file.get("dependency-groups")))
        if "dev-dependencies" in _mapping(_mapping(file.get("tool")).get("uv")):
            groups.add("dev")
        names.add(str(project.get("name") or ""))
        commands |= set(_mapping(project.get("scripts"))) | set(_mapping(project.get("gui-scripts")))
    if not files:
        return None
    return Projects(_spelt(extras), _spelt(groups), _spelt(names), frozenset(commands))


def _spelt(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(as_uv_spells, names))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
