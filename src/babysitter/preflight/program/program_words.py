"""Is there a program to run, and does the client leave its words alone?"""

from collections.abc import Iterator

from babysitter.preflight.client.client_tables import option_table
from babysitter.preflight.command_line import SEPARATOR, RunCommand
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import generation_of, run_command, was_accepted_before

NO_PROGRAM = "no-program"
MISSING_SEPARATOR = "missing-separator"
SWALLOWED_WORD = "swallowed-word"


def check_program_given(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The command names a program to run."""
    command = run_command(facts)
    if command is not None and not (command.program and command.program[0].strip()):
        fix = "Write the program and its arguments behind `--`."
        yield PreflightFinding(
            NO_PROGRAM, PreflightSeverity.BLOCK, "The command names no program to run.", fix
        )


def check_separator(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The program stands behind `--`: without it, the client takes options that it knows from the program.

    A warning, but a cluster of letters (`bash -lec`) that the client takes apart blocks: the program loses
    its command.
    """
    command = run_command(facts)
    if command is None or command.has_separator or command.program_at is None or _eats_separator(command):
        return
    if command.program[0].startswith("-"):
        return  # reported as an unknown option
    taken = [use for use in command.uses if use.in_program]
    argv, at = facts.submission.argv, command.program_at
    torn = [use for use in taken if not argv[use.at].startswith(use.name)]
    reason = "There is no `--` before the program."
    if taken:
        names = ", ".join(" ".join((use.name, *use.values)) for use in taken)
        reason = f"There is no `--` before the program, so iris takes {names} for its own."
    blocks = bool(torn) and not was_accepted_before(facts)
    severity = PreflightSeverity.BLOCK if blocks else PreflightSeverity.WARN
    corrected = (*argv[:at], SEPARATOR, *argv[at:])
    yield PreflightFinding(MISSING_SEPARATOR, severity, reason, "Write `--` before the program.", corrected)


def check_swallowed_words(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """No option takes `--` or another option of iris as its value, as `-e KEY $UNSET` does."""
    command = run_command(facts)
    if command is None:
        return
    accepted = was_accepted_before(facts)
    known = option_table().run_options(generation_of(facts))
    names = {name for option in known for name in option.names}
    for use in command.uses:
        for value in use.values:
            if value == SEPARATOR or (value.startswith("--") and value in names):
                words = " ".join((use.name, *use.values))
                yield PreflightFinding(
                    SWALLOWED_WORD,
                    PreflightSeverity.WARN if accepted else PreflightSeverity.BLOCK,
                    f"`{words}` takes `{value}` as a value; a variable before it was probably empty.",
                    f"Give {use.name} its value, or set the variable.",
                )


def _eats_separator(command: RunCommand) -> bool:
    return any(SEPARATOR in use.values for use in command.uses)
