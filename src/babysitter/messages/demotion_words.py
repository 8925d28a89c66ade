"""What is said of rules that count as hints. Pure."""

from collections.abc import Iterable

from babysitter.model.verdict import DEMOTED, Reason


def demotion_lines(reasons: Iterable[Reason]) -> list[str]:
    """One sentence for each demoted rule among the reasons of a verdict."""
    demoted = (reason for reason in reasons if reason.name.endswith(DEMOTED))
    return [f"Rule {reason.name.removesuffix(DEMOTED)} {reason.text}." for reason in demoted]
