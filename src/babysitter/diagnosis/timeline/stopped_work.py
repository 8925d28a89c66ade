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
from functools import lru_cache

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.timeline.numbers import SlotKind
from babysitter.model.log import LogLevel
from babysitter.model.progress import CountedWork
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_LINES = 5  # fewer have no pace
MIN_S = 300.0  # from the first to the last: a short series is one piece of work
UNEVEN = 4.0  # longest gap of a regular line, in mean gaps
MANY_LINES = 30  # of a line that pauses now and then, for other work
PAUSE_SHARE = 0.25  # longest of these pauses, of the time from the first to the last line
OVERDUE, OVERDUE_PAUSE = 5.0, 2.0  # longest gaps without it after which a line has stopped
MIN_OTHER_REPORTS = 4  # of a number that nothing says is work

_SEVERE = frozenset({LogLevel.ERROR, LogLevel.CRITICAL})
_ERROR = re.compile(r"Traceback \(|[\w.]*(?:Error|Exception)\b|(?i:error|fatal)\b")
_ANSWERED = r"\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) (?:https?:/)?/|\bHTTP/\d"
_ASKED_FOR = re.compile(rf"{_ANSWERED}|(?i:\b(?:requests?|throughput|messages?)\b)")
_RESTS = re.compile(r"(?i)\b(?:finished|done|completed?|sleep\w*|next \w+ (?:in|at))\b")
_REFUSED = re.compile(rf"(?:{_ANSWERED})(?!.*\b5\d\d\b)")  # at the fault of the one who asked


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
    ended_s = line.last_at_s + line.longest_gap_s
    begun = [
        template
        for template in timed
        if template.last_at_s > line.last_at_s and template not in beside and shows_work(template)
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
    return is_overdue and shows_work(template) and _ASKED_FOR.search(template.example) is None


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


def reports_trouble(template: LineTemplate) -> bool:
    """Whether a line reports that something failed, other than a request at the fault of who asked."""
    return _reports_trouble(template.example)


@lru_cache(maxsize=4096)
def _reports_trouble(text: str) -> bool:
    return reports_failure(read_frame(text)) and _REFUSED.search(text) is None


def reports_severely(template: LineTemplate) -> bool:
    """Whether a line reports that something failed, and does not call it a warning."""
    text = template.example
    is_mild = read_frame(text).level is not LogLevel.UNKNOWN and not is_error(text)
    return not is_mild and reports_trouble(template)


@lru_cache(maxsize=4096)
def is_error(text: str) -> bool:
    """Whether a report ends what it is about: an exception or an error, and no warning."""
    frame = read_frame(text)
    return frame.level in _SEVERE or _ERROR.match(frame.message) is not None


def _risen(work: CountedWork) -> Iterable[float]:
    """When counts last rose, as far as they count work."""
    for note in work.counts:
        is_work = note.kind != SlotKind.OTHER.value
        if note.still.at_s is None or not note.has_counted:
            continue
        if is_work or rises_as_work(note.template, note.reports, is_monotone=note.is_monotone):
            yield note.still.at_s


def rises_as_work(wording: str, reports: int, is_monotone: bool) -> bool:
    """Whether a number that nothing says is work counts some: it rises in every report of a line of work."""
    return is_monotone and reports >= MIN_OTHER_REPORTS and _tells_of_work(wording)
