"""What is known of a job beside its log lines, flattened for rules: each value with the place it comes from.

Rules on fields hold when they hold for the job or for one of its tasks, so every field is a list of values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from babysitter.model.job import Job, JobState, JobTree, Task, TaskState
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import Role
from babysitter.model.progress import Motion
from babysitter.model.thread_dump import ThreadDump


@dataclass(frozen=True, slots=True)
class PaceFields:
    """Progress in numbers, as far as it is known. `numbers` has the names that playbooks may compare."""

    motion: Motion | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fields:
    """Values by the name that a playbook uses; texts and numbers each with their source."""

    states: tuple[JobState, ...] = ()
    task_states: tuple[TaskState, ...] = ()
    numbers: Mapping[str, tuple[tuple[float, str], ...]] = field(default_factory=dict)
    texts: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # error, pending_reason
    dumps: tuple[tuple[ThreadDump, Role | None], ...] = ()
    measures: PaceFields = PaceFields()

    @property
    def present(self) -> frozenset[str]:
        """Names of the numbers and texts of which something is known."""
        return frozenset(
            name for known in (self.numbers, self.texts) for name, values in known.items() if values
        )


def fields_of_facts(
    facts: JobFacts,
    *,
    dumps: tuple[ThreadDump, ...] = (),
    measures: PaceFields | None = None,
    task_states: tuple[TaskState, ...] = (),
) -> Fields:
    """Fields of a job that is known only by a handful of values."""
    numbers: dict[str, float | None] = {
        "exit_code": facts.exit_code,
        "failure_count": facts.failure_count,
        "preemption_count": facts.preemption_count,
        "last_log_age_s": facts.last_line_age_s,
        "memory_peak": _share(facts.memory_peak_bytes, facts.memory_limit_bytes),
    }
    return Fields(
        states=(facts.state,) if facts.state else (),
        task_states=task_states,
        numbers={name: ((float(value), "job"),) for name, value in numbers.items() if value is not None},
        texts={
            name: ((text, f"job's {name.replace('_', ' ')}"),)
            for name, text in (("error", facts.error), ("pending_reason", facts.pending_reason))
            if text
        },
        dumps=tuple((dump, None) for dump in dumps),
        measures=measures or PaceFields(),
    )


def fields_of_tree(
    tree: JobTree,
    *,
    dumps: tuple[tuple[ThreadDump, Role | None], ...] = (),
    measures: PaceFields | None = None,
    last_log_age_s: float | None = None,
) -> Fields:
    """Fields of a whole tree: state and counters of the root, the rest of whatever is not fine."""
    numbers: dict[str, list[tuple[float, str]]] = {
        "failure_count": [(tree.root.failure_count, f"job {tree.root.id}")],
        "preemption_count": [(tree.root.preemption_count, f"job {tree.root.id}")],
        "exit_code": [],
        "memory_peak": [],
    }
    if last_log_age_s is not None:
        numbers["last_log_age_s"] = [(last_log_age_s, "log")]
    texts: dict[str, list[tuple[str, str]]] = {"error": [], "pending_reason": []}
    task_states: list[TaskState] = []
    for job in tree:
        _add_job(job, texts)
        for task in job.tasks or ():
            task_states.append(task.state)
            _add_task(task, job, numbers, texts)
        task_states += [state for state, count in job.task_states.items() if count]
    return Fields(
        states=(tree.root.state,),
        task_states=tuple(dict.fromkeys(task_states)),
        numbers={name: tuple(values) for name, values in numbers.items() if values},
        texts={name: tuple(values) for name, values in texts.items() if values},
        dumps=dumps,
        measures=measures or PaceFields(),
    )


def _add_job(job: Job, texts: dict[str, list[tuple[str, str]]]) -> None:
    if job.error and job.state is not JobState.SUCCEEDED:
        texts["error"].append((job.error, f"job {job.id}"))
    if job.pending_reason and not job.state.is_terminal:
        texts["pending_reason"].append((job.pending_reason, f"job {job.id}"))


def _add_task(
    task: Task, job: Job, numbers: dict[str, list[tuple[float, str]]], texts: dict[str, list[tuple[str, str]]]
) -> None:
    # A task's error and exit code outlive a later success of its next attempt, so only a task that has not
    # succeeded speaks; the codes of earlier attempts count while it has not.
    if task.state is not TaskState.SUCCEEDED:
        codes = [attempt.exit_code for attempt in task.attempts] + [task.exit_code]
        numbers["exit_code"] += [(float(code), task.id) for code in dict.fromkeys(codes) if code]
        errors = dict.fromkeys([*(attempt.error for attempt in task.attempts), task.error])
        texts["error"] += [(error, task.id) for error in errors if error]
    if task.pending_reason:
        texts["pending_reason"].append((task.pending_reason, task.id))
    share = _share(task.memory_peak_bytes, job.resources.memory_bytes)
    if share is not None:
        numbers["memory_peak"].append((share, task.id))


def _share(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None
