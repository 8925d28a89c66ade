"""Can the command be started on this machine?"""

from collections.abc import Iterator

from babysitter.preflight.facts import Known, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "command-not-runnable"


def check_program(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The first word of the command is a program that can be started here."""
    if facts.command is None:
        return
    match facts.command.program_found:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=False):
            name = facts.submission.argv[0]
            yield PreflightFinding(
                ID,
                PreflightSeverity.BLOCK,
                f"`{name}` cannot be run here.",
                f"Install `{name}` on the machine of the service, or name it with its full path.",
            )
