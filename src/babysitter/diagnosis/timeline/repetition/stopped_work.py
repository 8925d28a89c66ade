"""A line that came regularly comes no more, while others go on and nothing new begins.

Most jobs print a line for each piece of their work, and beside it lines of parts that only live: a sampler
of the machine, a server's health, other ranks. When the work hangs or its process dies, its line stops and
the others chat on, so the job is never quiet. No words are needed to see it: a job that turns to other work
prints something else from then on. Only lines about requests from outside are told by their words: they stop
when nobody asks.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from babysitter.diagnosis.timeline.repetition.wordings import (
    counts_work,
    is_asked_for,
    is_regular,
    shows_work,
)
from babysitter.model.progress import CountedWork
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_S = 300.0  # from the first to the last: a short series is one piece of work
MANY_LINES = 30  # of a line that pauses now and then, for other work
PAUSE_SHARE = 0.25  # longest of these pauses, of the time from the first to the last line
OVERDUE, OVERDUE_PAUSE = 5.0, 2.0  # longest gaps without it after which a line has stopped

_RESTS = re.compile(r"(?i)\b(?:finished|done|completed?|sleep\w*|next \w+ (?:in|at))\b")


@dataclass(frozen=True, slots=True)
class StoppedWork:
    """A regular line that stopped. Times are seconds since 1970.

    `worked_at_s`: of the newest line that shows work. `begun`: lines of other work that came since.
    `goes_on`: lines that came beside it before and still come.
    """

    line: LineTemplate
    worked_at_s: float
    begun: tuple[LineTemplate, ...]
    goes_on: tuple[LineTemplate, ...]

    @property
    def is_from_the_midst(self) -> bool:
        """Whether a line that came evenly and for long was the last one of work: nothing else began."""
        return self.line.count >= MANY_LINES and is_regular(self.line) and not self.begun

    @property
    def is_complete(self) -> bool:
        """Whether the newest of the lines since then says that something is complete, or rests."""
        newest = max(self.begun, key=lambda template: template.last_at_s, default=None)
        return newest is not None and _RESTS.search(newest.example) is not None


def find_stopped_work(profile: RunProfile, work: CountedWork, now_s: float) -> StoppedWork | None:
    """Return the work that stopped last; None where none was ever regular, or all of it goes on."""
    timed = [template for template in profile.templates if template.first_at_s > 0]
    stopped = [template for template in timed if _has_stopped(template, now_s)]
    if not stopped:
        return None
    line = max(stopped, key=lambda template: template.last_at_s)
    beside = [template for template in timed if is_regular(template) and template.first_at_s < line.last_at_s]
    known = {template.words for template in beside}
    ended_s = line.last_at_s + line.longest_gap_s
    begun = [
        template
        for template in timed
        if template.last_at_s > line.last_at_s and template.words not in known and shows_work(template)
    ]
    worked = (line.last_at_s, *(template.last_at_s for template in begun), *_risen(work))
    goes_on = tuple(template for template in beside if template.last_at_s > ended_s)
    return StoppedWork(line, max(worked), tuple(begun), goes_on)


def _has_stopped(template: LineTemplate, now_s: float) -> bool:
    lasted_s = template.last_at_s - template.first_at_s
    pauses = template.count >= MANY_LINES and template.longest_gap_s <= PAUSE_SHARE * lasted_s
    if lasted_s < MIN_S or not (pauses or is_regular(template)):
        return False
    gaps = OVERDUE if is_regular(template) else OVERDUE_PAUSE
    is_overdue = now_s - template.last_at_s > gaps * template.longest_gap_s
    return is_overdue and shows_work(template) and not is_asked_for(template)


def _risen(work: CountedWork) -> Iterable[float]:
    """When counts of work last rose."""
    return (note.still.at_s for note in work.counts if note.still.at_s is not None and counts_work(note))
