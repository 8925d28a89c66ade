"""What a program runs, one after the other: itself, or the commands of a line behind `bash -c`."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from babysitter.preflight.needed_files import NeededFile, needed_files
from babysitter.preflight.shell_commands import ShellCommand, shell_commands
from babysitter.preflight.wrapped_program import unwrapped

SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_MAKES_FILES_LISTED = (
    "make cmake ninja cargo gcc g++ cc clang go bazel npm npx yarn protoc "
    "git curl wget gsutil gcloud aws cp mv ln rsync tar unzip gunzip 7z dvc huggingface-cli hf "
    "gdown azcopy s5cmd rclone scp eval patch"
)
_MAKES_FILES = frozenset(_MAKES_FILES_LISTED.split())
_FILE = re.compile(r"\.\w+$")
_MAKES_NONE = frozenset(
    ("", "cd", "pushd", "set", "export", "echo", "test", "[", "true", "ls", "pwd", "sleep")
)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """`typed`: its words; `words`: without wrappers, its files below the folder.

    `is_certain`: it is run, and must not fail. `made`: files that commands before it may have made.
    `has_bits`: one of them was `chmod`. `said`: texts that they were given, which may name files.
    """

    words: tuple[str, ...]
    typed: tuple[str, ...]
    folder: str = ""
    is_certain: bool = True
    made: frozenset[str] = frozenset()
    has_bits: bool = False
    said: str = ""

    def files(self) -> Iterator[NeededFile]:
        """The files that it needs, as paths of the bundle; modules of other folders are left out."""
        if self.words and self.words[0].rpartition("/")[2] in _MAKES_FILES:
            return
        for each in needed_files(self.words):
            if each.is_module:
                if not self.folder:
                    yield each
                continue
            path = _below(self.folder, each.path)
            if each.path.endswith("/"):
                path = f"{path.rstrip('/')}/"
            if posixpath.normpath(path) not in self.made and not self._is_said(path):
                yield replace(each, path=path)

    def _is_said(self, path: str) -> bool:
        name = posixpath.basename(path)
        return bool(name) and name in self.said


def shell_script(program: Sequence[str]) -> str | None:
    """What `bash -c` (or -lc, -euc) runs; None for another program."""
    at = script_at(program)
    return program[at] if at is not None and at < len(program) else None


def script_at(program: Sequence[str]) -> int | None:
    """Where the line behind `bash -c` stands, or would stand; None for another program."""
    if not program or program[0].rpartition("/")[2] not in SHELLS:
        return None
    for at, word in enumerate(program[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return at + 1
        if not word.startswith(("-", "+")) and program[at - 1] not in ("-o", "+o", "-O"):
            return None
    return None


def program_runs(program: Sequence[str]) -> tuple[ProgramRun, ...]:
    """What is run: it ends where files come from elsewhere, or where the folder is not known."""
    words = unwrapped(program).words
    line = shell_script(words)
    if line is None:
        return (ProgramRun(words, tuple(program)),)
    return tuple(_runs_of_line(line))


def _runs_of_line(line: str) -> Iterator[ProgramRun]:
    folders: dict[tuple[int, ...], str] = {(): ""}
    made, folders_made = set[str](), set[str]()
    said = ""
    has_bits = is_tolerant = has_run = False
    for command in shell_commands(line):
        folder = folders.setdefault(command.subshell, _folder_outside(folders, command.subshell))
        words = unwrapped(command.words).words
        name = words[0].rpartition("/")[2] if words else ""
        if name not in ("cd", "pushd") or not has_run:
            known = frozenset(made | folders_made)
            is_certain = command.is_certain and not is_tolerant
            yield ProgramRun(words, command.words, folder, is_certain, known, has_bits=has_bits, said=said)
        said = "\n".join((said, *(word for word in words[1:] if re.search(r"[\s('\"]", word))))
        made.update(posixpath.normpath(_below(folder, each)) for each in _named(command, words))
        if name in ("cd", "pushd"):
            target = _entered(folder, words, folders_made)
            if target is None:
                return
            folders[command.subshell] = target
        elif name == "mkdir":
            inside = (_below(folder, each) for each in words[1:] if not each.startswith("-"))
            folders_made.update(posixpath.normpath(each) for each in inside)
        elif name in _MAKES_FILES or (name in ("source", ".") and not words[-1].endswith("/activate")):
            return
        elif name == "set":
            is_tolerant = any(re.fullmatch(r"\+[a-z]*e[a-z]*", word) for word in words[1:])
        has_bits = has_bits or name == "chmod"
        has_run = has_run or name not in _MAKES_NONE


def _named(command: ShellCommand, words: Sequence[str]) -> Iterator[str]:
    """Files that this command may make: those that it writes to, and those that its arguments name."""
    yield from command.writes
    needed = {each.path for each in needed_files(words[:2])}
    yield from (word.rpartition("=")[2] for word in words[1:] if _FILE.search(word) and word not in needed)


def _entered(folder: str, words: Sequence[str], made: set[str]) -> str | None:
    """The folder after `cd`; None where it is not one of the bundle, or not known."""
    target = words[1] if len(words) == 2 else "~"
    if target == "/app" or target.startswith("/app/"):
        return target.removeprefix("/app").strip("/")
    if target.startswith(("/", "~", "-")) or re.search(r"[$`*]", target):
        return None
    found = posixpath.normpath(posixpath.join(folder, target))
    if found.startswith("..") or found in made:
        return None
    return "" if found == "." else found


def _folder_outside(folders: dict[tuple[int, ...], str], subshell: tuple[int, ...]) -> str:
    while subshell:
        subshell = subshell[:-1]
        if subshell in folders:
            return folders[subshell]
    return ""


def _below(folder: str, path: str) -> str:
    if not folder or path.startswith(("/", "~", "$", "-")):
        return path
    return posixpath.normpath(posixpath.join(folder, path))
