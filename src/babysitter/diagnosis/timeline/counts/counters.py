"""Progress of any program, found by what its numbers do.

Lines of one wording (the message with its numbers taken out) form a series for every number in it. A number
counts work when it is

* a fraction: `12/900`, `12 of 900`, a percentage, a progress bar;
* named by a word of work: `step 12`, `tokens=1.2M`, `fetched 300 pages`;
* anything else that rises in every one of at least four reports.

Durations, rates, sizes of memory, identifiers and names of machines never count work. A line that speaks of
retrying, reloading, waiting or failing reports a number, which may stand still; a rise in it is not progress.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from babysitter.diagnosis.timeline.counts.count_course import add_report
from babysitter.diagnosis.timeline.counts.numbers import SlotKind, Wording, read_wording
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.progress import CountAt, CountedWork, CountNote, StandStill

MAX_SERIES = 2000  # of one batch of lines
MAX_NOTES = 24  # remembered: those reported last
MAX_GAPS = 60
MAX_TEXT_CHARACTERS = 160
MIN_OTHER_REPORTS = 4  # of a number that nothing says is work
NEW_START_SHARE = 0.5  # a count that falls below this share of its highest value counts anew


class Rise(NamedTuple):
    """A number that rose: the place and time of the line that proves work was done."""

    place: int
    at_s: float | None


@dataclass(frozen=True, slots=True)
class Counters:
    """Where numbers rose in some lines, oldest first, and what they have counted up to then."""

    rises: tuple[Rise, ...] = ()
    work: CountedWork = field(default_factory=CountedWork)

    @property
    def last_rise(self) -> Rise | None:
        """The newest proof in these lines that work was done."""
        return self.rises[-1] if self.rises else None

    def rises_after(self, place: int) -> bool:
        """Whether work was done after this place."""
        return bool(self.rises) and self.rises[-1].place > place


def read_counters(entries: Iterable[Entry], before: CountedWork | None = None) -> Counters:
    """Return what the numbers in these lines count. The lines are of one job, oldest first.

    `before`: what earlier lines of the job have counted.
    """
    before = before or CountedWork()
    known = {_key(note): _Series(note) for note in before.counts}
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
            series = known.get(key)
            if series is not None:
                series.add(entry, value, is_progress=wording.is_progress)
            elif len(known) < MAX_SERIES:
                known[key] = _Series(_first_note(entry, wording, index, value, total))
    rises = _rises_of(known.values())
    notes = sorted((series.note() for series in known.values()), key=lambda note: note.last_place)
    return Counters(rises, _with_rises(before, rises, tuple(notes[-MAX_NOTES:])))


_Key = tuple[str, str, int, float | None]


def _key(note: CountNote) -> _Key:
    return note.speaker, note.template, note.slot, note.total


def _first_note(entry: Entry, wording: Wording, index: int, value: float, total: float | None) -> CountNote:
    still = _stands_from(entry, value)
    reached = None if entry.at_s is None else CountAt(value, entry.at_s, entry.place)
    return CountNote(
        wording.template,
        index,
        wording.slots[index].kind.value,
        entry.speaker,
        total,
        value,
        value,
        still,
        entry.place,
        entry.at_s,
        course=(reached,) if reached is not None and wording.is_progress else (),
    )


def _stands_from(entry: Entry, value: float) -> StandStill:
    return StandStill(entry.place, entry.at_s, entry.text[:MAX_TEXT_CHARACTERS], value, 1)


class _Series:
    """The reports of one number of one wording while they are read."""

    def __init__(self, before: CountNote) -> None:
        self._before = before
        self._value, self._highest = before.value, before.highest
        self._still, self._repeated = before.still, 0
        self._risen_to = before.value
        self._risen: Entry | None = None  # since then it stands still; None: since what was known before
        self._last: tuple[int, float | None] = before.last_place, before.last_at_s
        self._reports = before.reports
        self._has_counted, self._is_monotone = before.has_counted, before.is_monotone
        self._longest_gap_s = before.longest_gap_s
        self._course = list(before.course)
        self._rises: list[Rise] = []

    @property
    def counts_work(self) -> bool:
        if self._before.kind == SlotKind.OTHER.value:
            return self._is_monotone and self._reports >= MIN_OTHER_REPORTS
        return True

    @property
    def rises(self) -> list[Rise]:
        """Where it rose as work."""
        return self._rises if self.counts_work else []

    def add(self, entry: Entry, value: float, *, is_progress: bool) -> None:
        """Take the next report into account."""
        if value <= self._highest:
            self._is_monotone = False
        elif is_progress:
            self._rises.append(Rise(entry.place, entry.at_s))
        if value > self._value:
            self._has_counted = True
            since_s = self._risen.at_s if self._risen is not None else self._still.at_s
            if since_s is not None and entry.at_s is not None:
                self._longest_gap_s = max(self._longest_gap_s, entry.at_s - since_s)
            self._risen, self._risen_to, self._repeated = entry, value, 0
        else:
            self._repeated += 1
        begins_anew = value < self._highest * NEW_START_SHARE
        if entry.at_s is not None and is_progress and self._before.kind != SlotKind.OTHER.value:
            if begins_anew:
                self._course.clear()
            add_report(self._course, CountAt(value, entry.at_s, entry.place))
        if value > self._highest or begins_anew:
            self._highest = value
        self._value, self._last = value, (entry.place, entry.at_s)
        self._reports += 1

    def note(self) -> CountNote:
        """The state of the count after the newest report."""
        place, at_s = self._last
        still = self._still if self._risen is None else _stands_from(self._risen, self._risen_to)
        still = replace(still, reports=still.reports + self._repeated)
        return replace(
            self._before,
            value=self._value,
            highest=self._highest,
            still=still,
            last_place=place,
            last_at_s=at_s,
            reports=self._reports,
            has_counted=self._has_counted,
            is_monotone=self._is_monotone,
            longest_gap_s=self._longest_gap_s,
            course=tuple(self._course),
        )


def _rises_of(known: Iterable[_Series]) -> tuple[Rise, ...]:
    found: dict[int, Rise] = {}
    for series in known:
        for rise in series.rises:
            found.setdefault(rise.place, rise)
    return tuple(found[place] for place in sorted(found))


def _with_rises(before: CountedWork, rises: Sequence[Rise], counts: tuple[CountNote, ...]) -> CountedWork:
    earlier = [] if before.risen_at_s is None else [before.risen_at_s]
    times = sorted({*earlier, *(rise.at_s for rise in rises if rise.at_s is not None)})
    gaps = tuple(after - at_s for at_s, after in pairwise(times))
    return CountedWork(
        counts,
        before.rises + len(rises),
        times[-1] if times else None,
        (*before.gaps_s, *gaps)[-MAX_GAPS:],
        max([before.longest_gap_s, *gaps]),
    )
