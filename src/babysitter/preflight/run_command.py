"""The command of a submission as its client reads it, for the checks that look at words."""

from babysitter.model.submission import SubmissionOrigin
from babysitter.preflight.client.client_tables import option_table
from babysitter.preflight.command_line import RunCommand, parse_run
from babysitter.preflight.facts import Known, SubmissionFacts


def generation_of(facts: SubmissionFacts) -> str:
    """april, may or august; "" while the controller's generation is not known."""
    return facts.generation.value if isinstance(facts.generation, Known) else ""


def run_command(facts: SubmissionFacts) -> RunCommand | None:
    """None for a submission over HTTP, and for a command that is not a `job run`."""
    if facts.command is None:
        return None
    return parse_run(facts.submission.argv, option_table().run_options(generation_of(facts)))


def was_accepted_before(facts: SubmissionFacts) -> bool:
    """Whether the cluster accepted this very command once: its record is where the command comes from."""
    return facts.submission.origin is SubmissionOrigin.CONTROLLER
