"""Is there a program of that name where the job runs? The client runs words, not a shell line."""

import re
from collections.abc import Iterator

from babysitter.preflight.command_line import RunCommand, replaced
from babysitter.preflight.facts import FileStatus, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import run_command, was_accepted_before

ID = "program-not-found"

# Words that only a shell knows; those that also exist as programs (`test`, `true`, `kill`) are left out.
_BUILTINS = ". source cd pushd popd export unset set alias eval exec ulimit trap shopt declare local readonly"
_KEYWORDS = "if for while until case function { [[ ("
_OF_SHELLS = frozenset((*_BUILTINS.split(), *_KEYWORDS.split()))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SCRIPT_NAME = re.compile(r"[\w-]+\.(?:py|sh|bash)")
_COMMON = ("python", "python3", "bash", "torchrun", "accelerate", "deepspeed")
_QUOTED = re.compile(r"\s")


def check_program_found(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The first word of the program is one that can be started: no shell word, assignment or whole line."""
    command = run_command(facts)
    if command is None or not command.program:
        return
    found = _fault(command, facts)
    if found is None:
        return
    reason, fix, corrected = found
    severity = PreflightSeverity.WARN if was_accepted_before(facts) else PreflightSeverity.BLOCK
    yield PreflightFinding(ID, severity, reason, fix, corrected)


def _fault(command: RunCommand, facts: SubmissionFacts) -> tuple[str, str, tuple[str, ...]] | None:
    """Reason, fix and corrected command; None for a word that may be a program."""
    first, at, argv = command.program[0], command.program_at, facts.submission.argv

    def put(*words: str) -> tuple[str, ...]:
        return () if at is None else replaced(argv, at, *words)

    if _QUOTED.search(first.strip()):
        reason = f"`{first}` is one word, so a program of that whole name is looked for."
        corrected = put("bash", "-c", first) if len(command.program) == 1 else ()
        return reason, "Leave the quotes out, or write it behind `bash -c`.", corrected
    if _ASSIGNMENT.match(first):
        reason = f"`{first}` is taken for the program: no shell reads the words behind `--`."
        return reason, "Give the variable with `-e KEY VALUE`, or write `env` before it.", put("env", first)
    if first in _OF_SHELLS:
        reason = f"`{first}` is a word of shells, and no shell reads the words behind `--`."
        return reason, "Write the line behind `bash -c '...'`.", ()
    if _SCRIPT_NAME.fullmatch(first) and _files(facts).get(first) is FileStatus.SHIPPED:
        interpreter = "python" if first.endswith(".py") else "bash"
        reason = f"`{first}` is looked for among the installed programs, not in the folder."
        return reason, f"Run it as `{interpreter} {first}`.", put(interpreter, first)
    if (meant := _misspelt(first)) is not None:
        return f"There is no program `{first}`.", f"`{meant}` is probably meant.", put(meant)
    return None


def _files(facts: SubmissionFacts) -> dict[str, FileStatus]:
    workspace = facts.command.workspace if facts.command else None
    return dict(workspace.files) if workspace else {}


def _misspelt(word: str) -> str | None:
    """The common program of which this word has two letters exchanged or one missing."""
    if word in _COMMON:
        return None
    for name in _COMMON:
        if sorted(word) == sorted(name):
            return name
        if len(name) >= len("python") and word in {name[:at] + name[at + 1 :] for at in range(1, len(name))}:
            return name
    return None
