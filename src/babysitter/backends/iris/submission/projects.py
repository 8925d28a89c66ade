"""What the projects of a folder declare: extras, dependency groups, names. It blocks."""

import tomllib
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from babysitter.preflight.facts import ProjectFile
from babysitter.preflight.resources.extras import as_uv_spells

PROJECT = "pyproject.toml"
MAX_PROJECTS = 50
# Also a number of more than 4,300 digits, and values nested thousands of levels deep.
_NOT_TOML = (ValueError, RecursionError)


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
        (name for name in shipped if name == PROJECT or name.endswith(f"/{PROJECT}")),
        key=lambda name: name.count("/"),
    )
    extras, groups, names, commands = set[str](), set[str](), set[str](), set[str]()
    for name in files[:MAX_PROJECTS]:
        try:
            file = tomllib.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, *_NOT_TOML):
            return None
        project = _mapping(file.get("project"))
        extras |= set(_mapping(project.get("optional-dependencies")))
        groups |= set(_mapping(file.get("dependency-groups")))
        if "dev-dependencies" in _mapping(_mapping(file.get("tool")).get("uv")):
            groups.add("dev")
        names.add(str(project.get("name") or ""))
        poetry = _mapping(_mapping(file.get("tool")).get("poetry"))
        for table in (project.get("scripts"), project.get("gui-scripts"), poetry.get("scripts")):
            commands |= set(_mapping(table))
    if not files:
        return None
    return Projects(_spelt(extras), _spelt(groups), _spelt(names), frozenset(commands))


def project_file(folder: Path, shipped: Container[str]) -> tuple[ProjectFile, str]:
    """Whether the folder's own pyproject.toml reaches the job, and why uv cannot use it, "" if it can."""
    file = folder / PROJECT
    if PROJECT not in shipped:
        if file.is_file():
            return ProjectFile.IGNORED, ""
        return (ProjectFile.ABOVE if _is_above(folder) else ProjectFile.MISSING), ""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError:
        return ProjectFile.SHIPPED, ""  # nothing is known of it
    except _NOT_TOML:
        return ProjectFile.UNREADABLE, "it is not proper TOML"
    fault = _fault_of_project(content)
    return (ProjectFile.UNREADABLE if fault else ProjectFile.SHIPPED), fault


def _is_above(folder: Path) -> bool:
    """Whether a folder above, up to the root of the repository, has a project."""
    for here in (folder, *folder.parents):
        if here != folder and (here / PROJECT).is_file():
            return True
        if (here / ".git").exists():
            break
    return False


def _fault_of_project(content: Mapping[str, object]) -> str:
    """What uv refuses in a project's table."""
    if _mapping(_mapping(content.get("tool")).get("uv")).get("managed") is False:
        return "tool.uv.managed is false"
    project = content.get("project")
    if not isinstance(project, dict):
        return ""
    if not project.get("name"):
        return "its project has no name"
    dynamic = project.get("dynamic")
    is_dynamic = isinstance(dynamic, list) and "version" in dynamic
    return "" if project.get("version") is not None or is_dynamic else "its project has no version"


def _spelt(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(as_uv_spells, names))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
