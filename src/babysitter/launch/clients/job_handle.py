"""What every client of the launch protocol offers, and its two errors."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from babysitter.errors import UserError
from babysitter.launch.job_request import JobRequest, JobStatus
from babysitter.model.job import JobState

FIRST_PAUSE_S, MAX_PAUSE_S = 0.05, 2.0
STATUS_OF: Mapping[JobState, JobStatus] = {
    JobState.PENDING: JobStatus.PENDING,
    JobState.BUILDING: JobStatus.PENDING,
    JobState.RUNNING: JobStatus.RUNNING,
    JobState.SUCCEEDED: JobStatus.SUCCEEDED,
    JobState.FAILED: JobStatus.FAILED,
    JobState.KILLED: JobStatus.STOPPED,
    JobState.WORKER_FAILED: JobStatus.FAILED,
    JobState.UNSCHEDULABLE: JobStatus.FAILED,
}


class JobHandle(Protocol):
    """A submitted job. Every method blocks."""

    @property
    def job_id(self) -> str: ...

    def wait(self, timeout: float | None = None, *, raise_on_failure: bool = True) -> JobStatus:
        """Block until the job has ended, at most `timeout` seconds; None = no limit.

        Raises JobFailed where it did not succeed and `raise_on_failure` is set, TimeoutError at the limit.
        """

    def status(self) -> JobStatus:
        """How the job is doing now."""

    def terminate(self) -> None:
        """Stop the job and its children. Idempotent; a job that has ended stays as it is."""

    def logs(self, max_lines: int = 1000) -> Sequence[str]:
        """The newest lines that the job printed, oldest first."""


class Client(Protocol):
    """A place where jobs run."""

    def submit(self, request: JobRequest, adopt_existing: bool = True) -> JobHandle:
        """Start the job; returns once it is accepted.

        A running job of this name is adopted: its handle is returned and nothing is started. Without
        `adopt_existing` JobAlreadyExists is raised instead.
        """

    def shutdown(self, wait: bool = True) -> None:
        """Give back connections and processes; `wait` for jobs that run in this process's care."""


class JobFailed(RuntimeError):
    """A job ended without success."""

    def __init__(self, job_id: str, status: JobStatus, reason: str = "") -> None:
        why = f": {reason}" if reason else "."
        super().__init__(f"Job {job_id} ended as {status}{why}")
        self.job_id = job_id
        self.failed_status = status


class JobAlreadyExists(UserError):
    """The name is in use. `handle`: of the job that has it, None where it cannot be adopted."""

    def __init__(self, job_name: str, handle: JobHandle | None = None) -> None:
        super().__init__(f"A job named {job_name} exists.", next_step="Choose another name, or adopt it.")
        self.job_name = job_name
        self.handle = handle


def wait_until_ended(
    status: Callable[[], JobStatus],
    timeout: float | None,
    *,
    what: str,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> JobStatus:
    """Ask until the job has ended, with growing pauses. Raises TimeoutError at the limit."""
    deadline = None if timeout is None else monotonic() + timeout
    pause = FIRST_PAUSE_S
    while not JobStatus.finished(found := status()):
        left = None if deadline is None else deadline - monotonic()
        if left is not None and left <= 0:
            raise TimeoutError(f"{what} has not ended within {timeout:g} s; it is {found}.")
        sleep(pause if left is None else min(pause, left))
        pause = min(pause * 1.5, MAX_PAUSE_S)
    return found


def wait_all(
    jobs: Sequence[JobHandle], *, timeout: float | None = None, raise_on_failure: bool = True
) -> list[JobStatus]:
    """Block until all jobs have ended; their states, in the same order.

    With `raise_on_failure`, JobFailed is raised at the first job that fails, whatever its place.
    """
    found: dict[int, JobStatus] = {}

    def ask() -> JobStatus:
        for place, job in enumerate(jobs):
            if place not in found and JobStatus.finished(status := job.status()):
                found[place] = status
                if raise_on_failure and status is not JobStatus.SUCCEEDED:
                    raise JobFailed(job.job_id, status)
        return JobStatus.SUCCEEDED if len(found) == len(jobs) else JobStatus.RUNNING

    wait_until_ended(ask, timeout, what=f"One of {len(jobs)} jobs")
    return [found[place] for place in range(len(jobs))]
