"""Do the files that the program names reach the job, and can they be run there?"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from babysitter.preflight.command_line import RunCommand, replaced
from babysitter.preflight.facts import FileStatus, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.program.needed_files import SCRIPT, NeededFile, is_installed
from babysitter.preflight.program.program_runs import ProgramRun, program_runs, shell_script
from babysitter.preflight.program.wrapped_program import unwrapped, uv_command
from babysitter.preflight.run_command import run_command, was_accepted_before

NOT_SHIPPED = "file-not-shipped"
NOT_EXECUTABLE = "not-executable"

LOCK = "uv.lock"
_WORKDIR = "/app/"  # where a task's bundle is unpacked


def named_files(program: Sequence[str]) -> tuple[str, ...]:
    """What the program needs of the folder: scripts before other files, modules as `-m NAME`."""
    needed = [needed_file for needed_file, _ in _needed(program)]
    scripts = [
        needed_file.word
        for needed_file in needed
        if SCRIPT.search(needed_file.path) and not needed_file.is_module
    ]
    return tuple(dict.fromkeys((*scripts, *(needed_file.word for needed_file in needed))))


def bare_names(program: Sequence[str]) -> tuple[str, ...]:
    """What the program starts by a name without a folder: files of these names are not found."""
    return tuple(dict.fromkeys(name for run in program_runs(program) if (name := run.bare_name())))


def _needed(program: Sequence[str]) -> Iterator[tuple[NeededFile, bool]]:
    """Every file, and whether it is needed in every case."""
    for run in program_runs(program):
        for file in run.files():
            yield file, run.is_certain
        uv = uv_command(run.typed)
        if uv is not None and uv.needs_lock and not run.folder:
            yield NeededFile(LOCK), run.is_certain


def check_files_shipped(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Every script that the program names is in the bundle."""
    command, statuses = run_command(facts), _statuses(facts)
    if command is None:
        return
    told, not_entered = set[str](), list[str]()  # `cd a; python x.py` goes on where it is without a
    for file, is_certain in _needed(command.program):
        status = statuses.get(file.word, FileStatus.SHIPPED)
        if status is FileStatus.SHIPPED or file.word in told:
            continue
        told.add(file.word)
        is_elsewhere = file.path.startswith(tuple(not_entered))
        if file.path.endswith("/") and not is_certain:
            not_entered.append(file.path)
        yield _not_shipped(file, status, is_certain=is_certain and not is_elsewhere)


def check_executable(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """No file of the bundle is run by its own name: executable bits are lost on the way."""
    command = run_command(facts)
    if command is None or not command.program:
        return
    in_shell = shell_script(unwrapped(command.program).words) is not None
    for run in program_runs(command.program):
        if run.has_bits or not run.words or not _is_run_directly(run):
            continue
        script = run.words[0]
        tolerated = was_accepted_before(facts) or not run.is_certain
        yield PreflightFinding(
            NOT_EXECUTABLE,
            PreflightSeverity.WARN if tolerated else PreflightSeverity.BLOCK,
            f"{script} cannot be run by its name: a bundle keeps no executable bits.",
            f"Run it as `{_interpreter(script)} {script}`.",
            () if in_shell else _corrected(facts, command, script),
        )


def _is_run_directly(run: ProgramRun) -> bool:
    """Whether the first word is a script of the bundle that was not made by the line itself."""
    first = run.words[0]
    if posixpath.normpath(first) in run.made:
        return False
    if first.startswith(_WORKDIR):
        return bool(SCRIPT.search(first))
    if "/" not in first or first.startswith(("~", "$")) or is_installed(first):
        return False
    return first.startswith("./") or bool(SCRIPT.search(first))


def _corrected(facts: SubmissionFacts, command: RunCommand, script: str) -> tuple[str, ...]:
    if command.program_at is None or command.program[0] != script:
        return ()
    return replaced(facts.submission.argv, command.program_at, _interpreter(script), script)


def _not_shipped(file: NeededFile, status: FileStatus, *, is_certain: bool) -> PreflightFinding:
    kind = "module" if file.is_module else "folder" if file.path.endswith("/") else "file"
    shown = f"The {kind} {file.path.rstrip('/')}"
    blocks = is_certain and file.is_demanded
    match status:
        case FileStatus.IGNORED:
            reason = f"{shown} is not shipped: git or the client leaves it out."
            fix = "Take it out of .gitignore."
            blocks = is_certain
        case FileStatus.OUTSIDE:
            reason = f"{shown} is outside of this folder, and only files of the folder are shipped."
            fix = "Submit from the folder that holds it, or copy it here."
        case FileStatus.NOT_RUNNABLE:
            reason = f"The package {file.path} has no __main__ module: `python -m` cannot run it."
            fix = "Name a module of the package."
        case _:
            reason = f"{shown} is not in this folder."
            fix = "Correct the path, or submit from the right folder."
    severity = PreflightSeverity.BLOCK if blocks else PreflightSeverity.WARN
    return PreflightFinding(NOT_SHIPPED, severity, reason, fix)


def _statuses(facts: SubmissionFacts) -> Mapping[str, FileStatus]:
    workspace = facts.command.workspace if facts.command else None
    return workspace.files if workspace else {}


def _interpreter(script: str) -> str:
    return "python" if script.endswith(".py") else "bash"
