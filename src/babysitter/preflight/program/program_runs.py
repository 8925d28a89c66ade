"""What a program runs, one after the other: itself, or the commands of a line behind `bash -c`."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from babysitter.preflight.client.client_tables import COMMON_PROGRAMS
from babysitter.preflight.program.needed_files import NAMES_ONLY, SHELLS, NeededFile, needed_files
from babysitter.preflight.program.wrapped_program import WrappedProgram, unwrapped
from babysitter.preflight.shell.shell_commands import ShellCommand, shell_commands

_MAKES_FILES_LISTED = (
    "make cmake ninja cargo gcc g++ cc clang go bazel npm npx yarn protoc "
    "git curl wget gsutil gcloud aws cp mv ln rsync tar unzip gunzip 7z dvc huggingface-cli hf "
    "gdown azcopy s5cmd rclone scp eval patch"
)
_MAKES_FILES = frozenset(_MAKES_FILES_LISTED.split())
_BARE = re.compile(r"[\w-][\w.-]*")
_NOT_KNOWN = re.compile(r"[$`*~]")  # of a folder: only the shell of the task knows its name
_FILE = re.compile(r"\.\w+$")
_MAKES_NONE = frozenset(
    ("", "cd", "pushd", "set", "export", "echo", "test", "[", "true", "ls", "pwd", "sleep")
)
_INSTALLED = frozenset(COMMON_PROGRAMS) | NAMES_ONLY | _MAKES_FILES | _MAKES_NONE


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
        if _NOT_KNOWN.search(self.folder):
            return
        if self.words and self.words[0].rpartition("/")[2] in _MAKES_FILES:
            return
        for file in needed_files(self.words):
            if file.is_module:
                if not self.folder:
                    yield file
                continue
            path = _below(self.folder, file.path)
            if file.path.endswith("/"):
                path = f"{path.rstrip('/')}/"
            if posixpath.normpath(path) not in self.made and not self._is_said(path):
                yield replace(file, path=path)

    def bare_name(self) -> str:
        """The path in the bundle of a first word without a slash, if there is such a file; "" for others."""
        word = self.words[0] if self.words else ""
        if not _BARE.fullmatch(word) or word in _INSTALLED:
            return ""
        path = posixpath.normpath(_below(self.folder, word))
        return "" if path in self.made or self._is_said(path) else path

    def _is_said(self, path: str) -> bool:
        name = posixpath.basename(path)
        return bool(name) and name in self.said


def shell_script(program: Sequence[str]) -> str | None:
    """What `bash -c` (or -lc, -euc) runs; None for another program."""
    at = script_at(program)
    return program[at] if at is not None and at < len(program) else None


def script_at(program: Sequence[str]) -> int | None:
    """Where the line behind `bash -c` stands, or would stand; None for another program.

    A shell reads on behind `-c`: the line is the first word that is not an option.
    """
    if not program or program[0].rpartition("/")[2] not in SHELLS:
        return None
    at, has_line = 1, False
    while at < len(program) and program[at].startswith(("-", "+")) and len(program[at]) > 1:
        word = program[at]
        at += 1
        if word == "--":
            break
        if word.startswith("--"):
            at += word in ("--rcfile", "--init-file")
        else:
            has_line = has_line or (word[0] == "-" and "c" in word)
            at += len(re.findall("[oO]", word))  # each names one more option
    return min(at, len(program)) if has_line else None


def _ends_at_failure(shell: Sequence[str]) -> bool:
    """Whether a shell that is started with these words ends at the first command that fails: `bash -ec`."""
    options = shell[1 : script_at(shell)]
    return "errexit" in options or any(re.fullmatch(r"-[A-Za-z]*e[A-Za-z]*", word) for word in options)


def program_runs(program: Sequence[str]) -> tuple[ProgramRun, ...]:
    """What is run: it ends where files come from elsewhere, or where the folder is not known."""
    inner = unwrapped(program)
    folder = _folder_of(inner, "")
    if shell_script(inner.words) is None:
        return (ProgramRun(inner.words, tuple(program), folder),)
    return tuple(_runs_of_shell(inner.words, folder))


def _runs_of_shell(shell: Sequence[str], start: str) -> Iterator[ProgramRun]:
    """`shell`: its words, with a line behind `-c`. `start`: the folder in which it is started."""
    folders: dict[tuple[int, ...], str] = {(): start}
    made, folders_made = set[str](), set[str]()
    said = ""
    has_bits = has_run = False
    is_strict = _ends_at_failure(shell)
    for command in shell_commands(shell_script(shell) or ""):
        folder = folders.setdefault(command.subshell, _folder_outside(folders, command.subshell))
        inner = unwrapped(command.words)
        words = inner.words
        name = words[0].rpartition("/")[2] if words else ""
        is_certain = command.is_certain and (command.is_result or is_strict)
        if name not in ("cd", "pushd") or not has_run:
            known = frozenset(made | folders_made)
            place = _folder_of(inner, folder)
            run = ProgramRun(words, command.words, place, is_certain, known, has_bits=has_bits, said=said)
            yield from _within(run)
        said = "\n".join((said, *(word for word in words[1:] if re.search(r"[\s('\"]", word))))
        made.update(posixpath.normpath(_below(folder, text)) for text in _named(command, words))
        if name in ("cd", "pushd"):
            target = _entered(folder, words, folders_made)
            if target is None:
                return
            folders[command.subshell] = target
        elif name == "mkdir":
            inside = (_below(folder, word) for word in words[1:] if not word.startswith("-"))
            folders_made.update(posixpath.normpath(text) for text in inside)
        elif name in _MAKES_FILES or (name in ("source", ".") and not words[-1].endswith("/activate")):
            return
        elif name == "set":
            is_strict = _strictness(words, is_strict)
        has_bits = has_bits or name == "chmod"
        has_run = has_run or name not in _MAKES_NONE


def _folder_of(program: WrappedProgram, start: str) -> str:
    """Where a program runs whose wrappers enter folders."""
    for text in program.folders:
        start = _below(start, text.removeprefix("/app/"))
    return "" if start in (".", "/app") else start


def _within(run: ProgramRun) -> Iterator[ProgramRun]:
    """The program, or what the line of a shell within the line runs."""
    if shell_script(run.words) is None:
        yield run
        return
    for inner in _runs_of_shell(run.words, run.folder):
        yield replace(
            inner,
            is_certain=inner.is_certain and run.is_certain,
            made=inner.made | run.made,
            has_bits=inner.has_bits or run.has_bits,
            said="\n".join((run.said, inner.said)),
        )


def _strictness(words: Sequence[str], before: bool) -> bool:
    """Whether the shell ends at the first failure after this `set`."""
    for word, following in zip(words[1:], (*words[2:], ""), strict=True):
        if re.fullmatch(r"[-+][A-Za-z]*e[A-Za-z]*", word) or (
            word in ("-o", "+o") and following == "errexit"
        ):
            before = word[0] == "-"
    return before


def _named(command: ShellCommand, words: Sequence[str]) -> Iterator[str]:
    """Files that this command may make: those that it writes to, and those that its arguments name."""
    yield from command.writes
    needed = {file.path for file in needed_files(words[:2])}
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
