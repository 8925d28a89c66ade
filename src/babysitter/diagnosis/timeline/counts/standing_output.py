"""A count of output that stands while the input in the same line is counted on.

    read=11661956 parsed=11658209 joined=10959411 written=10959411 lag_ms=540
    read=11814093 parsed=11810326 joined=10959411 written=10959411 lag_ms=448

The job's counts rise, so nothing else shows that its work comes to nothing. Where another count of the line
takes up what the output lacks (`duplicates=`, `filtered=`), nothing is lost.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.timeline.counts.numbers import read_wording
from babysitter.diagnosis.timeline.counts.work_words import DONE, words_in
from babysitter.model.progress import CountedWork, CountNote

# Guesses, checked on the courses of fixtures/watched.
MIN_REPORTS = 8  # in which the output rose, and in which it stands
EACH = 2.5  # longest gap between two rises, in reports: it rose in nearly each
RECENT = 3.0  # reports since the newest
APART = 0.02  # of the input: counts of one line may be taken a moment apart

_NAME = re.compile(r"([A-Za-z][A-Za-z_.-]*)\W{0,3}$")
_WORD = re.compile(r"[a-z]+")
_INPUT = words_in("in input inputs read received consumed fetched polled seen scanned")
_OUTPUT = (DONE - _INPUT) | words_in(
    """
    out output outputs emitted produced acked acknowledged inserted stored delivered published persisted
    """
)
# What a datum reaches only if it passes a test, or what is done for many at once: for long none may come.
_CHOSEN = words_in("joined matched kept accepted selected unique committed flushed uploaded merged")
PATIENCE = 3.0  # times as long for these


@dataclass(frozen=True, slots=True)
class StandingOutput:
    """The counts of one line: `output` stands, `counted` rises. `name`: of the output."""

    name: str
    output: CountNote
    counted: CountNote

    @property
    def for_s(self) -> float:
        return (self.output.last_at_s or 0.0) - (self.output.still.at_s or 0.0)


def find_standing_output(work: CountedWork, now_s: float, least_s: float) -> StandingOutput | None:
    """Return the output that stands for so long, though it rose in each line before; None if none does."""
    by_line: dict[tuple[str, str], list[CountNote]] = defaultdict(list)
    for note in work.counts:
        by_line[note.speaker, note.template].append(note)
    for notes in by_line.values():
        for output in notes:
            if not _stands(output, now_s, least_s):
                continue
            counted = _rising_beside(output, notes)
            if counted is None or _is_accounted_for(output, counted, notes):
                continue
            name = _name_of(output)
            if _stands(output, now_s, _patience_s(name, least_s)):
                return StandingOutput(name, output, counted)
    return None


def _patience_s(name: str, least_s: float) -> float:
    """How long a count of this name must stand before it is told; infinite for what is no output."""
    words = frozenset(_WORD.findall(name.lower()))
    if words & _CHOSEN:
        return PATIENCE * least_s
    return least_s if words & _OUTPUT else inf


def _stands(note: CountNote, now_s: float, least_s: float) -> bool:
    still = note.still
    if note.total is not None or not note.has_counted or still.at_s is None or note.last_at_s is None:
        return False
    if still.reports < MIN_REPORTS or note.reports - still.reports < MIN_REPORTS:
        return False
    for_s = note.last_at_s - still.at_s
    each_s = for_s / (still.reports - 1)
    rose_each = note.longest_gap_s <= EACH * each_s
    return for_s >= least_s and rose_each and now_s - note.last_at_s <= RECENT * each_s


def _rising_beside(output: CountNote, notes: Sequence[CountNote]) -> CountNote | None:
    """A count that is no smaller and has risen in nearly each report since the output stands."""
    rising = (
        note
        for note in notes
        if note.slot != output.slot
        and note.total is None
        and note.value >= output.value
        and note.has_counted
        and note.still.reports <= EACH
        and note.longest_gap_s <= output.longest_gap_s * EACH
    )
    return next(rising, None)


def _is_accounted_for(output: CountNote, counted: CountNote, notes: Sequence[CountNote]) -> bool:
    """Whether the output and another rising count of the line make up the input."""
    rising = (
        note for note in notes if note.slot not in (output.slot, counted.slot) and note.still.reports <= EACH
    )
    return any(abs(counted.value - output.value - note.value) <= APART * counted.value for note in rising)


def _name_of(note: CountNote) -> str:
    """The word before the number in the line in which it was reported first; "" where that was cut."""
    message = read_frame(note.still.text).message
    wording = read_wording(message)
    if wording is None or note.slot >= len(wording.slots):
        return ""
    found = _NAME.search(message[: wording.slots[note.slot].start])
    return found[1] if found else ""
