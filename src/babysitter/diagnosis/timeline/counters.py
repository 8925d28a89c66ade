"""Progress of any program, found by what its numbers do.

Lines of one wording (the message with its numbers taken out) form a series for every number in it. A number
counts work when it is

* a fraction: `12/900`, `12 of 900`, a percentage, a progress bar;
* named by a word of work: `step 12`, `tokens=1.2M`, `fetched 300 pages`;
* anything else that rises in every one of at least four reports.

Durations, rates, sizes of memory, identifiers and names of machines never count work. A line that speaks of
retrying, reloading, waiting or failing reports a number (it may stand still); a rise in it is not progress.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.numbers import SlotKind, read_wording

MAX_SERIES = 2000
MIN_OTHER_REPORTS = 4  # of a number that nothing says is work
NEW_START_SHARE = 0.5  # a count that falls below this share of its highest value counts anew


@dataclass(frozen=True, slots=True)
class Report:
    """One number of one line. `total` is None where the number is not a fraction."""

    place: int
    at_s: float | None
    value: float
    total: float | None
    is_progress: bool  # False: the line speaks of retrying, waiting or failing
    is_rise: bool  # above every value since the count began (again)


@dataclass(slots=True)
class Series:
    """The reports of one number of one wording, of one speaker, oldest first."""

    template: str
    slot: int
    kind: SlotKind
    speaker: str
    reports: list[Report] = field(default_factory=list)
    highest: float = 0.0  # since the count began anew
    record: float = 0.0  # ever
    is_monotone: bool = True

    @property
    def counts_work(self) -> bool:
        """Whether this number counts work at all."""
        if self.kind is SlotKind.OTHER:
            return self.is_monotone and len(self.reports) >= MIN_OTHER_REPORTS
        return True

    @property
    def has_moved(self) -> bool:
        """Whether the number ever took another value."""
        return any(after.value != before.value for before, after in pairwise(self.reports))


@dataclass(frozen=True, slots=True)
class Rise:
    """A number that rose: the place and time of the line that proves work was done."""

    place: int
    at_s: float | None
    series: int  # index in `Counters.series`


@dataclass(frozen=True, slots=True)
class Counters:
    """All series that count work, and where any of them rose, oldest first."""

    series: tuple[Series, ...] = ()
    rises: tuple[Rise, ...] = ()

    @property
    def last_rise(self) -> Rise | None:
        """The newest proof that work was done."""
        return self.rises[-1] if self.rises else None

    @property
    def median_step_s(self) -> float | None:
        """The usual time between two rises; None before two of them."""
        gaps = self._gaps_s()
        return median(gaps) if gaps else None

    @property
    def longest_gap_s(self) -> float:
        """The longest time between two rises, that is the longest pause that the job survived."""
        return max(self._gaps_s(), default=0.0)

    def rises_after(self, place: int) -> bool:
        """Whether work was done after this place."""
        return bool(self.rises) and self.rises[-1].place > place

    def _gaps_s(self) -> list[float]:
        times = sorted({rise.at_s for rise in self.rises if rise.at_s is not None})
        return [after - before for before, after in pairwise(times)]


def read_counters(entries: Iterable[Entry]) -> Counters:
    """Return what the numbers in these lines count. The lines are of one job, oldest first."""
    all_series: dict[tuple[str, str, int, float | None], Series] = {}
    for entry in entries:
        wording = read_wording(entry.message)
        if wording is None:
            continue
        for index, slot in enumerate(wording.slots):
            read = slot.read(entry.message)
            if read is None:
                continue
            value, total = read
            key = (entry.speaker, wording.template, index, total)
            series = all_series.get(key)
            if series is None:
                if len(all_series) >= MAX_SERIES:
                    continue
                series = all_series[key] = Series(wording.template, index, slot.kind, entry.speaker)
            _add(series, entry, value, total, is_progress=wording.is_progress)
    working = tuple(series for series in all_series.values() if series.counts_work)
    return Counters(working, _rises_of(working))


def _add(series: Series, entry: Entry, value: float, total: float | None, *, is_progress: bool) -> None:
    is_rise = False
    if not series.reports:
        series.highest = series.record = value
    elif value > series.highest:
        is_rise = is_progress
        series.highest = value
        series.record = max(series.record, value)
    elif value < series.highest:
        series.is_monotone = False
        if value < series.highest * NEW_START_SHARE:
            series.highest = value
    else:
        series.is_monotone = False
    series.reports.append(Report(entry.place, entry.at_s, value, total, is_progress, is_rise))


def _rises_of(working: Sequence[Series]) -> tuple[Rise, ...]:
    found: dict[int, Rise] = {}
    for index, series in enumerate(working):
        for report in series.reports:
            if report.is_rise:
                found.setdefault(report.place, Rise(report.place, report.at_s, index))
    return tuple(found[place] for place in sorted(found))
