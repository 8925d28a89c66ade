"""How long to wait behind a report of failure before it is held for certain."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.last_good.build_profile import Wording
from babysitter.diagnosis.last_good.wording import read_wording
from babysitter.diagnosis.stance.stance import governed_spans
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.diagnosis.timeline.pace import SLACK, usual_silence_s
from babysitter.diagnosis.timeline.repetition.wordings import (
    is_regular,
    mean_gap_s,
    reports_severely,
    shows_work,
)
from babysitter.model.finding import Evidence, Severity

ANSWER_S = 5.0  # guess: behind a report
STILL = 2.0  # longest gaps without it within which a line still comes
UNPACED_S = 600.0  # guess: the longest silence that counts of a job without a pace


def patience_s(snapshot: Snapshot) -> float:
    """Return the seconds within which the next piece of work is due, which would show that nothing happened.

    A job that prints a line every ten minutes is not dead three minutes after a report.
    """
    memory, limits = snapshot.memory, snapshot.limits
    gaps_s = [mean_gap_s(template) for template in memory.profile.templates if is_regular(template)]
    due_s = SLACK * max(gaps_s, default=min(memory.line_gap_s, UNPACED_S))
    return max(limits.suspect_most_s, min(limits.patience_most_s, max(due_s, usual_silence_s(memory))))


def works_on(snapshot: Snapshot) -> bool:
    """Whether a line of work still comes at the pace that it had."""
    now_s = snapshot.now.timestamp()
    return any(
        now_s - template.last_at_s <= STILL * template.longest_gap_s
        for template in snapshot.memory.profile.templates
        if is_regular(template) and shows_work(template)
    )


def is_mild(evidence: Evidence) -> bool:
    """Whether the program itself calls what it reports no more than a warning."""
    return read_frame(evidence.text).level.is_mild


def was_reported(snapshot: Snapshot, from_s: float, until_s: float) -> bool:
    """Whether a line of this time reports a failure, or a rule knows one since. Seconds since 1970.

    What was reported before, in the same wording, did not stop the job then.
    """
    templates = snapshot.memory.profile.templates
    survived = {template.words for template in templates if template.first_at_s < from_s}
    return _is_known(snapshot, from_s, survived) or any(
        from_s <= template.last_at_s <= until_s
        and template.words not in survived
        and reports_severely(template)
        for template in templates
    )


def _is_known(snapshot: Snapshot, from_s: float, survived: Collection[Wording]) -> bool:
    return any(
        line.at is not None
        and line.at.timestamp() >= from_s
        and not is_mild(line)
        and read_wording(line.text) not in survived
        for finding in snapshot.memory.findings
        if finding.severity is Severity.FATAL and not finding.overcome_by
        for line in finding.evidence
    )


def is_answered(snapshot: Snapshot, evidence: Sequence[Evidence], answer: Stance) -> bool:
    """Whether the program said so of it as it reported this: that it goes on without, or tries again."""
    reported_at = max((line.at for line in evidence if line.at is not None), default=None)
    if reported_at is None:
        return False
    memory, from_s = snapshot.memory, reported_at.timestamp()
    said = [(line.at_ms / 1000, line.text) for line in memory.recent_lines]
    said += [(template.first_at_s, template.example) for template in memory.profile.templates]
    return any(from_s <= at_s <= from_s + ANSWER_S and answer in _stances(text) for at_s, text in said)


@lru_cache(maxsize=4096)
def _stances(text: str) -> frozenset[Stance]:
    return frozenset(stance for stance, _, _ in governed_spans(read_frame(text).message))
