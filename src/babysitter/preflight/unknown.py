"""The finding for a check that could not be made."""

from babysitter.preflight.facts import NotKnown
from babysitter.preflight.preflight_finding import (
    NOT_CHECKED,
    PreflightFinding,
    PreflightSeverity,
)


def not_checked(about: str, unknown: NotKnown) -> PreflightFinding:
    """`about`: the id of the check that needed the fact."""
    return PreflightFinding(
        NOT_CHECKED,
        PreflightSeverity.WARN,
        f"Not checked ({about}): {unknown.reason}",
        unknown.fix or ("Try again in a minute." if unknown.may_pass else ""),
        about=about,
        may_pass=unknown.may_pass,
    )
