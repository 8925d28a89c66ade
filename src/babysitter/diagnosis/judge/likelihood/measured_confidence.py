"""The confidence that is shown: how often such verdicts were right on labelled incidents.

The judge compares weights and likelihoods; they are not frequencies. Where the lines of the log were read,
the likelihood tells most: lines that mean the cause make a rule's verdict surer. Both tables were fitted on
incidents as they were judged before anybody had read them (898 for weights; 650 for likelihoods, by learned
weights and a text model that had not seen them; docs/learned.md).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from babysitter.diagnosis.causes.guess_of_counts import PREFIX
from babysitter.diagnosis.judge.likelihood.by_lines import LEARNED, PROOF
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.model.verdict import Diagnosis

# (weight, share of right verdicts), rising; between two points the line between them holds.
MEASURED = (
    *((0.0, 0.0), (0.32, 0.5), (0.46, 0.6), (0.48, 0.63), (0.5, 0.66)),
    *((0.58, 0.73), (0.73, 0.87), (0.9, 0.93), (1.0, 1.0)),
)
# The same of the likelihood by rules and lines, of verdicts that name trouble and of those that name none.
LIKELY_TROUBLE = (
    *((0.0, 0.3), (0.22, 0.48), (0.35, 0.52), (0.45, 0.69), (0.55, 0.77), (0.65, 0.81), (0.75, 0.86)),
    *((0.86, 0.9), (0.92, 0.97), (0.97, 0.99), (1.0, 0.99)),
)
LIKELY_CALM = (
    *((0.0, 0.2), (0.25, 0.5), (0.45, 0.55), (0.6, 0.61), (0.75, 0.76), (0.85, 0.78), (0.93, 0.81)),
    *((0.97, 0.9), (1.0, 0.94)),
)
# (words of the text, share that no verdict by wording exceeds): measured on 800 held-out incidents, with and
# without their state. Sure verdicts by wording were right in 63 of 70 with 5 to 19 words and in 133 of 135
# with more; no such incident has fewer than five words, so what is said of those is a guess.
MOST_OF_WORDS = ((0.0, 0.5), (4.0, 0.6), (8.0, 0.85), (19.0, 0.89), (20.0, 1.0))
NOT_KNOWN = 0.5  # that nothing can be known is the whole truth for half of them
MOST_CALM = 0.8  # of noise and of a long phase, whatever says so
MOST_HEALTHY = 0.65  # of "nothing is wrong": an excerpt may not show what is


def as_measured(diagnosis: Diagnosis, words_read: int | None = None) -> Diagnosis:
    """The diagnosis with its confidence as a frequency. `words_read`: of the text; None = not read."""
    share = _measured(diagnosis)
    if words_read is not None and is_by_wording(diagnosis):
        share = min(share, share_right(words_read, MOST_OF_WORDS))
    return replace(diagnosis, confidence=share, is_proven=_is_proven(diagnosis))


def is_by_wording(diagnosis: Diagnosis) -> bool:
    """Whether only the words of the text name the cause, and no rule knows a line of it."""
    return bool(diagnosis.rules) and diagnosis.rules[0].startswith((LEARNED, PREFIX))


def _measured(diagnosis: Diagnosis) -> float:
    if diagnosis.cause is Cause.UNKNOWN:
        return NOT_KNOWN
    if diagnosis.likelihood is not None:
        is_calm = class_of(diagnosis.cause) == CALM
        likely = share_right(diagnosis.likelihood, LIKELY_CALM if is_calm else LIKELY_TROUBLE)
        return max(likely, share_right(diagnosis.confidence)) if _is_proven(diagnosis) else likely
    told = share_right(diagnosis.confidence)
    if diagnosis.cause is Cause.HEALTHY:
        return min(told, MOST_HEALTHY)
    return min(told, MOST_CALM) if about(diagnosis.cause).is_benign else told


def _is_proven(diagnosis: Diagnosis) -> bool:
    return diagnosis.confidence >= PROOF and not about(diagnosis.cause).is_benign


def share_right(value: float, table: Sequence[tuple[float, float]] = MEASURED) -> float:
    """How often verdicts of this weight (or likelihood, by its table) are right."""
    for (low, low_share), (high, high_share) in pairwise(table):
        if value <= high:
            return round(low_share + (high_share - low_share) * (value - low) / (high - low), 2)
    return table[-1][1]
