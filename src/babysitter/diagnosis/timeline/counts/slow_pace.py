"""Work that goes on at a small part of its pace: the last shards of a stage, or all of it since a fault.

194 of 200 parts in five minutes and three more in an hour are stragglers. A copy that falls from 118 to 0.2
objects a second while the store answers 503 has not got over it, although its count still rises.
"""

from itertools import pairwise

from babysitter.diagnosis.timeline.counts.count_course import deviation
from babysitter.diagnosis.timeline.counts.numbers import SlotKind
from babysitter.model.memory import Memory
from babysitter.model.progress import CountAt, CountedWork, CountNote

RATIO = 10.0  # guess: of the pace of most of the work to that of the rest
NEAR_END_SHARE = 0.75  # of the total, behind which the rest is
MIN_BULK_SHARE = 0.25  # of the total, whose pace was seen
MIN_REST_S = 600.0  # guess: a shorter rest may be a last large part
CRAWL_RATIO = 20.0  # guess: of the pace before a fault to that since
MIN_CRAWL_S = 300.0  # guess: what is retried recovers sooner
ONSET_SHARE = 0.25  # guess: of the time before; in a longer gap work went on for long


def find_slow_rest(work: CountedWork) -> CountNote | None:
    """Return the fraction whose rest takes far longer than most of it did; the one seen for longest, or None.

    A rest that stands still does not count: nothing shows that it will be done.
    """
    slow = [note for note in work.counts if _has_slow_rest(note)]
    return max(slow, key=lambda note: note.course[-1].at_s - note.course[0].at_s, default=None)


def find_crawl(work: CountedWork) -> int | None:
    """Return the place of the report since which the work crawls; None while any count keeps its pace."""
    began = [(note, _crawls_from(note.course)) for note in work.counts if _counts_work(note)]
    crawling = [at for _, at in began if at is not None]
    if not crawling:
        return None
    since = min(crawling, key=lambda at: at.at_s)
    keeps = (note for note, at in began if at is None)
    return None if any(_rose_after(note, since.at_s) for note in keeps) else since.place


def find_proof_of_work(memory: Memory) -> int | None:
    """Return the position of the last line that proves progress; of work that crawls, before it did."""
    crawls_from = find_crawl(memory.work)
    if crawls_from is None or memory.advanced_position is None:
        return memory.advanced_position
    return min(crawls_from, memory.advanced_position)


def _counts_work(note: CountNote) -> bool:
    return note.kind != SlotKind.OTHER.value


def _rose_after(note: CountNote, at_s: float) -> bool:
    return any(b.value > a.value and b.at_s > at_s for a, b in pairwise(note.course))


def _crawls_from(course: tuple[CountAt, ...]) -> CountAt | None:
    """The last report before the pace fell to a small part of that before.

    Of many reports few are remembered: the fault may stand between two of them that are near each other.
    """
    falls = [index for index in range(1, len(course) - 1) if _falls_at(course, index)]
    if not falls:
        return None
    sharpest = max(falls, key=lambda index: deviation(course[0], course[index], course[-1]))
    before, at = course[sharpest - 1], course[sharpest]
    return before if at.at_s - before.at_s <= ONSET_SHARE * (at.at_s - course[0].at_s) else at


def _falls_at(course: tuple[CountAt, ...], index: int) -> bool:
    first, at, last = course[0], course[index], course[-1]
    before_s, after_s = at.at_s - first.at_s, last.at_s - at.at_s
    before, after = at.value - first.value, last.value - at.value
    return before_s > 0 and after_s >= MIN_CRAWL_S and before / before_s >= CRAWL_RATIO * after / after_s > 0


def _has_slow_rest(note: CountNote) -> bool:
    near = next((at for at in note.course if note.total and at.value >= NEAR_END_SHARE * note.total), None)
    if near is None or note.total is None or note.value >= note.total:
        return False
    first, last = note.course[0], note.course[-1]
    bulk, rest = near.value - first.value, last.value - near.value
    bulk_s, rest_s = near.at_s - first.at_s, last.at_s - near.at_s
    if bulk < MIN_BULK_SHARE * note.total or bulk_s <= 0 or rest <= 0:
        return False
    return rest_s >= max(MIN_REST_S, bulk_s) and bulk / bulk_s >= RATIO * rest / rest_s
