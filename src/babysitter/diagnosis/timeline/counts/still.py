"""A count that stands still while lines go on: `0/500 steps` three times in 45 minutes."""

from dataclasses import dataclass

from babysitter.diagnosis.timeline.counts.counters import Counters
from babysitter.diagnosis.timeline.counts.numbers import SlotKind
from babysitter.model.progress import CountNote, StandStill

MIN_REPORTS = 3
MIN_STILL_S = 1200.0
MIN_STILL_TWICE_S = 3600.0  # enough for a count that was reported only twice
GAP_FACTOR = 6.0  # so many times longer than the longest gap between two counts before it


@dataclass(frozen=True, slots=True)
class StoppedCount:
    """A count that does not rise, since when, and up to which line that was reported."""

    since: StandStill
    wording: str
    speaker: str
    value: float  # as reported last
    total: float | None
    last_place: int
    last_at_s: float
    still_s: float


def find_stopped_count(counters: Counters) -> StoppedCount | None:
    """Return the count that stood still for longest; None while anything counts on, or no count stands.

    A fraction that is complete does not stand still. A number that never moved counts only as a fraction, or
    where it repeats what another wording counted.
    """
    work = counters.work
    reached = {note.highest for note in work.counts if note.has_counted}
    stopped = [count for note in work.counts if (count := _stopped(note, reached)) is not None]
    stopped = [count for count in stopped if count.still_s >= GAP_FACTOR * work.longest_gap_s]
    rise = counters.last_rise
    if rise is not None:
        stopped = [count for count in stopped if rise.place <= count.since.place]
    elif counters.work.risen_at_s is not None:
        stopped = [count for count in stopped if counters.work.risen_at_s <= (count.since.at_s or 0.0)]
    return max(stopped, key=lambda count: count.still_s, default=None)


def _stopped(note: CountNote, reached: set[float]) -> StoppedCount | None:
    """`reached`: where counts have risen to; a heartbeat repeats the step that another line counted."""
    since = note.still
    if since.at_s is None or note.last_at_s is None or since.reports < 2 or note.kind == SlotKind.OTHER.value:
        return None
    if note.total is None and not note.has_counted and note.value not in reached:
        return None
    if note.total is not None and note.total in (note.value, since.value):
        return None
    floor_s = MIN_STILL_S if since.reports >= MIN_REPORTS else MIN_STILL_TWICE_S
    still_s = note.last_at_s - since.at_s
    if still_s < max(floor_s, GAP_FACTOR * note.longest_gap_s):
        return None
    return StoppedCount(
        since, note.template, note.speaker, note.value, note.total, note.last_place, note.last_at_s, still_s
    )
