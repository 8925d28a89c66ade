"""A job of a cluster, as its client hands it out. Blocking: its requests run in the client's thread."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from babysitter.errors import ExternalError, NoSuchJob
from babysitter.launch.clients.call_thread import CallThread, Outage
from babysitter.launch.clients.job_handle import STATUS_OF, JobFailed, wait_until_ended
from babysitter.launch.job_request import JobStatus
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState


class ClusterLauncher(Protocol):
    """What a handle needs of a cluster. All raise ExternalError where the cluster does not answer."""

    async def state(self, job: JobId) -> JobState | None:
        """The state; None where the cluster does not know the job."""
        ...

    async def find(self, job: JobId) -> Job | None: ...

    async def stop(self, job: JobId) -> None: ...

    async def newest_lines(self, job: JobId, *, at_most: int) -> Sequence[str]: ...


class ClusterJobHandle:
    """Implements `JobHandle`."""

    def __init__(self, job_id: JobId, launcher: ClusterLauncher, calls: CallThread) -> None:
        self._job_id = job_id
        self._launcher = launcher
        self._calls = calls

    @property
    def job_id(self) -> str:
        return self._job_id

    def wait(self, timeout: float | None = None, *, raise_on_failure: bool = True) -> JobStatus:
        """As `JobHandle.wait`. A cluster that does not answer is asked again for half an hour."""
        outage = Outage()
        ask: Callable[[], JobStatus] = partial(outage.through, self.status)
        status = wait_until_ended(ask, timeout, what=self._job_id)
        if raise_on_failure and status is not JobStatus.SUCCEEDED:
            raise JobFailed(self._job_id, status, self._reason())
        return status

    def status(self) -> JobStatus:
        state = self._calls.result(partial(self._launcher.state, self._job_id))
        if state is None:
            raise NoSuchJob(f"The cluster does not know the job {self._job_id}.")
        return STATUS_OF.get(state, JobStatus.PENDING)

    def terminate(self) -> None:
        self._calls.result(partial(self._launcher.stop, self._job_id))

    def logs(self, max_lines: int = 1000) -> Sequence[str]:
        if max_lines < 1:
            return ()
        return self._calls.result(partial(self._launcher.newest_lines, self._job_id, at_most=max_lines))

    def _reason(self) -> str:
        try:
            job = self._calls.result(partial(self._launcher.find, self._job_id))
        except ExternalError:
            return ""
        return job.error if job is not None else ""
