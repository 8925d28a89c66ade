"""How good runs change findings: a report that stood in them too is not an alarm, and a new one has support.

What is not a line (an exit, a state, a dump) is a proof, and is never calmed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.last_good.build_profile import CLOSING_LINES, Wording
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.last_good.wording import read_wording
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.log import LogLine
from babysitter.model.run_profile import RunProfile

ALSO_IN_GOOD_RUNS = RuleId("last-good.also-in-good-runs")
SAME_RATE = 3.0  # times as often as in the good runs at most
FEW_LINES = 3  # so few lines are not another rate
SUPPORT = 0.05  # of a report in words that no good run printed
MAX_CONFIDENCE = 0.95
MAX_LINES = 400  # newest that are searched for reports that good runs printed too


class KnownReports:
    """Which reports of a run stood in the good runs as well, at the same place and rate."""

    def __init__(self, good: GoodRuns, profile: RunProfile, *, is_over: bool) -> None:
        self._good = good
        self._counts = {template.words: template.count for template in profile.templates}
        closing = profile.closing if is_over else ()
        self._last: frozenset[Wording] = frozenset(closing[-CLOSING_LINES:])
        self._good_last = frozenset(words for run_profile in good.profiles for words in run_profile.closing)

    def covers(self, text: str) -> bool:
        """Whether a line stood in the good runs: not much more often now, and not behind the last work."""
        words = read_wording(text)
        known = self._good.known_as(words) if words else None
        if known is None:
            return False
        usual = max(self._good.counts(known), default=0)
        is_same_rate = self._counts.get(words, 1) <= max(FEW_LINES, SAME_RATE * usual)
        is_same_place = words not in self._last or known in self._good_last
        return is_same_rate and is_same_place

    def is_new(self, text: str) -> bool:
        """Whether no good run printed such a line."""
        words = read_wording(text)
        return bool(words) and self._good.known_as(words) is None


def with_good_runs(findings: Findings, known: KnownReports) -> Findings:
    """Findings whose every line stood in good runs are cancelled; those on a new report gain confidence."""
    kept: list[Finding] = []
    cancelled = list(findings.cancelled)
    for finding in findings.all:
        if _is_calmed(finding, known):
            cancelled.append((finding, ALSO_IN_GOOD_RUNS))
        else:
            kept.append(_supported(finding, known))
    return replace(findings, all=tuple(kept), cancelled=tuple(cancelled))


def known_report_findings(
    lines: Sequence[LogLine], known: KnownReports, *, first_place: int
) -> Iterable[Finding]:
    """The reports of failure that stood in good runs too: nothing is guessed from them.

    `first_place`: place of the first line, as findings count it.
    """
    start = max(0, len(lines) - MAX_LINES)
    for index, line in enumerate(lines[start:], start):
        if reports_failure(read_frame(line.text)) and known.covers(line.text):
            place = first_place + index
            yield Finding(
                rule=ALSO_IN_GOOD_RUNS,
                cause=Cause.TRANSIENT_NOISE,
                severity=Severity.BENIGN,
                action=ActionKind.IGNORE,
                explanation="The good runs report this too.",
                evidence=(Evidence(line.text, line.task, place + 1),),
                position=place,
                last_position=place,
            )


def _is_calmed(finding: Finding, known: KnownReports) -> bool:
    is_of_lines = finding.position >= 0 and all(line.line_number is not None for line in finding.evidence)
    if not is_of_lines or about(finding.cause).is_benign or finding.is_consequence:
        return False
    return bool(finding.evidence) and all(known.covers(line.text) for line in finding.evidence)


def _supported(finding: Finding, known: KnownReports) -> Finding:
    if finding.position < 0 or about(finding.cause).is_benign:
        return finding
    if not any(known.is_new(line.text) for line in finding.evidence if line.line_number is not None):
        return finding
    return replace(
        finding, confidence=max(finding.confidence, min(MAX_CONFIDENCE, finding.confidence + SUPPORT))
    )
