"""Runs every check over the facts of one submission."""

from babysitter.preflight.checks import CHECKS
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding


def check_submission(facts: SubmissionFacts) -> tuple[PreflightFinding, ...]:
    """Every finding, blocking ones first, otherwise in the order of the table."""
    found = [finding for check in CHECKS.values() for finding in check(facts)]
    return tuple(sorted(found, key=lambda finding: not finding.blocks))
