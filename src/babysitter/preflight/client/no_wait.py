"""Does a resubmission return as soon as the job is accepted?"""

from collections.abc import Iterator

from babysitter.preflight.command_line import with_switch
from babysitter.preflight.facts import Purpose, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import run_command

ID = "no-wait"
_FLAG = "--no-wait"


def check_no_wait(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A command that waits for the job's end is ended at a time limit, and takes the new job with it."""
    command = run_command(facts)
    if command is None or facts.purpose is not Purpose.RESUBMIT or command.has(_FLAG):
        return
    yield PreflightFinding(
        ID,
        PreflightSeverity.BLOCK,
        "The command waits for the end of the job; when it is interrupted it stops the job.",
        f"Add {_FLAG}.",
        with_switch(facts.submission.argv, _FLAG),
    )
