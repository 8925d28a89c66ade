"""Progress reports folded into stages: completions, gaps per shard, rates, what is left; when is one stuck?

Times are those inside the lines, so a reader that comes late, or was blind for an hour, measures the same.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from statistics import median
from typing import Any

from babysitter.model.ids import JobId
from babysitter.model.limits import Limits
from babysitter.model.progress import Progress, StagePace

MAX_STAGES = 64
MAX_GAPS = 60
HALT_GAPS = 4  # so many usual gaps without a completion, the pace of before foretells nothing
HALT_LEAST_S = 60.0
SIBLING_SILENT_S = 60.0  # executions report every few seconds: one that did not for so long is over
_NUMBERED = re.compile(r"^stage\d+-")


def fold_report(stages: tuple[StagePace, ...], report: Progress, owner: JobId) -> tuple[StagePace, ...]:
    """The stages with one more report of `owner` folded in; old and repeated ones change nothing."""
    same = [stage for stage in reversed(stages) if _is_same(stage, report, owner)]
    if len({stage.execution for stage in same if stage.ended_at is None}) > 1:
        same = [stage for stage in same if stage.total == report.total and stage.done <= report.done]
        if len(same) != 1:
            return stages  # it names no execution, and could be of either
    known = same[0] if same else None
    if known is None:
        fresh = _counted(_begun(report, owner), report)
        return (*_ended_before(stages, fresh), fresh)[-MAX_STAGES:]
    if known.reported_at is not None and report.at < known.reported_at:
        return stages
    grown = _counted(known, report)
    others = [stage for stage in stages if stage is not known]
    if grown.ended_at is not None:
        grown = replace(grown, ended_at=None)
    return (*_ended_before(others, grown), grown)


def end_stages(stages: tuple[StagePace, ...], owner: JobId, at: datetime) -> tuple[StagePace, ...]:
    """The stages after their coordinator ended."""
    return tuple(
        replace(stage, ended_at=at) if stage.owner == owner and stage.ended_at is None else stage
        for stage in stages
    )


def current_stage(stages: Sequence[StagePace], owner: JobId | None) -> StagePace | None:
    """The stage that `owner` reports at present; None between stages and before the first.

    Of several executions at once it is that of the one that began last.
    """
    return next(iter(open_stages(stages, owner)), None)


def open_stages(stages: Sequence[StagePace], owner: JobId | None) -> tuple[StagePace, ...]:
    """The stages that `owner` reports at present, one for each execution; the newest execution first."""
    found = [stage for stage in reversed(stages) if stage.owner == owner and stage.ended_at is None]
    if len({stage.execution for stage in found}) > 1:
        found.sort(key=lambda stage: stage.execution, reverse=True)
    return tuple(found)


def _is_same(stage: StagePace, report: Progress, owner: JobId) -> bool:
    if stage.owner != owner or not is_one_stage(stage.label, report.stage):
        return False
    if stage.execution and report.execution and stage.execution != report.execution:
        return False
    # The short form of a report names no execution: fewer done than before is another run of that stage.
    return (
        bool(report.execution) or report.done >= stage.done or report.at <= (stage.reported_at or report.at)
    )


def is_one_stage(known: str, told: str) -> bool:
    """Whether two labels name one stage: a job's status text leaves out the number that lines have."""
    if known == told:
        return True
    bare, told_bare = _NUMBERED.sub("", known), _NUMBERED.sub("", told)
    return bare == told_bare and (known == bare) != (told == told_bare)


def _begun(report: Progress, owner: JobId) -> StagePace:
    return StagePace(report.stage, owner, report.execution, report.stage_number, started_at=report.at)


def _ended_before(stages: Sequence[StagePace], newer: StagePace) -> tuple[StagePace, ...]:
    """The stages before, ended if this report shows it.

    An execution works on one stage at a time. A coordinator may run several executions at once; one that does
    not report any more is over.
    """
    return tuple(
        replace(stage, ended_at=newer.reported_at) if _is_over(stage, newer) else stage for stage in stages
    )


def _is_over(stage: StagePace, newer: StagePace) -> bool:
    if stage.owner != newer.owner or stage.ended_at is not None:
        return False
    if not stage.execution or not newer.execution or stage.execution == newer.execution:
        return True
    if stage.reported_at is None or newer.reported_at is None:
        return True
    return (newer.reported_at - stage.reported_at).total_seconds() > SIBLING_SILENT_S


def _counted(stage: StagePace, report: Progress) -> StagePace:
    completed = report.done - stage.done
    changes: dict[str, Any] = {
        "label": max(stage.label, report.stage, key=len),
        "number": report.stage_number if stage.number is None else stage.number,
        "execution": stage.execution or report.execution,
        "total": report.total,
        "done": max(report.done, stage.done),
        "reported_at": report.at,
        "in_flight": stage.in_flight if report.in_flight is None else report.in_flight,
        "queued": stage.queued if report.queued is None else report.queued,
        "alive": stage.alive if report.alive is None else report.alive,
        "workers": stage.workers if report.workers is None else report.workers,
        "gone": stage.gone if report.gone is None else report.gone,
    }
    if report.queued is not None:
        changes["drained_at"] = (stage.drained_at or report.at) if report.queued == 0 else None
    if completed > 0:
        changes |= _with_completions(stage, report, completed)
    return replace(stage, **changes)


def _with_completions(stage: StagePace, report: Progress, completed: int) -> dict[str, Any]:
    """What changes when a report counts so many more."""
    if stage.last_done_at is None:
        return {"first_done_at": report.at, "last_done_at": report.at}
    waited_s = max(0.0, (report.at - stage.last_done_at).total_seconds())
    gaps = (*stage.gaps_s, *[waited_s / completed] * min(completed, MAX_GAPS))[-MAX_GAPS:]
    return {
        "last_done_at": report.at,
        "gaps_s": gaps,
        "longest_gap_s": max(stage.longest_gap_s, waited_s),
    }


def first_shard_s(stage: StagePace) -> float | None:
    """Seconds from a stage's first report to its first completion; None when there was none yet."""
    if stage.first_done_at is None or stage.started_at is None:
        return None
    return max(0.0, (stage.first_done_at - stage.started_at).total_seconds())


def stuck_after_s(stage: StagePace, earlier: Sequence[StagePace], limits: Limits) -> float:
    """Seconds without a completed shard after which a stage counts as stuck.

    The largest of: 15 min; 8 x the stage's own median gap between completions; 2 x the longest gap it
    already survived. Before the first completion: 45 min, or 3 x the slowest first shard of earlier stages.
    """
    if stage.last_done_at is None:
        slowest = max(
            (first_shard_s(stage_pace) or 0.0 for stage_pace in earlier if stage_pace is not stage),
            default=0.0,
        )
        return max(limits.first_shard_floor_s, limits.first_shard_factor * slowest)
    usual_s = median(stage.gaps_s) if stage.gaps_s else 0.0
    return max(
        limits.stuck_floor_s,
        limits.stuck_median_factor * usual_s,
        limits.stuck_gap_factor * stage.longest_gap_s,
    )


def since_last_completion_s(stage: StagePace) -> float:
    """How long the stage's reports show no completion: from the last (or the start) to the newest report."""
    since = stage.last_done_at or stage.started_at
    if since is None or stage.reported_at is None:
        return 0.0
    return max(0.0, (stage.reported_at - since).total_seconds())


def rate_per_min(stage: StagePace) -> float | None:
    """Completed shards per minute, from the recent gaps; None before two completions."""
    if not stage.gaps_s:
        return None
    mean_s = sum(stage.gaps_s) / len(stage.gaps_s)
    return 60.0 / mean_s if mean_s > 0 else None


def eta_s(stage: StagePace) -> float | None:
    """Seconds until the stage is done at its recent pace; None when that cannot be told or it has halted."""
    rate = rate_per_min(stage)
    if rate is None or not stage.is_under_way or not stage.total:
        return None
    if since_last_completion_s(stage) > max(HALT_LEAST_S, HALT_GAPS * 60.0 / rate):
        return None
    return (stage.total - stage.done) / rate * 60.0
