"""Is there a program of that name where the job runs? The client runs words, not a shell line."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from babysitter.preflight.client.client_tables import COMMON_PROGRAMS, absent_programs
from babysitter.preflight.command_line import SEPARATOR, RunCommand, replaced
from babysitter.preflight.facts import FileStatus, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.program.needed_files import is_python
from babysitter.preflight.program.program_runs import ProgramRun, program_runs, shell_script
from babysitter.preflight.program.python_command import python_command
from babysitter.preflight.program.wrapped_program import unwrapped
from babysitter.preflight.run_command import run_command, was_accepted_before

ID = "program-not-found"

# Words that only a shell knows; those that also exist as programs (`test`, `true`, `kill`) are left out.
_BUILTINS = ". source cd pushd popd export unset set alias eval exec ulimit trap shopt declare local readonly"
_KEYWORDS = "if for while until case function { [[ ("
_OF_SHELLS = frozenset((*_BUILTINS.split(), *_KEYWORDS.split()))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
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
    tolerated = was_accepted_before(facts) or not found.is_certain
    severity = PreflightSeverity.WARN if tolerated else PreflightSeverity.BLOCK
    yield PreflightFinding(ID, severity, found.reason, found.fix, found.corrected)


@dataclass(frozen=True, slots=True)
class _Fault:
    """`is_certain`: the job cannot end well with it."""

    reason: str
    fix: str
    corrected: tuple[str, ...] = ()
    is_certain: bool = True


def _fault(command: RunCommand, facts: SubmissionFacts) -> _Fault | None:
    """None for a word that may be a program."""
    first, at, argv = command.program[0], command.program_at, facts.submission.argv

    def put(*words: str) -> tuple[str, ...]:
        return () if at is None else replaced(argv, at, *words)

    if _QUOTED.search(first.strip()):
        reason = f"`{first}` is one word, so a program of that whole name is looked for."
        corrected = put("bash", "-c", first) if len(command.program) == 1 else ()
        return _Fault(reason, "Leave the quotes out, or write it behind `bash -c`.", corrected)
    if _ASSIGNMENT.match(first):
        reason = f"`{first}` is taken for the program: no shell reads the words behind `--`."
        return _Fault(
            reason, "Give the variable with `-e KEY VALUE`, or write `env` before it.", put("env", first)
        )
    if first in _OPERATORS or first.startswith(("$", "~/", "`")):
        reason = f"`{first}` is taken for the program as it is written: no shell reads the words behind `--`."
        return _Fault(reason, "Write the line behind `bash -c '...'`.", ())
    if first in _OF_SHELLS:
        reason = f"`{first}` is a word of shells, and no shell reads the words behind `--`."
        return _Fault(reason, "Write the line behind `bash -c '...'`.", ())
    if first.startswith(_OF_THIS_MACHINE):
        reason = f"`{first}` is a path of this machine, which the task does not have."
        return _Fault(reason, "Name the program, or a file of the folder by its relative path.", ())
    if stray := _stray(command, argv):
        reason = f"`{stray}` stands before `--` and belongs to no option, so it is taken for the program."
        return _Fault(reason, "Leave it out, or give it to its option.", put())
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
) -> _Fault | None:
    """A fault of the program that is run in the end, or of one that runs it."""
    program = unwrapped(command.program)
    inner = program.words[0].rpartition("/")[2] if program.words else ""
    if not command.has("--task-image") and not (facts.offer and facts.offer.is_local):
        for name in (*program.wrappers, inner):
            if name in absent_programs():
                return _Fault(f"The image of tasks has no program `{name}`.", "Start the program without it.")
    is_first = not program.wrappers and shell_script(program.words) is None
    faults = [
        replace(
            found,
            corrected=put(*found.corrected) if is_first and found.corrected else (),
            is_certain=run.is_certain,
        )
        for run in program_runs(command.program)
        if (found := _fault_of_run(run, facts)) is not None
    ]
    return next((fault for fault in faults if fault.is_certain), next(iter(faults), None))


def _fault_of_run(run: ProgramRun, facts: SubmissionFacts) -> _Fault | None:
    """Why this program cannot be started. `corrected`: what to write in the place of its first word."""
    words, word = run.words, run.words[0] if run.words else ""
    if (meant := _misspelt(word)) is not None:
        return _Fault(f"No program is called `{word}`.", f"`{meant}` is probably meant.", (meant,))
    if _is_bare_file(run, facts):
        interpreter = "python" if word.endswith(".py") else "bash"
        reason = f"`{word}` is looked for among the installed programs, not in the folder."
        return _Fault(reason, f"Run it as `{interpreter} {word}`.", (interpreter, word))
    if is_python(word.rpartition("/")[2]):
        python = python_command(words)
        if python.lacks_word:
            reason = f"`{word} {python.lacks_word}` does not say what to run."
            return _Fault(reason, "Write it behind the option.")
        if python.unknown and "pypy" not in word:
            reason = f"python has no option {python.unknown}."
            return _Fault(reason, "Write the options of a script behind its name.")
    if uv := _misspelt_uv(words):
        return _Fault(f"`uv {words[1]}` is not a command of uv.", f"`uv {uv}` is probably meant.")
    if word in ("bash", "sh") and words[1:2] and words[1] in COMMON_PROGRAMS:
        reason = f"`{word} {words[1]}` takes the program {words[1]} for a script of the shell."
        return _Fault(reason, f"Leave `{word}` out, or put the line in quotes behind `{word} -c`.")
    return None


def _is_bare_file(run: ProgramRun, facts: SubmissionFacts) -> bool:
    """Whether a file of the bundle is started by its name alone, which no PATH holds."""
    workspace = facts.command.workspace if facts.command else None
    name = run.bare_name()
    if workspace is None or not name or run.words[0] in workspace.commands:
        return False
    return workspace.files.get(name) is FileStatus.SHIPPED


def _misspelt_uv(words: tuple[str, ...]) -> str:
    """The command of uv that was probably meant, "" for one that may be right."""
    if words[:1] != ("uv",) or words[1:2] in ((), *((command,) for command in _UV_COMMANDS)):
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
