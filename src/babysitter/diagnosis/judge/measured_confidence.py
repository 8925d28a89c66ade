"""The confidence that is shown: how often verdicts of such a weight were right on labelled incidents.

The judge compares weights; they are not frequencies. The table was fitted on 898 incidents as they were
judged before anybody had read them; `benchmarks/calibration.py` checks it on others
(docs/diagnosis-accuracy.md).
"""

from dataclasses import replace
from itertools import pairwise

from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.model.verdict import Diagnosis

# (weight, share of right verdicts), rising; between two points the line between them holds.
MEASURED = (
    *((0.0, 0.0), (0.32, 0.5), (0.46, 0.6), (0.48, 0.63), (0.5, 0.66)),
    *((0.58, 0.73), (0.73, 0.87), (0.9, 0.93), (1.0, 1.0)),
)
NOT_KNOWN = 0.5  # that nothing can be known is the whole truth for half of them
MOST_CALM = 0.8  # of noise and of a long phase, whatever says so
MOST_HEALTHY = 0.65  # of "nothing is wrong": an excerpt may not show what is


def as_measured(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis with its confidence as a frequency."""
    return replace(diagnosis, confidence=_measured(diagnosis))


def _measured(diagnosis: Diagnosis) -> float:
    if diagnosis.cause is Cause.UNKNOWN:
        return NOT_KNOWN
    told = share_right(diagnosis.confidence)
    if diagnosis.cause is Cause.HEALTHY:
        return min(told, MOST_HEALTHY)
    return min(told, MOST_CALM) if about(diagnosis.cause).is_benign else told


def share_right(weight: float) -> float:
    """How often verdicts of this weight are right."""
    for (low, low_share), (high, high_share) in pairwise(MEASURED):
        if weight <= high:
            return round(low_share + (high_share - low_share) * (weight - low) / (high - low), 2)
    return MEASURED[-1][1]
