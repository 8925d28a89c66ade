"""What is said of rules that count as hints. Pure."""

from collections.abc import Iterable

from babysitter.model.verdict import DEMOTED, Reason


def demotion_lines(reasons: Iterable[Reason]) -> list[str]:
    """One sentence for each demoted rule among the reasons of a verdict."""
    demoted = (each for each in reasons if each.name.endswith(DEMOTED))
    return [f"Rule {each.name.removesuffix(DEMOTED)} {each.text}." for each in demoted]
