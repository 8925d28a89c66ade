"""What a look at the job tree brings: who waits for machines, which tries ended alike, whose task it is."""

from functools import reduce

import pytest

from babysitter.diagnosis.timeline.tree_memory import signature_of, waits_for_machines
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.ids import TaskId
from babysitter.model.job import JobTree, Task, TaskState
from babysitter.model.log import Role
from babysitter.model.memory import Memory
from tests.support.build import ROOT
from tests.support.jobs import CONTEXT, F, P, S, failed_task, look, pipeline, tree

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"


def retrying(last: str) -> JobTree:
    reason = f"Retrying (attempt 2, last: {last})"
    task = Task(TaskId(f"{ROOT}/0"), TaskState.PENDING, pending_reason=reason)
    return tree(task_states={TaskState.PENDING: 1}, preemption_count=1, tasks=(task,))


def after(*looks) -> Memory:
    return reduce(update_memory, looks, Memory())


@pytest.mark.parametrize(
    ("seen", "waiting"),
    [
        (tree(root=P), str(ROOT)),
        (tree(*pipeline(state=P, workers=None)), COORDINATOR),
        (
            tree(*pipeline(workers=P, pending_reason="Scheduler: no room")),
            f"{COORDINATOR}/{CONTEXT}-p0-workers-a0",
        ),
        (tree(*pipeline()), None),
        (tree(*pipeline(workers=None)), None),
        (
            tree(task_states={TaskState.PENDING: 1}, preemption_count=1),
            str(ROOT),
        ),  # RUNNING, and nothing runs
        (tree(task_states={TaskState.PENDING: 1}, failure_count=2), None),  # between two tries of its own
        (retrying("task_state_failed"), None),
        (retrying("task_state_preempted"), str(ROOT)),
        (tree(task_states={TaskState.PENDING: 1, TaskState.RUNNING: 3}), None),
        (tree(*pipeline(0, 0, F, S), *pipeline(0, 1, since_s=60, workers=None)), None),
        (tree(root=S), None),
    ],
)
def test_who_waits_for_machines(seen, waiting):
    found = waits_for_machines(seen)
    assert (found.id if found else None) == waiting


def test_tries_that_ended_alike_are_one_error_with_a_count():
    text = "Exit code: 1. stderr: ValueError: row"
    seen = tree(tasks=(failed_task(0, f"{text} 17", f"{text} 18"),))
    (note,) = after(look(1, seen), look(2, seen)).errors
    assert note.tries == (f"{ROOT}/0:0", f"{ROOT}/0:1")
    assert signature_of("at 0xdeadbeef row 12") == signature_of("at 0xcafe1234 row 99")


def test_roles_of_tasks_are_known_from_the_tree():
    memory = after(look(1, tree(*pipeline(count=2))))
    assert memory.roles[TaskId(f"{ROOT}/0")] is Role.PARENT
    assert memory.roles[TaskId(f"{COORDINATOR}/0")] is Role.COORDINATOR
    assert memory.roles[TaskId(f"{COORDINATOR}/{CONTEXT}-p0-workers-a0/1")] is Role.WORKER
