"""What the folder of a new submission ships and declares. It blocks."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from babysitter.backends.environment_file import read_environment_file
from babysitter.backends.iris.bundle import bundle_files, git_output, is_repository
from babysitter.errors import UserError
from babysitter.preflight.client_environment import variables_of_file
from babysitter.preflight.facts import FileStatus, Workspace
from babysitter.preflight.program_files import named_files

MAX_SCRIPT_BYTES = 512 * 1024
MAX_PROJECTS = 50
_SUFFIXES = ("", ".py", "/__main__.py", "/__init__.py")
_WORKDIR = "/app/"
_SETS = re.compile(r"""os\.environ(?:\.setdefault\(|\[)\s*["']([A-Z][A-Z0-9_]*)["']\s*(?:,|\]\s*=[^=])""")
_READS = re.compile(r"""\bos\.environ\[\s*["'](?P<name>[A-Z][A-Z0-9_]*)["']\s*\](?!\s*=[^=])""")


def read_workspace(
    folder: Path, program: Sequence[str], *, generation: str, left_out: Sequence[str]
) -> Workspace:
    """What is known of the folder. Raises UserError for one that cannot be shipped at all."""
    shipped = frozenset(
        path.relative_to(folder).as_posix()
        for path in bundle_files(folder, generation=generation, left_out=left_out)
    )
    env, fault = _env_file(folder)
    files = {word: _status(word, folder, shipped) for word in named_files(program)}
    changed, unpushed = _tree(folder)
    return Workspace(
        files=files,
        extras=_extras(folder, shipped),
        reads=_reads(folder, shipped, files),
        env=env,
        env_fault=fault,
        changed_files=changed,
        unpushed_commits=unpushed,
    )


def _status(word: str, folder: Path, shipped: frozenset[str]) -> FileStatus:
    is_module = not re.search(r"\.\w+$", word) and not word.startswith("./")
    if is_module:
        return _module_status(word, folder, shipped)
    if word.startswith(_WORKDIR):
        word = word.removeprefix(_WORKDIR)
    path = Path(word).expanduser()
    if path.is_absolute():
        try:
            word = path.resolve().relative_to(folder.resolve()).as_posix()
        except ValueError:
            # A path of the image, unless it is a file of this machine.
            is_here = path.exists() or str(path).startswith(("/home/", "/Users/", str(Path.home())))
            return FileStatus.OUTSIDE if is_here else FileStatus.SHIPPED
        return FileStatus.OUTSIDE  # it is in the folder, but the job looks for it under this machine's path
    name = os.path.normpath(word)
    if name.startswith(".."):
        return FileStatus.OUTSIDE
    if name in shipped:
        return FileStatus.SHIPPED
    return FileStatus.IGNORED if (folder / name).is_file() else FileStatus.MISSING


def _module_status(module: str, folder: Path, shipped: frozenset[str]) -> FileStatus:
    """Of `python -m a.b`: only where `a` is a folder or file here; else it is an installed package."""
    names = [f"{module}{suffix}" for suffix in _SUFFIXES[1:]]
    if any(name in shipped or f"src/{name}" in shipped for name in names):
        return FileStatus.SHIPPED
    if any((folder / name).is_file() for name in names):
        return FileStatus.IGNORED
    top = module.partition("/")[0]
    is_ours = (folder / top).is_dir() and any(name.startswith(f"{top}/") for name in shipped)
    return FileStatus.MISSING if is_ours and "/" in module else FileStatus.SHIPPED


def _extras(folder: Path, shipped: frozenset[str]) -> frozenset[str] | None:
    """Optional dependencies of every shipped project; None without a project, or where one cannot be read."""
    projects = sorted(
        (name for name in shipped if name == "pyproject.toml" or name.endswith("/pyproject.toml")),
        key=lambda name: name.count("/"),
    )
    found: set[str] = set()
    for name in projects[:MAX_PROJECTS]:
        try:
            project = tomllib.loads((folder / name).read_text(encoding="utf-8")).get("project", {})
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            return None
        extras = project.get("optional-dependencies", {})
        if isinstance(extras, dict):
            found |= set(extras)
    return frozenset(found) if projects else None


def _reads(folder: Path, shipped: frozenset[str], files: Mapping[str, FileStatus]) -> frozenset[str]:
    """Variables that the scripts named in the command take from os.environ without a default."""
    found: set[str] = set()
    for word, status in files.items():
        if status is not FileStatus.SHIPPED:
            continue
        for suffix in _SUFFIXES[:2]:
            name = os.path.normpath(f"{word}{suffix}")
            if not name.endswith(".py") or name not in shipped:
                continue
            path = folder / name
            try:
                if path.stat().st_size > MAX_SCRIPT_BYTES:
                    continue
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            set_here = set(_SETS.findall(text))
            found |= {use["name"] for use in _READS.finditer(text)} - set_here
    return frozenset(found)


def _env_file(folder: Path) -> tuple[Mapping[str, str], str]:
    """The variables of the project's file, and what is wrong with it."""
    try:
        file = read_environment_file(folder)
    except UserError as fault:
        return {}, fault.sentence
    faults: list[str] = []
    return variables_of_file(file, faults), " ".join(faults)


def _tree(folder: Path) -> tuple[int | None, int | None]:
    """Files that differ from the commit, and commits that no remote branch has; None outside of git."""
    if not is_repository(folder):
        return None, None
    changed = git_output(folder, "status", "--porcelain", "--untracked-files=all", ".")
    ahead = git_output(folder, "rev-list", "--count", "@{upstream}..HEAD").strip()
    return len(changed.splitlines()), int(ahead) if ahead.isdigit() else None
