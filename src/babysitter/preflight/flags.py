"""Does the client of this generation know every option of the command?"""

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from babysitter.preflight.client_tables import GENERATIONS, Option, option_table
from babysitter.preflight.command_line import RunCommand, replaced
from babysitter.preflight.facts import NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import generation_of, run_command
from babysitter.preflight.unknown import not_checked

ID = "unknown-flag"


def check_flags(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The first word of the program is not an option.

    The client lets options that it does not know pass as words of the program, and refuses a command whose
    program begins with one.
    """
    command = run_command(facts)
    if command is None:
        return
    generation = generation_of(facts)
    if command.program and command.program[0].startswith("-"):
        yield _unknown(facts.submission.argv, command, generation)
    if not generation:
        newer = [use.name for use in command.uses if set(use.option.generations) != set(GENERATIONS)]
        if newer and isinstance(facts.generation, NotKnown):
            reason = f"Not every generation knows {', '.join(newer)}. {facts.generation.reason}"
            yield not_checked(ID, replace(facts.generation, reason=reason))


def _unknown(argv: tuple[str, ...], command: RunCommand, generation: str) -> PreflightFinding:
    word, at = command.program[0], command.program_at
    name, _, value = word.partition("=")
    whose = f"of {generation.capitalize()} " if generation else ""
    reason = f"The iris client {whose}does not know the option {name}."
    if others := _generations_that_know(name):
        reason += f" Others do: {', '.join(others)}."
    if command.has_separator and at is not None and at > 0 and argv[at - 1] == "--":
        fix = "Options of iris stand before `--`, the program behind it."
        return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, fix)
    suggested = _nearest(name, generation)
    if not suggested or at is None or argv[at].partition("=")[0] != name:
        return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, "Remove it; see `iris job run --help`.")
    words = (f"{suggested}={value}",) if value else (suggested,)
    corrected = replaced(argv, at, *words)
    return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, f"Did you mean {suggested}?", corrected)


def _nearest(name: str, generation: str) -> str:
    """The option that was probably meant, "" when none is near."""
    known = [spelling for option in option_table().run_options(generation) for spelling in option.names]
    for meant in option_table().meant.get(name, ()):
        if meant in known:
            return meant
    close = get_close_matches(name, known, n=1, cutoff=0.7)
    return close[0] if close else ""


def _generations_that_know(name: str) -> tuple[str, ...]:
    found: list[Option] = [option for option in option_table().run if name in option.names]
    return tuple(each.capitalize() for option in found for each in option.generations)
