"""Are the variables set that are to be taken from the environment?"""

from collections.abc import Iterator

from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity

ID = "variable-missing"


def check_variables(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Every variable that was named to be taken from the environment is set there."""
    if names := facts.missing_variables:
        yield PreflightFinding(
            ID,
            PreflightSeverity.BLOCK,
            f"Not set in the environment of the service: {', '.join(names)}.",
            "Set it there and start the service again; the values are read at the restart.",
        )
