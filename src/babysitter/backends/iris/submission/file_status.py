"""Does a file or module that the program names reach the job? It looks at names, and reads no file."""

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from babysitter.preflight.facts import FileStatus

_WORKDIR = "/app/"
_MODULE = re.compile(r"\w+(?:\.\w+)*")
_RUNNABLE = (".py", "/__main__.py", ".pyc", ".so")


@dataclass(frozen=True)
class ShippedFiles:
    """What a submission from this folder ships. `names`: relative, with forward slashes."""

    folder: Path
    names: frozenset[str]

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Folders from which modules are imported: of the task, and of every project that is installed."""
        projects = (
            posixpath.dirname(name) for name in self.names if posixpath.basename(name) == "pyproject.toml"
        )
        found = {"", *(f"{project}/" for project in projects if project)}
        return tuple(sorted({*found, *(f"{root}src/" for root in found)}))

    @cached_property
    def python_folders(self) -> frozenset[str]:
        """Folders that hold a Python file directly."""
        return frozenset(posixpath.dirname(name) for name in self.names if name.endswith(".py"))

    @cached_property
    def _lowered(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.names)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds something, also in folders below it."""
        return frozenset(parent for name in self.names for parent in _parents(name))

    def status(self, word: str) -> FileStatus:
        """Of a file, of a folder (`NAME/`), or of a module (`-m NAME`)."""
        if word.startswith("-m "):
            return self._module_status(word.removeprefix("-m "))
        word = word.removeprefix(_WORKDIR)
        path = Path(word).expanduser()
        if path.is_absolute():
            if _is_below(path, self.folder):
                return FileStatus.OUTSIDE  # the job looks for it under this machine's path
            # A path of the image, unless it is a file of this machine.
            is_here = path.exists() or str(path).startswith(("/home/", "/Users/", str(Path.home())))
            return FileStatus.OUTSIDE if is_here else FileStatus.SHIPPED
        name = os.path.normpath(word)
        if name.startswith(".."):
            return FileStatus.OUTSIDE
        if name in self.names or f"{name}/__main__.py".removeprefix("./") in self.names:
            return FileStatus.SHIPPED
        if word.endswith("/"):
            if name == "." or name in self.folders:
                return FileStatus.SHIPPED
            return FileStatus.IGNORED if (self.folder / name).is_dir() else FileStatus.MISSING
        return FileStatus.IGNORED if (self.folder / name).is_file() else FileStatus.MISSING

    def _module_status(self, module: str) -> FileStatus:
        """Of `python -m a.b`: missing only where `a` is of the folder; others are installed."""
        if not _MODULE.fullmatch(module):
            return FileStatus.MISSING
        name = module.replace(".", "/")
        paths = [f"{root}{name}" for root in self.roots]
        if any(f"{path}{suffix}" in self.names for path in paths for suffix in _RUNNABLE):
            return FileStatus.SHIPPED
        if any(f"{path}/__init__.py" in self.names for path in paths):
            return FileStatus.NOT_RUNNABLE
        if any((self.folder / f"{path}{suffix}").is_file() for path in paths for suffix in _RUNNABLE[:2]):
            return FileStatus.IGNORED
        is_ours = any(self._is_ours(path, name) or f"{path}.py".lower() in self._lowered for path in paths)
        return FileStatus.MISSING if is_ours else FileStatus.SHIPPED

    def _is_ours(self, path: str, name: str) -> bool:
        """Whether what stands in front of the last dot is a package or module of the folder."""
        root = path.removesuffix(name)
        above = [f"{root}{parent}" for parent in _parents(name)]
        return any(
            f"{text}.py" in self.names or f"{text}/__init__.py" in self.names or text in self.python_folders
            for text in above
        )


def _parents(name: str) -> Iterator[str]:
    while (above := posixpath.dirname(name)) not in ("", name):
        yield (name := above)


def _is_below(path: Path, folder: Path) -> bool:
    try:
        path.resolve().relative_to(folder.resolve())
    except ValueError:
        return False
    return True
