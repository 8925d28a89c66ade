"""A failure that is reported again and again in the place of work that came regularly before.

    frame= 5668 fps=85 ... [batch] (31/412) clip_31.mov
    Conversion failed!     [batch] (32/412) clip_32.mov
    Conversion failed!     [batch] (33/412) clip_33.mov

A program that goes through its items counts on although each of them fails. What it printed of a piece of
work that went well comes no more, and nothing else of work has begun.
"""

from typing import NamedTuple

from babysitter.diagnosis.timeline.repetition.failing_loop import lasts_s, repeats
from babysitter.diagnosis.timeline.repetition.stopped_work import OVERDUE
from babysitter.diagnosis.timeline.repetition.wordings import is_asked_for, shows_work, undoes_severely
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_DONE = 8  # lines of work before
MIN_BEGUN = 2  # lines of other work that began then: one may be printed in passing


class FailsInstead(NamedTuple):
    """`work` came regularly until `report` began."""

    work: LineTemplate
    report: LineTemplate


def find_failure_instead(profile: RunProfile, now_s: float) -> FailsInstead | None:
    """Return the work that a failure took the place of; None where work goes on or other work began."""
    timed = [template for template in profile.templates if template.first_at_s > 0]
    reports = [line for line in timed if repeats(line, now_s) and undoes_severely(line)]
    found = [
        FailsInstead(work, report)
        for report in reports
        for work in timed
        if _gave_way(work, report, now_s) and not any(_began(line, work) for line in timed)
    ]
    return max(found, key=lambda pair: lasts_s(pair.report), default=None)


def _gave_way(work: LineTemplate, report: LineTemplate, now_s: float) -> bool:
    if work.count < MIN_DONE or not work.first_at_s < report.first_at_s:
        return False
    ended_s = report.first_at_s - work.last_at_s
    is_near = -work.longest_gap_s <= ended_s <= OVERDUE * work.longest_gap_s
    is_overdue = now_s - work.last_at_s > OVERDUE * work.longest_gap_s
    return is_near and is_overdue and shows_work(work) and not is_asked_for(work)


def _began(line: LineTemplate, work: LineTemplate) -> bool:
    """Whether other work began about when this one ended."""
    return (
        line.first_at_s > work.last_at_s - work.longest_gap_s and line.count >= MIN_BEGUN and shows_work(line)
    )
