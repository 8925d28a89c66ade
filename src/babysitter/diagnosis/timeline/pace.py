"""How long a job may be quiet, measured by its own pace."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from babysitter.diagnosis.timeline.counters import Counters
from babysitter.diagnosis.timeline.entries import Entry

# Measured on real pipelines: with a floor of 300 s, or counted from the last rise instead of the last line, a
# healthy pipeline alarms.
QUIET_FLOOR_S = 600.0
MEDIAN_FACTOR = 20.0
GAP_FACTOR = 6.0
MIN_RISES = 3  # fewer rises have no pace


@dataclass(frozen=True, slots=True)
class Pace:
    """The usual time between two pieces of work, and the longest pauses that the job survived."""

    median_step_s: float
    longest_step_gap_s: float
    longest_line_gap_s: float

    @property
    def quiet_limit_s(self) -> float:
        """Seconds without a line after which the job is quiet for too long."""
        longest_s = max(self.longest_step_gap_s, self.longest_line_gap_s)
        return max(QUIET_FLOOR_S, MEDIAN_FACTOR * self.median_step_s, GAP_FACTOR * longest_s)


def read_pace(entries: Sequence[Entry], counters: Counters) -> Pace | None:
    """Return the job's own pace; None where too little work or no clock was seen."""
    median_s = counters.median_step_s
    if median_s is None or counters.work.rises < MIN_RISES:
        return None
    times = [entry.at_s for entry in entries if entry.at_s is not None]
    line_gap_s = max((after - before for before, after in pairwise(times)), default=0.0)
    return Pace(median_s, counters.work.longest_gap_s, line_gap_s)
