"""Rules that people keep calling wrong count as hints, which yield to a sign or a proof. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from babysitter.diagnosis.causes.signature_files import STRENGTHS
from babysitter.model.finding import Findings
from babysitter.model.ids import RuleId
from babysitter.model.verdict import DEMOTED, Reason

HINT = STRENGTHS["hint"]
NOTHING_DEMOTED: Mapping[RuleId, str] = {}


def demote(findings: Findings, demoted: Mapping[RuleId, str]) -> tuple[Findings, tuple[Reason, ...]]:
    """The findings with those of demoted rules as hints at most, and why. `demoted`: rule -> reason."""
    affected = [finding for finding in findings.all if finding.rule in demoted and finding.confidence > HINT]
    if not affected:
        return findings, ()
    lowered = tuple(
        replace(finding, confidence=min(finding.confidence, HINT)) if finding.rule in demoted else finding
        for finding in findings.all
    )
    rules = dict.fromkeys(finding.rule for finding in affected)
    return replace(findings, all=lowered), tuple(
        Reason(f"{rule}{DEMOTED}", True, demoted[rule]) for rule in rules
    )
