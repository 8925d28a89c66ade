"""Can this submission be made at all?"""

from collections.abc import Iterator

from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity

ID = "nothing-to-submit"


def check_possible(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The submission has a command or a request, a name, and every value."""
    if facts.fault:
        yield PreflightFinding(ID, PreflightSeverity.BLOCK, facts.fault, facts.fault_fix)
