"""Folds an observation into the memory: `update_memory`. Measures, and judges nothing.

What was not seen leaves what is remembered as it was; only its age grows.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from babysitter.diagnosis.timeline.checkpoints import with_checkpoint
from babysitter.diagnosis.timeline.count_history import with_counts
from babysitter.diagnosis.timeline.job_kinds import ZEPHYR, kind_named, recognise
from babysitter.diagnosis.timeline.loss_history import with_losses
from babysitter.diagnosis.timeline.placement import waits_for_group
from babysitter.diagnosis.timeline.process_activity import summarise_dump
from babysitter.diagnosis.timeline.stage_pace import current_stage, end_stages, fold_report
from babysitter.diagnosis.timeline.zephyr_jobs import (
    PipelineAttempt,
    newest_pipeline_attempt,
    pipeline_attempts,
    role_of,
)
from babysitter.diagnosis.timeline.zephyr_lines import (
    LogMarker,
    ZephyrMilestone,
    line_at,
    read_milestone,
    read_status,
)
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import LogLine, Role
from babysitter.model.memory import ErrorNote, Memory, WorkerLosses
from babysitter.model.observation import Observation
from babysitter.model.progress import CountedWork, Progress, StagePace
from babysitter.model.seen import Gone, Seen, Source, Unseen
from babysitter.model.thread_dump import DumpSummary

MAX_NOTES = 24  # of each list kept
MAX_DUMPS = 96  # five looks at 17 processes: two of them are far enough apart to prove something
MAX_ROLES = 400
MAX_RECENT_LINES = 30
MAX_RECENT_CHARACTERS = 400
SIGNATURE_CHARACTERS = 240

_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+")


def update_memory(memory: Memory, observation: Observation) -> Memory:
    """The memory with what this observation brought. Repeating an observation changes next to nothing."""
    memory = _this_run(memory, observation)
    tree, lines = observation.seen_tree, observation.seen_lines
    if tree is not None:
        memory = _with_tree(memory, tree, lines, observation.taken_at)
    if isinstance(observation.lines, Seen):
        memory = with_losses(_with_lines(memory, observation, lines), observation)
        memory = with_checkpoint(memory, observation)
    if tree is not None:
        memory = _with_ends(_with_status(memory, tree, observation.taken_at), tree)
    memory = _with_dumps(memory, observation)
    return _with_sight(memory, observation)


def _this_run(memory: Memory, observation: Observation) -> Memory:
    """The memory, or an empty one when another run goes by the same name now."""
    tree = observation.seen_tree
    before, now = memory.root_submitted_at, tree.root.submitted_at if tree else None
    if before is None or now is None or before == now:
        return memory
    return Memory(generation=memory.generation, looked_at=memory.looked_at, blind_since=memory.blind_since)


def _with_sight(memory: Memory, observation: Observation) -> Memory:
    """When we looked, for how long in this phase we saw something, and since when we do not."""
    now = observation.taken_at
    spots = [each for each in (observation.tree, observation.lines) if isinstance(each, Unseen)]
    blind = {spot.source: memory.blind_since.get(spot.source, spot.since) for spot in spots}
    was_blind = bool(set(memory.blind_since) & {Source.CONTROLLER, Source.TUNNEL}) or bool(memory.gone_since)
    is_seen = observation.seen_tree is not None
    gained_s = 0.0
    if is_seen and memory.seen_at is not None and not was_blind:
        gained_s = max(0.0, (now - memory.seen_at).total_seconds())
    if observation.is_reread and not observation.seen_lines and memory.first_line_at and is_seen:
        was_blind = True  # the log service has lost what it had: the control plane went away and came back
    return replace(
        memory,
        looked_at=now,
        seen_at=now if is_seen else memory.seen_at,
        clear_at=memory.clear_at if spots else now,
        gone_since=_gone_since(memory, observation),
        seen_in_phase_s=memory.seen_in_phase_s + gained_s,
        blind_since=blind,
        blind_until_at=now if was_blind and is_seen else memory.blind_until_at,
        log_read_at=observation.lines.at if isinstance(observation.lines, Seen) else memory.log_read_at,
        cursors={**memory.cursors, **observation.cursors},
        generation=observation.generation or memory.generation,
        phase_since_at=memory.phase_since_at or now,
        checks_in_phase=memory.checks_in_phase + 1,
    )


def _gone_since(memory: Memory, observation: Observation) -> datetime | None:
    """Since when the cluster does not know the job; what cannot be seen changes nothing about that."""
    if isinstance(observation.tree, Gone):
        return memory.gone_since or observation.tree.at
    return None if observation.seen_tree is not None else memory.gone_since


# --- the tree


def _with_tree(memory: Memory, tree: JobTree, lines: tuple[LogLine, ...], now: datetime) -> Memory:
    pipeline = newest_pipeline_attempt(tree)
    newest = pipeline.coordinator.id if pipeline else tree.root.id
    is_another = memory.newest_attempt is not None and newest != memory.newest_attempt
    waits = waits_for_machines(tree) is not None
    return replace(
        memory,
        kind=recognise(tree, lines, memory.kind),
        root_state=tree.root.state,
        root_submitted_at=tree.root.submitted_at or memory.root_submitted_at,
        newest_attempt=newest,
        shutdown_at=None if is_another else memory.shutdown_at,
        shard_tries=0 if is_another else memory.shard_tries,
        waiting_since_at=(memory.waiting_since_at or now) if waits else None,
        waited_at=now if waits else memory.waited_at,
        roles=_roles(memory, tree),
        losses=_losses(memory, _restarted_in_place(tree, pipeline), now),
        errors=_errors(memory, tree, now),
        peak_memory_bytes=max(
            (task.memory_peak_bytes or 0 for job in tree for task in job.tasks or ()),
            default=0,
        )
        or memory.peak_memory_bytes,
    )


def waits_for_machines(tree: JobTree) -> Job | None:
    """The job of the newest attempt that waits to be placed and holds up the rest; None when none does.

    A job that has started once counts as RUNNING even while nothing of it runs: only the states of its
    tasks tell. A task between two tries of its own is no waiting.
    """
    root = tree.root
    if root.state.is_terminal:
        return None
    if _is_unplaced(root):
        return root
    pipeline = newest_pipeline_attempt(tree)
    if pipeline is None or not pipeline.is_living:
        return None
    if _is_unplaced(pipeline.coordinator):
        return pipeline.coordinator
    return pipeline.workers if pipeline.workers is not None and _is_unplaced(pipeline.workers) else None


def _is_unplaced(job: Job) -> bool:
    if job.state is JobState.PENDING:
        return True
    if job.state.is_terminal or not job.task_states:
        return False
    if waits_for_group(job.pending_reason):
        return True
    living = {state for state, count in job.task_states.items() if count and not state.is_terminal}
    if living != {TaskState.PENDING}:
        return False
    reasons = [job.pending_reason, *(task.pending_reason for task in job.tasks or ())]
    if any(reason.startswith("Retrying") and "task_state_failed" in reason for reason in reasons):
        return False  # a new try of its own; after a preemption the same words mean waiting for a machine
    return bool(job.pending_reason) or job.preemption_count > 0 or job.failure_count == 0


def _roles(memory: Memory, tree: JobTree) -> dict[TaskId, Role]:
    roles = dict(memory.roles)
    for job in tree:
        role = role_of(job.id, tree.root.id)
        for index in range(min(max(job.task_count, len(job.tasks or ())), MAX_ROLES)):
            roles[TaskId(f"{job.id}/{index}")] = role
        for task in (job.tasks or ())[:MAX_ROLES]:  # not every cluster numbers them
            roles[task.id] = role
    return dict(list(roles.items())[-MAX_ROLES:])


def _restarted_in_place(tree: JobTree, pipeline: PipelineAttempt | None) -> Job | None:
    """The job whose lost processes are counted: of a pipeline its workers."""
    if pipeline is not None:
        return pipeline.workers
    return tree.root if tree.root.task_restarts else None


def _losses(memory: Memory, workers: Job | None, now: datetime) -> tuple[WorkerLosses, ...]:
    if workers is None:
        return memory.losses
    total = workers.failure_count + workers.preemption_count + workers.task_restarts
    before = [each for each in memory.losses if each.job == workers.id]
    if before and before[-1].total == total:
        return tuple(before)
    return (*before, WorkerLosses(workers.id, now, total))[-MAX_NOTES:]


def _errors(memory: Memory, tree: JobTree, now: datetime) -> tuple[ErrorNote, ...]:
    """Every try that ended in an error, grouped by what the error says."""
    notes = {note.signature: note for note in memory.errors}
    for tried, text in _ended_tries(tree):
        signature = signature_of(text)
        note = notes.get(signature) or ErrorNote(signature, text[:2000], (), now)
        if tried not in note.tries:
            tries = (*note.tries, tried)[-MAX_NOTES:]
            notes[signature] = replace(note, tries=tries, seen_at=now)
    return tuple(notes.values())[-MAX_NOTES:]


def _ended_tries(tree: JobTree) -> Iterable[tuple[str, str]]:
    for pipeline in pipeline_attempts(tree):
        job = pipeline.coordinator
        if job.state in (JobState.FAILED, JobState.WORKER_FAILED) and job.error:
            yield job.id, job.error
    for task in tree.root.tasks or ():
        yield from _tries_of(task)


def _tries_of(task: Task) -> Iterable[tuple[str, str]]:
    bad = (TaskState.FAILED, TaskState.WORKER_FAILED)
    told = set()
    for attempt in task.attempts:
        if attempt.state in bad and attempt.error:
            told.add(attempt.number)
            yield f"{task.id}:{attempt.number}", attempt.error
    # A task keeps the error of the try before the present one, whatever the present one does.
    before = task.current_attempt - 1
    if task.error and before >= 0 and before not in told and task.state is not TaskState.SUCCEEDED:
        yield f"{task.id}:{before}", task.error


def signature_of(text: str) -> str:
    """An error's text without what differs from try to try."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return _CHANGING.sub("#", " ".join(lines))[-SIGNATURE_CHARACTERS:]


def _with_status(memory: Memory, tree: JobTree, now: datetime) -> Memory:
    """Progress from the coordinator's status text, where the log has told nothing newer."""
    pipeline = newest_pipeline_attempt(tree)
    for task in (pipeline.coordinator.tasks or ()) if pipeline else ():
        report = read_status(task.status_text, now) if task.status_text else None
        stage = current_stage(memory.stages, pipeline.coordinator.id) if pipeline else None
        if report is None or pipeline is None or pipeline.coordinator.state.is_terminal:
            continue
        if stage is None and not any(each.owner == pipeline.coordinator.id for each in memory.stages):
            memory = _with_report(memory, report, pipeline.coordinator.id)
        elif stage is not None and stage.total == report.total and report.done > stage.done:
            memory = _with_report(memory, replace(report, stage=stage.label), pipeline.coordinator.id)
    return memory


def _with_report(memory: Memory, report: Progress, owner: JobId) -> Memory:
    return replace(memory, **_advanced(_told_by(memory), report, owner, memory.newest_attempt)._asdict())


def _with_ends(memory: Memory, tree: JobTree) -> Memory:
    """Stages of coordinators that have ended are over."""
    stages = memory.stages
    for pipeline in pipeline_attempts(tree):
        if not pipeline.is_living and memory.seen_at is not None:
            stages = end_stages(
                stages, pipeline.coordinator.id, pipeline.coordinator.finished_at or memory.seen_at
            )
    return replace(memory, stages=stages)


# --- lines


def _with_lines(memory: Memory, observation: Observation, lines: tuple[LogLine, ...]) -> Memory:
    kind = kind_named(memory.kind)
    base = 0 if observation.is_reread else memory.lines_read
    memory = _with_times(memory, lines)
    position = memory.advanced_position
    if observation.is_reread:
        position = None
        memory = replace(
            memory, work=CountedWork(), still_count=None, only_polls=None, only_waits=None, only_idle=None
        )
        memory = replace(memory, told_quiet=None, measures=(), failed_items=())
    told = _told_by(memory)
    for index, line in enumerate(lines):
        role = _role(memory, line, observation.root)
        if role in kind.reporters and (report := kind.read_progress(line)) is not None:
            before = told.stages
            told = _advanced(told, report, job_of(line.task), memory.newest_attempt)
            if observation.is_reread or _is_advance(before, told.stages):
                position = base + index
        if memory.kind == ZEPHYR and (milestone := read_milestone(line)) is not None:
            memory = _with_milestone(replace(memory, **told._asdict()), milestone, line.task, role)
            told = _told_by(memory)
    memory = replace(memory, **told._asdict(), advanced_position=position)
    memory = with_counts(memory, lines, base)
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


class _Told(NamedTuple):
    """What reports of progress change in a memory (apart from it, because hundreds are read at a time)."""

    stages: tuple[StagePace, ...]
    advanced_at: datetime | None
    progress: Progress | None


def _told_by(memory: Memory) -> _Told:
    return _Told(memory.stages, memory.advanced_at, memory.progress)


def _advanced(told: _Told, report: Progress, owner: JobId, newest_attempt: JobId | None) -> _Told:
    """One more report; progress of older attempts is folded but is no progress of the job."""
    stages = fold_report(told.stages, report, owner)
    if newest_attempt not in (None, owner):
        return told._replace(stages=stages)
    newest = current_stage(stages, owner)
    proof = newest.last_done_at or newest.started_at if newest else None
    advanced_at, progress = told.advanced_at, told.progress
    if proof is not None and (advanced_at is None or proof > advanced_at):
        advanced_at = proof
    if progress is None or report.at >= progress.at:
        progress = report
    return _Told(stages, advanced_at, progress)


def _is_advance(before: tuple[StagePace, ...], after: tuple[StagePace, ...]) -> bool:
    done = {(each.owner, each.execution, each.label): each.done for each in before}
    return any(each.done > done.get((each.owner, each.execution, each.label), -1) for each in after)


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


# --- dumps


def _with_dumps(memory: Memory, observation: Observation) -> Memory:
    notes: list[DumpSummary] = list(memory.dumps)
    for task, sight in observation.dumps.items():
        if not isinstance(sight, Seen):
            continue
        role = memory.roles.get(task) or role_of(job_of(task), observation.root)
        note = summarise_dump(sight.value, role)
        if not any(each.target == note.target and each.taken_at >= note.taken_at for each in notes):
            notes.append(note)
    return replace(memory, dumps=tuple(notes[-MAX_DUMPS:]))
