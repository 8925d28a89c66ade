"""Programs that run another one: `env A=1 python x.py` runs python, `uv run x.py` does too."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# By program: the options that a value follows. The program that is run stands behind the options.
_WRAPPERS: Mapping[str, frozenset[str]] = {
    "env": frozenset(("-u", "--unset", "-C", "--chdir")),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "exec": frozenset(("-a",)),
    "command": frozenset(),
    "time": frozenset(("-f", "-o")),
    "nice": frozenset(("-n",)),
    "ionice": frozenset(("-c", "-n")),
    "stdbuf": frozenset(("-i", "-o", "-e")),
    "timeout": frozenset(("-k", "-s", "--kill-after", "--signal")),
    "sudo": frozenset(("-u", "-g")),
}
_RUNNERS = frozenset(("uv", "poetry", "pdm", "hatch", "pipenv", "rye", "pixi", "conda", "mamba"))
_UV_VALUES_LISTED = (
    "--extra --no-extra --group --no-group --only-group --with --with-editable "
    "--with-requirements --package --no-package --project --directory --python -p --env-file "
    "--index --index-url -i --default-index --extra-index-url --find-links -f --cache-dir "
    "--config-file --color --refresh-package --reinstall-package --upgrade-package -P "
    "--config-setting -C --link-mode --resolution --prerelease --exclude-newer "
    "--python-preference --allow-insecure-host --keyring-provider --index-strategy "
    "--fork-strategy --no-build-package --no-binary-package --python-platform -w --name -n"
)
_UV_VALUES = frozenset(_UV_VALUES_LISTED.split())
_UV_PLACES = frozenset(("--project", "--directory", "--no-project"))
_ENTERS = {"uv": ("--directory",), "env": ("-C", "--chdir")}
_UV_LOCKED = frozenset(("--frozen", "--locked"))


@dataclass(frozen=True, slots=True)
class WrappedProgram:
    """`words`: the program that runs in the end, with its arguments. `wrappers`: those in front of it.

    `folders`: those that wrappers enter before, one below the other: `uv run --directory src`.
    """

    words: tuple[str, ...]
    wrappers: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UvCommand:
    """What `uv run` or `uv sync` asks of the project. `needs_lock`: it ends where uv.lock is not there."""

    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    needs_lock: bool = False


def unwrapped(words: Sequence[str]) -> WrappedProgram:
    """Take away the programs that only run another one."""
    rest, wrappers, folders = tuple(words), list[str](), list[str]()
    while rest:
        name = rest[0].rpartition("/")[2]
        inner = _inner(name, rest)
        if not inner:
            break
        wrappers.append(name)
        folders += _entered_folders(name, rest[: len(rest) - len(inner)])
        rest = inner
    return WrappedProgram(rest, tuple(wrappers), tuple(folders))


def uv_command(words: Sequence[str]) -> UvCommand | None:
    """The options of `uv run` and `uv sync`; None for other programs, and for a project elsewhere."""
    if len(words) < 2 or words[0].rpartition("/")[2] != "uv" or words[1] not in ("run", "sync"):
        return None
    given: dict[str, list[str]] = {}
    at = 2
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        name, has_value, value = words[at].partition("=")
        if name in _UV_VALUES and not has_value:
            at += 1
            value = words[at] if at < len(words) else ""
        given.setdefault(name, []).append(value)
        at += 1
        if name in ("-m", "--module", "-s", "--script"):
            break
    if given.keys() & _UV_PLACES:
        return None
    return UvCommand(
        tuple(given.get("--extra", ())),
        (*given.get("--group", ()), *given.get("--only-group", ())),
        tuple(given.get("--package", ())),
        needs_lock=bool(given.keys() & _UV_LOCKED),
    )


def _entered_folders(name: str, options: Sequence[str]) -> Iterator[str]:
    """Folders that a wrapper with these options enters."""
    for word, following in pairwise((*options, "")):
        option, has_value, value = word.partition("=")
        if option in _ENTERS.get(name, ()):
            yield value if has_value else following


def _inner(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """What this wrapper runs; () for a program that is not a wrapper, or runs nothing."""
    if name in _RUNNERS:
        return _of_runner(name, words)
    if name not in _WRAPPERS:
        return ()
    at = 1
    while at < len(words):
        word = words[at]
        if name == "env" and word in ("-S", "--split-string"):
            return (*_split(words[at + 1 : at + 2]), *words[at + 2 :])
        if word in _WRAPPERS[name]:
            at += 2
        elif (word.startswith("-") and len(word) > 1) or (name == "env" and _ASSIGNMENT.match(word)):
            if name == "command" and word in ("-v", "-V"):
                return ()
            at += 1
        elif name == "env" and word == "-":
            at += 1
        else:
            break
    if name == "timeout":
        at += 1
    return words[at:]


def _of_runner(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """`uv run x.py` runs python with it."""
    if words[1:2] != ("run",):
        return ()
    takes = _UV_VALUES if name == "uv" else frozenset(("-n", "--name", "-p", "--prefix"))
    at = 2
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        if words[at] in ("-m", "--module"):
            return ("python", "-m", *words[at + 1 :])
        if words[at] in ("-s", "--script"):
            return ("python", *words[at + 1 :])
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if words[at] in takes else 1
    rest = words[at:]
    is_script = bool(rest) and name == "uv" and (rest[0].endswith(".py") or rest[0] == "-")
    return ("python", *rest) if is_script else rest


def _split(text: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text[0])) if text else ()
    except ValueError:
        return ()
