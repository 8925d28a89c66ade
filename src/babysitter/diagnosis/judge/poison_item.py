"""Say what it is that fails each time: always shard 1, always exit code -9."""

from dataclasses import replace

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.timeline.members.failing_item import find_failing_item
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Retry
from babysitter.model.job import TaskState
from babysitter.model.verdict import Diagnosis

_OF_THE_ITEM = frozenset({"shard", "file"})  # a part of the work; a machine may well fail again and again


def name_failing_item(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis with the item that nearly every failure names, where there is one.

    Workers that die of one shard do not churn: the shard takes each of them down, and will again.
    """
    item = find_failing_item(snapshot.memory.failed_items)
    if item is None or about(diagnosis.cause).is_benign:
        return diagnosis
    code = _usual_exit_code(snapshot)
    ended = f", with exit code {code}" if code is not None else ""
    if diagnosis.cause is not Cause.WORKER_CHURN or item.kind not in _OF_THE_ITEM:
        if item.label in diagnosis.explanation:
            return diagnosis
        return replace(diagnosis, explanation=f"{diagnosis.explanation} It is always {item.label}{ended}.")
    return replace(
        diagnosis,
        cause=Cause.UNKNOWN,
        action=ActionKind.ESCALATE,
        explanation=f"{item.label.capitalize()} takes down each worker that works on it "
        f"({item.failures} times"
        f"{ended}). {diagnosis.explanation}",
        retry=Retry.USELESS,
    )


def _usual_exit_code(snapshot: Snapshot) -> int | None:
    """The code with which the workers that failed ended; None where they differ, or none is known."""
    workers = snapshot.pipeline.workers if snapshot.pipeline else None
    codes = {
        code
        for task in (workers.tasks or () if workers is not None else ())
        for code in (task.exit_code, *(attempt.exit_code for attempt in task.attempts))
        if code and task.state in (TaskState.FAILED, TaskState.WORKER_FAILED)
    }
    return codes.pop() if len(codes) == 1 else None
