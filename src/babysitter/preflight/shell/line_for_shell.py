"""Does `bash -c` get a whole line that it can read?"""

from collections.abc import Iterator

from babysitter.preflight.client.client_tables import COMMON_PROGRAMS
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.program.program_runs import script_at
from babysitter.preflight.program.wrapped_program import unwrapped
from babysitter.preflight.run_command import run_command, was_accepted_before

ID = "line-for-shell"


def check_line_for_shell(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """What stands behind `bash -c` is one word that holds the whole line, with its quotes closed."""
    command = run_command(facts)
    if command is None or not command.program:
        return
    words = unwrapped(command.program).words
    at = script_at(words)
    if at is None:
        return
    workspace = facts.command.workspace if facts.command else None
    severity = PreflightSeverity.WARN if was_accepted_before(facts) else PreflightSeverity.BLOCK
    if at >= len(words):
        fix = "Write the line behind it, in quotes."
        yield PreflightFinding(ID, severity, f"`{' '.join(words[:at])}` has no line to run.", fix)
    elif words[at] in COMMON_PROGRAMS and at + 1 < len(words):
        lost = " ".join(words[at + 1 :])
        reason = f"`{words[0]} {words[at - 1]}` takes one word: it runs `{words[at]}` without `{lost}`."
        argv = facts.submission.argv
        is_at_end = command.has_separator and argv[-len(words) :] == words
        corrected = (*argv[: at - len(words)], " ".join(words[at:])) if is_at_end else ()
        yield PreflightFinding(ID, severity, reason, "Put the whole line in quotes.", corrected)
    elif workspace and workspace.shell_fault:
        reason = f"bash cannot read the line behind `{words[at - 1]}`: {workspace.shell_fault}."
        yield PreflightFinding(
            ID, severity, reason, "Close its quotes and brackets; mind the quotes around it."
        )
