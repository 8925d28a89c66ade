"""Does the cluster accept our credentials?"""

from collections.abc import Iterator

from babysitter.preflight.facts import Known, Login, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "login-missing"


def check_login(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The cluster asks nobody who they are, or accepts who we are."""
    match facts.login:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=Login.REFUSED):
            yield PreflightFinding(
                ID,
                PreflightSeverity.BLOCK,
                "The cluster wants a login, and there is none that it accepts.",
                "Run `iris login` for this cluster as the user of the service.",
            )
