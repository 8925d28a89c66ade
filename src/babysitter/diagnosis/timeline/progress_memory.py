"""What log lines and status texts change in the memory: progress, times of lines, milestones."""

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from babysitter.diagnosis.timeline.count_history import with_counts
from babysitter.diagnosis.timeline.job_kinds import ZEPHYR, kind_named
from babysitter.diagnosis.timeline.pipelines.stage_pace import current_stage, end_stages, fold_report
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import (
    newest_pipeline_attempt,
    pipeline_attempts,
    role_of,
)
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import (
    LogMarker,
    ZephyrMilestone,
    line_at,
    read_milestone,
    read_status,
)
from babysitter.diagnosis.timeline.tree_memory import MAX_NOTES
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import JobTree
from babysitter.model.log import LogLine, Role
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.progress import CountedWork, KnownTexts, Progress, StagePace

MAX_RECENT_LINES = 30
MAX_RECENT_CHARACTERS = 400


def with_lines(memory: Memory, observation: Observation, lines: tuple[LogLine, ...]) -> Memory:
    """What new lines tell: times, progress, milestones of a pipeline, counts."""
    kind = kind_named(memory.kind)
    base = 0 if observation.is_reread else memory.lines_read
    memory = _with_times(memory, lines)
    position = memory.advanced_position
    if observation.is_reread:
        position = None
        memory = replace(
            memory, work=CountedWork(), still_count=None, only_polls=None, only_waits=None, only_idle=None
        )
        memory = replace(
            memory,
            texts=KnownTexts(),
            values=(),
            told_quiet=None,
            measures=(),
            loss_courses=(),
            failed_items=(),
            lost_members=(),
            left_over=None,
        )
    reported = _reported_by(memory)
    for index, line in enumerate(lines):
        role = _role(memory, line, observation.root)
        if role in kind.reporters and (report := kind.read_progress(line)) is not None:
            before = reported.stages
            reported = _advanced(reported, report, job_of(line.task), memory.newest_attempt)
            if observation.is_reread or _is_advance(before, reported.stages):
                position = base + index
        if memory.kind == ZEPHYR and (milestone := read_milestone(line)) is not None:
            memory = _with_milestone(replace(memory, **reported._asdict()), milestone, line.task, role)
            reported = _reported_by(memory)
    memory = replace(memory, **reported._asdict(), advanced_position=position)
    memory = with_counts(memory, lines, base, is_text=observation.excerpt is not None)
    recent = (*memory.recent_lines, *lines)[-MAX_RECENT_LINES:]
    return replace(
        memory,
        lines_read=base + len(lines),
        recent_lines=tuple(line._replace(text=line.text[:MAX_RECENT_CHARACTERS]) for line in recent),
    )


def _role(memory: Memory, line: LogLine, root: JobId) -> Role:
    return memory.roles.get(line.task) or role_of(job_of(line.task), root)


def _with_times(memory: Memory, lines: tuple[LogLine, ...]) -> Memory:
    first, last, gap_s = memory.first_line_at, memory.last_line_at, memory.line_gap_s
    for line in lines:
        at = line_at(line)
        if at is None or (last is not None and at <= last):
            continue
        if last is not None:
            gap_s = max(gap_s, (at - last).total_seconds())
        first, last = first or at, at
    return replace(memory, first_line_at=first, last_line_at=last, line_gap_s=gap_s)


class _Reported(NamedTuple):
    """What reports of progress change in a memory (apart from it, because hundreds are read at a time)."""

    stages: tuple[StagePace, ...]
    advanced_at: datetime | None
    progress: Progress | None


def _reported_by(memory: Memory) -> _Reported:
    return _Reported(memory.stages, memory.advanced_at, memory.progress)


def _advanced(reported: _Reported, report: Progress, owner: JobId, newest_attempt: JobId | None) -> _Reported:
    """One more report; progress of older attempts is folded but does not count for the job."""
    stages = fold_report(reported.stages, report, owner)
    if newest_attempt not in (None, owner):
        return reported._replace(stages=stages)
    newest = current_stage(stages, owner)
    proof = newest.last_done_at or newest.started_at if newest else None
    advanced_at, progress = reported.advanced_at, reported.progress
    if proof is not None and (advanced_at is None or proof > advanced_at):
        advanced_at = proof
    if progress is None or report.at >= progress.at:
        progress = report
    return _Reported(stages, advanced_at, progress)


def _is_advance(before: tuple[StagePace, ...], after: tuple[StagePace, ...]) -> bool:
    done = {(stage.owner, stage.execution, stage.label): stage.done for stage in before}
    return any(stage.done > done.get((stage.owner, stage.execution, stage.label), -1) for stage in after)


def _with_milestone(memory: Memory, milestone: ZephyrMilestone, task: TaskId, role: Role) -> Memory:
    is_newest = job_of(task) == memory.newest_attempt
    if milestone.said is LogMarker.SHUT_DOWN and role is Role.COORDINATOR and is_newest:
        stages = end_stages(memory.stages, job_of(task), milestone.at)
        return replace(memory, shutdown_at=milestone.at, stages=stages)
    if milestone.said is LogMarker.STAGE_STARTED and role is Role.COORDINATOR and is_newest:
        return replace(memory, shutdown_at=None)  # another pipeline in the same process
    if milestone.said is LogMarker.PIPELINE_STARTED:
        return replace(memory, pipeline_tries=int(milestone.details.get("n", 0)))
    if milestone.said is LogMarker.SHARD_GIVEN_UP and role is Role.COORDINATOR:
        return replace(memory, shard_tries=int(milestone.details.get("n", 0)))
    if milestone.said in (LogMarker.SHARD_LOST, LogMarker.SHARD_FAILED) and role is Role.COORDINATOR:
        if memory.requeues and milestone.at <= memory.requeues[-1]:
            return memory
        return replace(memory, requeues=(*memory.requeues, milestone.at)[-MAX_NOTES:])
    return memory


def with_status(memory: Memory, tree: JobTree, now: datetime) -> Memory:
    """Progress from the coordinator's status text, where the log has reported nothing newer."""
    pipeline = newest_pipeline_attempt(tree)
    for task in (pipeline.coordinator.tasks or ()) if pipeline else ():
        report = read_status(task.status_text, now) if task.status_text else None
        stage = current_stage(memory.stages, pipeline.coordinator.id) if pipeline else None
        if report is None or pipeline is None or pipeline.coordinator.state.is_terminal:
            continue
        if stage is None and not any(
            stage_pace.owner == pipeline.coordinator.id for stage_pace in memory.stages
        ):
            memory = _with_report(memory, report, pipeline.coordinator.id)
        elif stage is not None and stage.total == report.total and report.done > stage.done:
            memory = _with_report(memory, replace(report, stage=stage.label), pipeline.coordinator.id)
    return memory


def _with_report(memory: Memory, report: Progress, owner: JobId) -> Memory:
    return replace(memory, **_advanced(_reported_by(memory), report, owner, memory.newest_attempt)._asdict())


def with_ends(memory: Memory, tree: JobTree) -> Memory:
    """Stages of coordinators that have ended are over."""
    stages = memory.stages
    for pipeline in pipeline_attempts(tree):
        if not pipeline.is_living and memory.seen_at is not None:
            stages = end_stages(
                stages, pipeline.coordinator.id, pipeline.coordinator.finished_at or memory.seen_at
            )
    return replace(memory, stages=stages)
