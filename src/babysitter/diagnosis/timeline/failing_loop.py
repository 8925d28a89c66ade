"""A job that does nothing but fail: the same report again and again, and nothing new beside it.

Retries that work are followed by something new: a count that rises above where it was, a line that was not
printed before. A supervisor that restarts its child for ever, a client that asks a dead server, a trainer
that skips every batch print the same round of lines each time.
"""

import re
from collections.abc import Iterator

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.timeline.numbers import SlotKind
from babysitter.diagnosis.timeline.stopped_work import is_regular, mean_gap_s, shows_work, tells_of_failure
from babysitter.model.log import LogLevel
from babysitter.model.progress import CountedWork
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_REPORTS = 6
MIN_OTHER_REPORTS = 4  # of a number that nothing says is work
STILL_GAPS, STILL_S = 3.0, 60.0  # since the newest report: longest gaps between two, or seconds
ONCE_EACH = 0.8  # reports of a count to those of a failure, where each failure counts one
START_SHARE = 0.25  # of the time of the reports, in which the last new thing may happen
_SEVERE = frozenset({LogLevel.ERROR, LogLevel.CRITICAL})
_ERROR = re.compile(r"Traceback \(|[\w.]*(?:Error|Exception)\b|(?i:error|fatal)\b")


def find_failing_loop(profile: RunProfile, work: CountedWork, now_s: float) -> LineTemplate | None:
    """Return the report that repeats and beside which nothing new happens: the one for longest, or None."""
    timed = [template for template in profile.templates if template.first_at_s > 0]
    reports = [template for template in timed if _repeats(template, now_s)]
    if not reports:
        return None
    new_lines = list(_new_lines(timed))
    loops = [
        template
        for template in reports
        if max((*new_lines, *_new_counts(work, template)), default=0.0)
        <= template.first_at_s + START_SHARE * lasts_s(template)
        and not any(_goes_on(other, template, now_s) for other in timed)
    ]
    return max(loops, key=lasts_s, default=None)


def lasts_s(template: LineTemplate) -> float:
    """Seconds from the first to the newest line of a wording."""
    return template.last_at_s - template.first_at_s


def _repeats(template: LineTemplate, now_s: float) -> bool:
    is_recent = now_s - template.last_at_s <= max(STILL_S, STILL_GAPS * template.longest_gap_s)
    return template.count >= MIN_REPORTS and is_recent and tells_of_failure(template)


def _new_lines(timed: list[LineTemplate]) -> Iterator[float]:
    return (template.first_at_s for template in timed if shows_work(template))


def _new_counts(work: CountedWork, report: LineTemplate) -> Iterator[float]:
    """When counts rose above where they had ever been, but for those that only count the failures."""
    for note in work.counts:
        if not note.has_counted or note.still.at_s is None or note.value < note.highest:
            continue
        if _is_error(report) and ONCE_EACH <= note.reports / report.count <= 1 / ONCE_EACH:
            continue
        is_named = note.kind != SlotKind.OTHER.value
        rises = note.is_monotone and note.reports >= MIN_OTHER_REPORTS
        if is_named or (rises and is_ordinary(read_frame(note.template))):
            yield note.still.at_s


def _is_error(report: LineTemplate) -> bool:
    """Whether a report ends what it is about: an exception or an error, and no warning."""
    frame = read_frame(report.example)
    return frame.level in _SEVERE or _ERROR.match(frame.message) is not None


def _goes_on(other: LineTemplate, report: LineTemplate, now_s: float) -> bool:
    """Whether a line of work that came regularly before the first report still comes."""
    is_older = other.first_at_s < report.first_at_s - mean_gap_s(other)
    is_alive = now_s - other.last_at_s < STILL_GAPS * other.longest_gap_s
    return is_older and is_alive and is_regular(other) and shows_work(other)
