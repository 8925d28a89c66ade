"""Do the files that the program names reach the job, and can they be run there?"""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from babysitter.preflight.command_line import RunCommand, replaced
from babysitter.preflight.facts import FileStatus, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import run_command, was_accepted_before

NOT_SHIPPED = "file-not-shipped"
NOT_EXECUTABLE = "not-executable"

_MAKES_FILES = frozenset(
    {"git", "curl", "wget", "gsutil", "source", "cat", "echo", "tee", "cp", "mv", "tar", "unzip"}
)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_SCRIPT = re.compile(r"\.(?:py|sh|bash)$")
_ELSEWHERE = re.compile(r"://|\*")
_SETTINGS = re.compile(r"\.(?:ya?ml|json|toml|cfg|ini|txt|jsonl)$")
_ENDS_COMMAND = re.compile(r"[;&|\n]+")
_DIRECT = re.compile(r"(?:^|[;&|\n(]|&&|\bthen\b|\bdo\b|\bexec\b)\s*(\./[\w./-]+)")
_WORKDIR = "/app/"  # where a task's bundle is unpacked


def named_files(program: Sequence[str]) -> tuple[str, ...]:
    """The words of a program that look like files of the folder: scripts first, then settings."""
    words = _words(program)
    scripts = [word for word in words if _SCRIPT.search(word) or word.startswith("./")]
    settings = [word.rpartition("=")[2] for word in words if _SETTINGS.search(word)]
    found = [
        word for word in (*scripts, *settings, *_modules(words)) if "://" not in word and "*" not in word
    ]
    return tuple(dict.fromkeys(word for word in found if word and not word.startswith(("$", "-"))))


def module_file(module: str) -> str:
    """Where the module of `python -m` stands, below the folder."""
    return module.replace(".", "/")


def check_files_shipped(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Every script that the program names is in the bundle."""
    command, statuses = run_command(facts), _statuses(facts)
    if command is None:
        return
    words = _words(command.program)
    for word, status in statuses.items():
        if status is FileStatus.SHIPPED:
            continue
        is_module = word in _modules(words)
        is_script = is_module or bool(_SCRIPT.search(word)) or word.startswith("./")
        yield from _not_shipped(word, status, is_script=is_script, is_module=is_module)


def check_executable(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """No file of the bundle is run by its own name: executable bits are lost on the way."""
    command = run_command(facts)
    if command is None or not command.program:
        return
    for script, at in _run_directly(command):
        accepted = was_accepted_before(facts)
        corrected: tuple[str, ...] = ()
        if at is not None:
            corrected = replaced(facts.submission.argv, at, _interpreter(script), script)
        yield PreflightFinding(
            NOT_EXECUTABLE,
            PreflightSeverity.WARN if accepted else PreflightSeverity.BLOCK,
            f"{script} cannot be run by its name: a bundle keeps no executable bits.",
            f"Run it as `{_interpreter(script)} {script}`.",
            corrected,
        )


def _run_directly(command: RunCommand) -> Iterator[tuple[str, int | None]]:
    """Scripts of the bundle that are run by name, and where the word stands in the command."""
    first = command.program[0]
    inside = shell_script(command.program)
    if inside is not None:
        if "chmod" not in inside:
            for found in _DIRECT.findall(inside):
                yield found, None
    elif (
        first.startswith("./")
        or (first.startswith(_WORKDIR) and _SCRIPT.search(first))
        or ("/" in first and not first.startswith(("/", "~", "$")) and _SCRIPT.search(first))
    ):
        yield first, command.program_at


def _not_shipped(
    word: str, status: FileStatus, *, is_script: bool, is_module: bool
) -> Iterator[PreflightFinding]:
    shown = f"The module {word.replace('/', '.')}" if is_module else f"The file {word}"
    match status:
        case FileStatus.IGNORED:
            reason, fix = (
                f"{shown} is not shipped: git or the client leaves it out.",
                "Take it out of .gitignore.",
            )
            blocks = True
        case FileStatus.OUTSIDE:
            reason = f"{shown} is outside of this folder, and only files of the folder are shipped."
            fix, blocks = "Submit from the folder that holds it, or copy it here.", is_script
        case _:
            reason, fix = (
                f"{shown} is not in this folder.",
                "Correct the path, or submit from the right folder.",
            )
            blocks = is_script
    severity = PreflightSeverity.BLOCK if blocks else PreflightSeverity.WARN
    yield PreflightFinding(NOT_SHIPPED, severity, reason, fix)


def _statuses(facts: SubmissionFacts) -> Mapping[str, FileStatus]:
    workspace = facts.command.workspace if facts.command else None
    return workspace.files if workspace else {}


def _words(program: Sequence[str]) -> tuple[str, ...]:
    """The words of a program; those of `bash -c '...'` as a shell splits them, files below the last `cd`.

    It ends where files are made or the folder is not known any more.
    """
    inside = shell_script(program)
    if inside is None:
        return tuple(program)
    words: list[str] = []
    folder, made = "", set[str]()
    for part in _ENDS_COMMAND.split(inside):
        try:
            split = shlex.split(part, comments=True)
        except ValueError:
            return ()
        name = split[0] if split else ""
        if name in ("cd", "pushd"):
            target = split[1] if len(split) == 2 else "/"
            if target.startswith(("/", "~", "-", "$", "..")) or target in made:
                break
            folder = posixpath.normpath(posixpath.join(folder, target))
        elif name == "mkdir":
            made.update(each for each in split[1:] if not each.startswith("-"))
        elif name in _MAKES_FILES:
            break
        else:
            words += [_below(folder, word) for word in split]
    return tuple(words)


def _below(folder: str, word: str) -> str:
    is_file = _SCRIPT.search(word) or _SETTINGS.search(word) or word.startswith("./")
    if not folder or not is_file or word.startswith(("/", "~", "$", "-")):
        return "python" if folder and word == "-m" else word  # a module below another folder: not looked for
    return posixpath.normpath(posixpath.join(folder, word))


def _modules(words: Sequence[str]) -> tuple[str, ...]:
    """The modules that `python -m` runs, as paths without a suffix."""
    return tuple(
        module_file(words[at + 1])
        for at, word in enumerate(words[:-1])
        if word == "-m" and at and "python" in words[at - 1].rpartition("/")[2]
    )


def shell_script(program: Sequence[str]) -> str | None:
    """What `bash -c` (or -lc, -euc) runs; None for another program."""
    if not program or program[0].rpartition("/")[2] not in _SHELLS:
        return None
    for at, word in enumerate(program[1:-1], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return program[at + 1]
    return None


def _interpreter(script: str) -> str:
    return "python" if script.endswith(".py") else "bash"
