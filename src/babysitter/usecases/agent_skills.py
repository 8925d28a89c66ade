"""The skills for coding agents: where they are shipped, whether they hold, how they are installed."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from babysitter.errors import UserError
from babysitter.shipped import shipped

FILE_NAME = "SKILL.md"
MAX_LINES = 500
MAX_NAME, MAX_DESCRIPTION = 64, 1024  # characters, by the format
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LINK = re.compile(r"\]\(([^)#\s]+)\)")


@dataclass(frozen=True, slots=True)
class Skill:
    """One folder with instructions for an agent. `faults`: what the format forbids, each with its place."""

    name: str
    description: str
    folder: Path
    faults: tuple[str, ...] = ()


def skills_in(folder: Path | None = None) -> tuple[Skill, ...]:
    """The skills of a folder (None = those shipped), by name. Raises UserError for no folder."""
    folder = folder or shipped("skills")
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}.", next_step="Give one that holds skill folders.")
    found = sorted(path for path in folder.iterdir() if (path / FILE_NAME).is_file())
    return tuple(read_skill(path) for path in found)


def read_skill(folder: Path) -> Skill:
    """One skill, held to the format: a head with name and description, short, references one level deep."""
    file = folder / FILE_NAME
    text = file.read_text(encoding="utf-8")
    head, faults = _head(text, file)
    name, description = str(head.get("name", "")), str(head.get("description", ""))
    if name != folder.name or not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        faults.append(f"{file}: the name '{name}' must be that of its folder, in small letters and hyphens")
    if not 0 < len(description) <= MAX_DESCRIPTION:
        faults.append(f"{file}: the description must have 1 to {MAX_DESCRIPTION} characters")
    if len(text.splitlines()) > MAX_LINES:
        faults.append(f"{file}: more than {MAX_LINES} lines; move details into a file beside it")
    for target in _LINK.findall(text):
        if "://" in target:
            continue
        if len(Path(target).parts) > 2 or ".." in Path(target).parts or not (folder / target).is_file():
            faults.append(f"{file}: links to {target}, which is no file at most one folder below")
    return Skill(name or folder.name, description, folder, tuple(faults))


def install(to: Path, *, replace_edited: bool = False) -> tuple[Path, ...]:
    """Copy the shipped skills below a folder; gives the new folders.

    One that is there with other content is left alone unless `replace_edited`. Raises UserError then, before
    anything is written.
    """
    skills = skills_in()
    edited = [skill.name for skill in skills if _differs(skill.folder, to / skill.name)]
    if edited and not replace_edited:
        raise UserError(
            f"{to} holds other versions of {', '.join(edited)}.",
            next_step="Give --force to replace them, or another --dir.",
        )
    try:
        for skill in skills:
            shutil.rmtree(to / skill.name, ignore_errors=True)
            shutil.copytree(skill.folder, to / skill.name)
    except OSError as fault:
        raise UserError(
            f"{to} cannot be written: {fault.strerror}.", next_step="Give --dir FOLDER."
        ) from fault
    return tuple(to / skill.name for skill in skills)


def _differs(ours: Path, theirs: Path) -> bool:
    if not theirs.exists():
        return False
    files = {path.relative_to(ours): path.read_bytes() for path in ours.rglob("*") if path.is_file()}
    there = {path.relative_to(theirs): path.read_bytes() for path in theirs.rglob("*") if path.is_file()}
    return files != there


def _head(text: str, file: Path) -> tuple[dict[str, object], list[str]]:
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        return {}, [f"{file}:1: must begin with a YAML head between two lines of ---"]
    try:
        head = yaml.safe_load(text[4 : text.index("\n---\n", 4)])
    except yaml.YAMLError as fault:
        return {}, [f"{file}: the head is no YAML ({str(fault).splitlines()[0]})"]
    return (head, []) if isinstance(head, dict) else ({}, [f"{file}: the head is no mapping"])
