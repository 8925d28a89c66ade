"""What a look at the job tree changes in the memory: states, roles, lost workers, errors, waits."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from babysitter.diagnosis.timeline.job_kinds import recognise
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import (
    PipelineAttempt,
    newest_pipeline_attempt,
    pipeline_attempts,
    role_of,
)
from babysitter.diagnosis.timeline.placement import waits_for_group
from babysitter.model.ids import TaskId
from babysitter.model.job import Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import LogLine, Role
from babysitter.model.memory import ErrorNote, Memory, WorkerLosses

MAX_NOTES = 24  # of each list kept
MAX_ROLES = 400
SIGNATURE_CHARACTERS = 240

_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+")


def with_tree(
    memory: Memory, tree: JobTree, lines: tuple[LogLine, ...], now: datetime, *, is_text: bool = False
) -> Memory:
    """What a look at the job tree changes: states, losses, errors, waits. `is_text`: as `recognise` says."""
    pipeline = newest_pipeline_attempt(tree)
    newest = pipeline.coordinator.id if pipeline else tree.root.id
    is_another = memory.newest_attempt is not None and newest != memory.newest_attempt
    waits = waits_for_machines(tree) is not None
    return replace(
        memory,
        kind=recognise(tree, lines, memory.kind, is_text=is_text),
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
    tasks tell. A task between two tries of its own does not wait.
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
    before = [loss for loss in memory.losses if loss.job == workers.id]
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
