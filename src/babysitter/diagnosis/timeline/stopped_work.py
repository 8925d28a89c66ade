"""A line that came regularly comes no more, while others go on and nothing new begins.

Most jobs print a line for each piece of their work, and beside it lines of parts that only live: a sampler
of the machine, a server's health, other ranks. When the work hangs or its process dies, its line stops and
the others chat on, so the job is never quiet. No words are needed to see it: a job that turns to other work
prints something else from then on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.timeline.numbers import SlotKind
from babysitter.model.progress import CountedWork
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_LINES = 5  # fewer have no pace
UNEVEN = 4.0  # longest gap of a regular line, in mean gaps
OVERDUE = 5.0  # longest gaps without it after which a line has stopped
ANNOUNCED_GAPS = 3.0  # longest gaps after the last one in which other work may announce itself


@dataclass(frozen=True, slots=True)
class StoppedWork:
    """A regular line that stopped. Times are seconds since 1970.

    `worked_at_s`: of the newest line that shows work. `is_announced`: whether other work began then.
    `goes_on`: lines that came beside it before and still come.
    """

    line: LineTemplate
    worked_at_s: float
    is_announced: bool
    goes_on: tuple[LineTemplate, ...]


def find_stopped_work(profile: RunProfile, work: CountedWork, now_s: float) -> StoppedWork | None:
    """Return the work that stopped last; None while some goes on, or where none was ever regular."""
    timed = [template for template in profile.templates if template.first_at_s > 0]
    regular = [template for template in timed if is_regular(template)]
    stopped = [
        template
        for template in regular
        if now_s - template.last_at_s > OVERDUE * template.longest_gap_s and shows_work(template)
    ]
    if not stopped:
        return None
    line = max(stopped, key=lambda template: template.last_at_s)
    ended_s = line.last_at_s + line.longest_gap_s
    later = [template for template in timed if template.last_at_s > ended_s]
    goes_on = [template for template in later if template in regular and template.first_at_s < line.last_at_s]
    begun = [
        template for template in timed if template.last_at_s > line.last_at_s and template not in goes_on
    ]
    signs = [template for template in begun if template is not line and shows_work(template)]
    worked = [line.last_at_s, *(template.last_at_s for template in signs), *_risen(work)]
    announced_s = line.last_at_s + ANNOUNCED_GAPS * line.longest_gap_s
    is_announced = any(template.last_at_s <= announced_s for template in signs)
    return StoppedWork(line, max(worked), is_announced, tuple(goes_on))


def is_regular(template: LineTemplate) -> bool:
    """Whether a line comes at a pace of its own."""
    mean_s = mean_gap_s(template)
    return template.count >= MIN_LINES and mean_s > 0 and template.longest_gap_s <= UNEVEN * mean_s


def mean_gap_s(template: LineTemplate) -> float:
    """Seconds between two lines of a wording."""
    return (template.last_at_s - template.first_at_s) / max(1, template.count - 1)


def shows_work(template: LineTemplate) -> bool:
    """Whether the words of a line tell of normal work."""
    return _tells_of_work(template.example)


@lru_cache(maxsize=4096)
def _tells_of_work(text: str) -> bool:
    return is_ordinary(read_frame(text))


def tells_of_failure(template: LineTemplate) -> bool:
    """Whether a line reports that something failed."""
    return _tells_of_failure(template.example)


@lru_cache(maxsize=4096)
def _tells_of_failure(text: str) -> bool:
    return reports_failure(read_frame(text))


def _risen(work: CountedWork) -> Iterable[float]:
    """When counts that are named or have a total last rose."""
    for note in work.counts:
        if note.kind != SlotKind.OTHER.value and note.has_counted and note.still.at_s is not None:
            yield note.still.at_s
