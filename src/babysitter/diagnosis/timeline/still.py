"""A count that stands still while lines go on: `0/500 steps` three times in 45 minutes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from babysitter.diagnosis.timeline.counters import Counters, Report, Series
from babysitter.diagnosis.timeline.numbers import SlotKind

MIN_REPORTS = 3
MIN_STILL_S = 1200.0
MIN_STILL_TWICE_S = 3600.0  # enough for a count that was reported only twice
GAP_FACTOR = 6.0  # so many times longer than the longest gap between two counts before it


@dataclass(frozen=True, slots=True)
class StandsStill:
    """A count that does not rise. `first` and `last`: the reports between which it stood."""

    wording: str
    first: Report
    last: Report
    reports: int
    still_s: float


def find_stand_still(counters: Counters) -> StandsStill | None:
    """Return the count that stood still for longest; None while anything counts on, or no count stands."""
    last_rise = counters.last_rise
    found = [still for series in counters.series if (still := _stands_still(series)) is not None]
    if last_rise is not None:
        found = [still for still in found if last_rise.place <= still.first.place]
    return max(found, key=lambda still: still.still_s, default=None)


def _stands_still(series: Series) -> StandsStill | None:
    reports = [report for report in series.reports if report.at_s is not None]
    if len(reports) < 2 or series.kind is SlotKind.OTHER:
        return None
    tail = _without_rise(reports)
    first, last = tail[0], tail[-1]
    if len(tail) < 2 or _is_complete(last) or _is_complete(first):
        return None
    if not _has_counted(series) and last.total is None:
        return None
    still_s = _seconds(first, last)
    if len(tail) >= MIN_REPORTS:
        limit_s = max(MIN_STILL_S, GAP_FACTOR * _longest_gap_s(reports[: len(reports) - len(tail) + 1]))
    else:
        limit_s = max(MIN_STILL_TWICE_S, GAP_FACTOR * _longest_gap_s(reports[: len(reports) - len(tail) + 1]))
    if still_s < limit_s:
        return None
    return StandsStill(series.template, first, last, len(tail), still_s)


def _without_rise(reports: Sequence[Report]) -> Sequence[Report]:
    """The newest reports, from the one that none after it exceeds."""
    start = len(reports) - 1
    while start > 0 and reports[start - 1].value >= max(report.value for report in reports[start:]):
        start -= 1
    return reports[start:]


def _has_counted(series: Series) -> bool:
    """Whether the number ever rose; one that never moved counts only as a fraction."""
    return any(after.value > before.value for before, after in pairwise(series.reports))


def _is_complete(report: Report) -> bool:
    return report.total is not None and report.value >= report.total


def _longest_gap_s(reports: Sequence[Report]) -> float:
    reached: dict[float, float] = {}
    for report in reports:
        if report.at_s is not None:
            reached.setdefault(report.value, report.at_s)
    times = sorted(reached.values())
    return max((after - before for before, after in pairwise(times)), default=0.0)


def _seconds(first: Report, last: Report) -> float:
    return (last.at_s or 0.0) - (first.at_s or 0.0)
