"""What the controller keeps: jobs, their tasks, each task's attempts. Times are seconds since the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from babysitter.sim.iris.timeline import Running


class State(StrEnum):
    """States of tasks, attempts and jobs; a job has only some of them."""

    PENDING = "pending"
    ASSIGNED = "assigned"
    BUILDING = "building"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    KILLED = "killed"
    WORKER_FAILED = "worker_failed"
    UNSCHEDULABLE = "unschedulable"
    PREEMPTED = "preempted"

    @property
    def final(self) -> bool:
        return self in _FINAL


_FINAL = {
    State.SUCCEEDED,
    State.FAILED,
    State.KILLED,
    State.WORKER_FAILED,
    State.UNSCHEDULABLE,
    State.PREEMPTED,
}


class Inside(Protocol):
    """What can be seen of a running process from outside."""

    def dump(self) -> str:
        """A py-spy thread dump."""

    def status_text(self) -> tuple[str, str]:
        """Summary and detail, as markdown; empty where the process publishes none."""

    def memory_mb(self) -> int:
        """Resident memory now."""


@dataclass(slots=True)
class Attempt:
    id: int
    machine: Machine
    state: State = State.BUILDING
    exit_code: int = 0
    error: str = ""
    started_at: float | None = None
    finished_at: float | None = None
    worker_failure: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    id: str
    address: str


@dataclass(slots=True, eq=False)
class Task:
    job: Job
    index: int
    state: State = State.PENDING
    exit_code: int = 0
    error: str = ""
    started_at: float | None = None
    finished_at: float | None = None
    pending_reason: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    failures: int = 0
    preemptions: int = 0
    inside: Inside | None = None
    life: Running | None = None
    status_text: tuple[str, str] = ("", "")
    memory_history_mb: list[int] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.job.id}/{self.index}"

    @property
    def attempt(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def log_key(self) -> str:
        return f"{self.id}:{max(0, len(self.attempts) - 1)}"


@dataclass(slots=True, eq=False)
class Job:
    id: str
    number: int  # order of submission
    request: Mapping[str, Any]
    submitted_at: float
    state: State = State.PENDING
    error: str = ""
    started_at: float | None = None
    finished_at: float | None = None
    pending_reason: str = ""
    tasks: list[Task] = field(default_factory=list)
    drained_at: float = 0.0  # until then its stopped processes still hold on

    @property
    def parent_id(self) -> str:
        """Empty for a root job: `/user/name` has nothing above it."""
        above = self.id.rpartition("/")[0]
        return above if above.count("/") >= 2 else ""

    @property
    def failure_count(self) -> int:
        return sum(task.failures for task in self.tasks)

    @property
    def preemption_count(self) -> int:
        return sum(task.preemptions for task in self.tasks)

    def budget(self, name: str) -> int:
        return int(self.request.get(name, 0) or 0)
