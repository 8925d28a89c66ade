"""Is there a program of that name where the job runs? The client runs words, not a shell line."""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches

from babysitter.preflight.client_tables import COMMON_PROGRAMS, absent_programs
from babysitter.preflight.command_line import SEPARATOR, RunCommand, replaced
from babysitter.preflight.facts import FileStatus, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.program_runs import program_runs, shell_script
from babysitter.preflight.run_command import run_command, was_accepted_before
from babysitter.preflight.wrapped_program import unwrapped

ID = "program-not-found"

# Words that only a shell knows; those that also exist as programs (`test`, `true`, `kill`) are left out.
_BUILTINS = ". source cd pushd popd export unset set alias eval exec ulimit trap shopt declare local readonly"
_KEYWORDS = "if for while until case function { [[ ("
_OF_SHELLS = frozenset((*_BUILTINS.split(), *_KEYWORDS.split()))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SCRIPT_NAME = re.compile(r"[\w-]+\.(?:py|sh|bash)")
_UV_COMMANDS = (
    *("add", "auth", "build", "cache", "export", "format", "help", "init", "lock", "pip", "publish"),
    *("python", "remove", "run", "self", "sync", "tool", "tree", "venv", "version"),
)
_OPERATORS = frozenset(("&&", "||", "|", ";", "&", ">", "<", "(", ")", "!"))
_OF_THIS_MACHINE = ("/home/", "/Users/")
_QUOTED = re.compile(r"\s")


def check_program_found(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The first word of the program can be started: no shell word, assignment, whole line or stray word."""
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
    if first in _OPERATORS or first.startswith(("$", "~/", "`")):
        reason = f"`{first}` is taken for the program as it is written: no shell reads the words behind `--`."
        return reason, "Write the line behind `bash -c '...'`.", ()
    if first in _OF_SHELLS:
        reason = f"`{first}` is a word of shells, and no shell reads the words behind `--`."
        return reason, "Write the line behind `bash -c '...'`.", ()
    if _SCRIPT_NAME.fullmatch(first) and _files(facts).get(first) is FileStatus.SHIPPED:
        interpreter = "python" if first.endswith(".py") else "bash"
        reason = f"`{first}` is looked for among the installed programs, not in the folder."
        return reason, f"Run it as `{interpreter} {first}`.", put(interpreter, first)
    if first.startswith(_OF_THIS_MACHINE):
        reason = f"`{first}` is a path of this machine, which the task does not have."
        return reason, "Name the program, or a file of the folder by its relative path.", ()
    if stray := _stray(command, argv):
        reason = f"`{stray}` stands before `--` and belongs to no option, so it is taken for the program."
        return reason, "Leave it out, or give it to its option.", put()
    return _inner_fault(command, facts, put)


def _stray(command: RunCommand, argv: tuple[str, ...]) -> str:
    """A word before `--` that cannot be a program, while the program stands behind it; "" without one."""
    first, at = command.program[0], command.program_at
    behind = argv[argv.index(SEPARATOR) + 1 :] if command.has_separator and SEPARATOR in argv else ()
    if at is None or len(command.program) != len(behind) + 1:
        return ""
    is_wrapper = bool(unwrapped(command.program).wrappers) or first.startswith("-")
    return first if behind and behind[0] in COMMON_PROGRAMS and not is_wrapper else ""


def _inner_fault(
    command: RunCommand, facts: SubmissionFacts, put: Callable[..., tuple[str, ...]]
) -> tuple[str, str, tuple[str, ...]] | None:
    """A fault of the program that is run in the end, or of one that runs it."""
    program = unwrapped(command.program)
    inner = program.words[0].rpartition("/")[2] if program.words else ""
    if not command.has("--task-image") and not (facts.offer and facts.offer.is_local):
        for name in (*program.wrappers, inner):
            if name in absent_programs():
                return f"The image of tasks has no program `{name}`.", "Start the program without it.", ()
    is_first = not program.wrappers and shell_script(program.words) is None
    for run in program_runs(command.program):
        word = run.words[0] if run.words else ""
        if run.is_certain and (meant := _misspelt(word)) is not None:
            corrected = put(meant) if is_first else ()
            return f"No program is called `{word}`.", f"`{meant}` is probably meant.", corrected
        if run.is_certain and run.words[1:] in (("-m",), ("-c",)) and word in ("python", "python3"):
            return f"`{word} {run.words[1]}` does not say what to run.", "Write it behind the option.", ()
        if run.is_certain and (uv := _misspelt_uv(run.words)):
            return f"`uv {run.words[1]}` is not a command of uv.", f"`uv {uv}` is probably meant.", ()
        if run.is_certain and word in ("bash", "sh") and run.words[1:2] and run.words[1] in COMMON_PROGRAMS:
            reason = f"`{word} {run.words[1]}` takes the program {run.words[1]} for a script of the shell."
            return reason, f"Leave `{word}` out, or put the line in quotes behind `{word} -c`.", ()
    return None


def _files(facts: SubmissionFacts) -> dict[str, FileStatus]:
    workspace = facts.command.workspace if facts.command else None
    return dict(workspace.files) if workspace else {}


def _misspelt_uv(words: tuple[str, ...]) -> str:
    """The command of uv that was probably meant, "" for one that may be right."""
    if words[:1] != ("uv",) or words[1:2] in ((), *((each,) for each in _UV_COMMANDS)):
        return ""
    return next(iter(get_close_matches(words[1], ("run", "sync"), n=1)), "")


def _misspelt(word: str) -> str | None:
    """The common program of which this word has two letters exchanged or one missing."""
    if word in COMMON_PROGRAMS:
        return None
    for name in COMMON_PROGRAMS:
        if sorted(word.lower()) == sorted(name):
            return name
        if len(name) >= len("python") and word in {name[:at] + name[at + 1 :] for at in range(1, len(name))}:
            return name
    return None
