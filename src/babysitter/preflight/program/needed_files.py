"""Which files of the folder a program needs: its script or module, and files that its arguments name."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from babysitter.preflight.client.client_tables import COMMON_PROGRAMS
from babysitter.preflight.program.python_command import python_command

SCRIPT = re.compile(r"\.(?:py|sh|bash|[mc]?js|pl)$")
_SETTINGS = re.compile(r"\.(?:ya?ml|json|toml|cfg|ini|txt|jsonl)$")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*t?")
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_NOT_FIXED = re.compile(r"://|[*?$`{}\n]|^~")
# Programs whose arguments are not files to run, and need not be there.
_NAMES_ONLY_LISTED = (
    "rm pkill kill killall pgrep touch grep egrep ls find echo printf test [ [[ which type "
    "command hash mkdir rmdir chmod true false sed awk ps exit return export local declare unset "
    "cat head tail wc tee"
)
NAMES_ONLY = frozenset(_NAMES_ONLY_LISTED.split())
_OUTPUT = re.compile(r"out|save|dump|export|log|write|dest|result|report|trace|profile|cache|(?:^|-)o$", re.I)
_READ = re.compile(r"script|file|path|conf|cfg|recipe|entry|program|train|eval|run|code|main|task", re.I)
_NAME_ONLY = re.compile(r"name|exclu|inclu|ignore|skip|tag|pattern|filter", re.I)
_CONFIG = re.compile(r"conf|cfg|recipe|hparams|manifest", re.I)
_MODULE = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True, slots=True)
class NeededFile:
    """`path`: as it is written (a folder ends in a slash), or the name of a module.

    `is_demanded`: the program ends without it.
    """

    path: str
    is_module: bool = False
    is_demanded: bool = True

    @property
    def word(self) -> str:
        """The key of its status: a module as `-m NAME`."""
        return f"-m {self.path}" if self.is_module else self.path


def needed_files(words: Sequence[str]) -> Iterator[NeededFile]:
    """The files that this program needs, its script first. `words`: without wrappers."""
    if not words:
        return
    name = words[0].rpartition("/")[2]
    if name in NAMES_ONLY:
        return
    if name in ("cd", "pushd"):
        yield from (NeededFile(f"{word.rstrip('/')}/") for word in words[1:2] if _is_folder(word))
        return
    if is_python(name):
        yield from _of_python(words)
    elif name in SHELLS:
        yield from _of_shell(words)
    elif name in ("source", "."):
        yield from (NeededFile(word) for word in words[1:2] if _is_fixed(word) and ".venv" not in word)
    elif name == "uv":
        if words[1:2] == ("sync",) or words[1:2] == ("pip",):
            return
        yield from _of_arguments(words[1:])
    else:
        is_script = "/" in words[0] or SCRIPT.search(words[0])
        if is_script and _is_fixed(words[0]) and not is_installed(words[0]):
            yield NeededFile(words[0])
        yield from _of_modules(words)
        yield from _of_arguments(words[1:])


def is_installed(path: str) -> bool:
    """Whether a program of this path is of the image, or of the environment that the setup makes."""
    return path.startswith("/") or posixpath.normpath(path).startswith(".venv")


def is_python(name: str) -> bool:
    """Whether a program of this name, without its folder, is python."""
    return bool(_PYTHON.fullmatch(name))


def _of_python(words: Sequence[str]) -> Iterator[NeededFile]:
    command = python_command(words)
    target = command.module or command.script
    if target and _is_fixed(target):
        yield NeededFile(target.rstrip("/") or target, is_module=bool(command.module))
    yield from _of_arguments(command.arguments)


def _of_shell(words: Sequence[str]) -> Iterator[NeededFile]:
    at = 1
    while at < len(words) and words[at].startswith(("-", "+")):
        if re.fullmatch(r"-[a-z]*c", words[at]) or words[at] in ("-s", "-"):
            return
        at += 2 if words[at] in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file") else 1
    if at < len(words) and _is_fixed(words[at]):
        yield NeededFile(words[at], is_demanded=words[at] not in COMMON_PROGRAMS)
        yield from _of_arguments(words[at + 1 :])


def _of_modules(words: Sequence[str]) -> Iterator[NeededFile]:
    """Of launchers: `torchrun -m pkg.train`, and of python within other words."""
    launches = words[0].rpartition("/")[2] in ("torchrun", "accelerate", "deepspeed")
    for at, word in enumerate(words[:-1]):
        behind_python = bool(at) and is_python(words[at - 1].rpartition("/")[2])
        if word in ("-m", "--module") and (launches or behind_python) and _MODULE.fullmatch(words[at + 1]):
            yield NeededFile(words[at + 1], is_module=True)


def _of_arguments(words: Sequence[str]) -> Iterator[NeededFile]:
    """Files that arguments name: scripts and settings are demanded, other files only looked for."""
    option = ""
    for word in words:
        name, has_value, value = word.partition("=")
        if word.startswith("-") and not has_value:
            option = word
            continue
        named = name if has_value else option
        path = value if has_value else word
        option = ""
        if not _is_fixed(path) or (named and _OUTPUT.search(named)) or " " in path.strip():
            continue
        if SCRIPT.search(path):
            is_read = not named or (bool(_READ.search(named)) and not _NAME_ONLY.search(named))
            yield NeededFile(path, is_demanded=is_read)
        elif _SETTINGS.search(path):
            yield NeededFile(path, is_demanded=bool(_CONFIG.search(named)) and "name" not in named)


def _is_fixed(word: str) -> bool:
    return bool(word) and not _NOT_FIXED.search(word)


def _is_folder(word: str) -> bool:
    return _is_fixed(word) and not word.startswith(("/", "-", ".."))
