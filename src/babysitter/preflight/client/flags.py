"""Does the client of this generation know every option of the command?"""

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from babysitter.preflight.client.client_tables import GENERATIONS, Option, option_table
from babysitter.preflight.command_line import RunCommand, replaced, run_index
from babysitter.preflight.facts import NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import generation_of, run_command
from babysitter.preflight.unknown import not_checked

ID = "unknown-flag"


def check_flags(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """No option is unknown: none before `job run`, and the first word of the program is not an option.

    The client lets options that it does not know pass as words of the program, and refuses a command whose
    program begins with one.
    """
    command = run_command(facts)
    if command is None:
        return
    generation = generation_of(facts)
    if before := _unknown_before_job(facts.submission.argv):
        yield before
    if command.program and command.program[0].startswith("-"):
        yield _unknown(facts.submission.argv, command, generation)
    if not generation:
        newer = [use.name for use in command.uses if set(use.option.generations) != set(GENERATIONS)]
        if newer and isinstance(facts.generation, NotKnown):
            reason = f"Not every generation knows {', '.join(newer)}. {facts.generation.reason}"
            yield not_checked(ID, replace(facts.generation, reason=reason))


def _unknown_before_job(argv: tuple[str, ...]) -> PreflightFinding | None:
    """The first option between `iris` and `job run` that the client does not know."""
    head = argv[: run_index(argv)]
    clients = [at for at, word in enumerate(head) if word.rpartition("/")[2] == "iris"]
    at = clients[-1] + 1 if clients else len(head)
    takes = {name: option.takes for option in option_table().program for name in option.names}
    while at < len(head) and head[at].startswith("-"):
        name, has_value, value = head[at].partition("=")
        if name not in takes:
            near = next(iter(get_close_matches(name, list(takes), n=1, cutoff=0.7)), "")
            reason = f"The iris client does not know the option {name} before `job run`."
            fix = f"Did you mean {near}?" if near else "Remove it, or write it behind `job run`."
            corrected = replaced(argv, at, *((f"{near}={value}",) if value else (near,))) if near else ()
            return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, fix, corrected)
        at += 1 + (0 if has_value else takes[name])
    return None


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
    return tuple(generation.capitalize() for option in found for generation in option.generations)
