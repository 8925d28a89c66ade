"""A job that does nothing but fail: the same report again and again, and nothing new beside it.

Retries that work are followed by something new: a count that rises above where it was, a line that was not
printed before. A supervisor that restarts a process that always fails, a client that asks a dead server, a
trainer that skips every batch print the same round of lines each time.
"""

from collections.abc import Iterator

from babysitter.diagnosis.timeline.repetition.wordings import (
    counts_work,
    is_error,
    is_regular,
    mean_gap_s,
    reports_severely,
    reports_trouble,
    shows_work,
)
from babysitter.model.progress import CountedWork, CountNote
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_REPORTS = 6
STILL_GAPS, STILL_S = 3.0, 60.0  # since the newest report: longest gaps between two, or seconds
ONCE_EACH = 0.8  # reports of a count to those of a failure, where each failure counts one
FOR_EACH = 3  # reports of counts, beside which they count more than failures
START_SHARE = 0.25  # of the time of the reports, in which the last new thing may happen
MISCOUNT, MISSED = 3, 0.05  # of the reports, beside which a line that comes with each may not stand
OF_ITS_OWN = 0.2  # lines for each report, beside a whole number: they do not come with the report


def find_failing_loop(profile: RunProfile, work: CountedWork, now_s: float) -> LineTemplate | None:
    """Return the report that repeats and beside which nothing new happens, or None.

    Of several an error rather than a warning, then the one for longest.
    """
    timed = [template for template in profile.templates if template.first_at_s > 0]
    reports = [template for template in timed if repeats(template, now_s) and reports_trouble(template)]
    if not reports:
        return None
    new_lines = list(_new_lines(timed))
    loops = [
        template
        for template in reports
        if max((*new_lines, *_new_counts(work, template)), default=0.0)
        <= template.first_at_s + START_SHARE * lasts_s(template)
        and not any(_goes_on(other, template) for other in timed)
    ]
    return max(loops, key=lambda template: (reports_severely(template), lasts_s(template)), default=None)


def lasts_s(template: LineTemplate) -> float:
    """Seconds from the first to the newest line of a wording."""
    return template.last_at_s - template.first_at_s


def repeats(template: LineTemplate, now_s: float) -> bool:
    """Whether a line comes again and again until now."""
    is_recent = now_s - template.last_at_s <= max(STILL_S, STILL_GAPS * template.longest_gap_s)
    return template.count >= MIN_REPORTS and is_recent


def _new_lines(timed: list[LineTemplate]) -> Iterator[float]:
    return (template.first_at_s for template in timed if shows_work(template))


def _new_counts(work: CountedWork, report: LineTemplate) -> Iterator[float]:
    """When counts rose above where they had ever been, but for one that only counts the failures."""
    counting = [note for note in work.counts if counts_work(note)]
    is_one_for_each = sum(note.reports for note in counting) <= FOR_EACH * report.count
    for note in counting:
        counts_failures = ONCE_EACH <= note.reports / report.count <= 1 / ONCE_EACH
        if not (is_error(report.example) and is_one_for_each and counts_failures):
            yield _highest_at_s(note)


def _highest_at_s(note: CountNote) -> float:
    """When a count was first as high as it ever was; 0 where it is not known."""
    if note.value >= note.highest:
        return note.still.at_s or 0.0
    return next((at.at_s for at in note.course if at.value >= note.highest), 0.0)


def _goes_on(other: LineTemplate, report: LineTemplate) -> bool:
    """Whether a line of work still comes that came before the first report, or does not come with each."""
    if other.count < MIN_REPORTS or mean_gap_s(other) <= 0 or not shows_work(other):
        return False
    is_alive = report.last_at_s - other.last_at_s < STILL_GAPS * other.longest_gap_s
    is_older = is_regular(other) and other.first_at_s < report.first_at_s - mean_gap_s(other)
    return is_alive and (is_older or _has_own_pace(other, report))


def _has_own_pace(other: LineTemplate, report: LineTemplate) -> bool:
    """Whether its number is none that it would have if it came once or several times with each report."""
    reports = (other.last_at_s - other.first_at_s) / max(1.0, mean_gap_s(report)) + 1
    for_each = other.count / reports
    times = max(1, round(for_each))
    missed = abs(other.count - times * reports)
    return abs(for_each - times) > OF_ITS_OWN or missed > MISCOUNT + MISSED * reports
