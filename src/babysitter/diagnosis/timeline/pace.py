"""How long a job may be quiet, measured by its own pace."""

from statistics import median

from babysitter.model.limits import Limits
from babysitter.model.progress import CountedWork

MIN_RISES = 3  # fewer rises have no pace
MIN_RISES_WITHOUT_TIMES = 10  # fewer may be a burst at the start


def quiet_limit_s(work: CountedWork, line_gap_s: float, limits: Limits) -> float | None:
    """Return the seconds without a line after which a job is quiet for too long; None where it has no pace.

    `line_gap_s`: the longest time between two of its lines.
    """
    if not work.gaps_s or work.rises < MIN_RISES:
        return None
    longest_s = max(work.longest_gap_s, line_gap_s)
    return max(
        limits.pace_floor_s,
        limits.pace_median_factor * median(work.gaps_s),
        limits.pace_gap_factor * longest_s,
    )


def mean_quiet_limit_s(work: CountedWork, lasted_s: float, line_gap_s: float, limits: Limits) -> float | None:
    """Return the same for a job whose counts were read at once and have no times of their own.

    `lasted_s`: from its start to its last line.
    """
    if work.gaps_s or work.rises < MIN_RISES_WITHOUT_TIMES or lasted_s <= 0:
        return None
    return max(
        limits.pace_floor_s,
        limits.pace_median_factor * lasted_s / work.rises,
        limits.pace_gap_factor * line_gap_s,
    )


def is_complete(work: CountedWork) -> bool:
    """Whether the newest count has reached its total: what comes after it need not be at its pace."""
    newest = max((note.last_place for note in work.counts), default=-1)
    return any(note.last_place == newest and note.value == note.total for note in work.counts)
