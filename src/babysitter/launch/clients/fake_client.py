"""A client for unit tests: records requests, starts nothing, and every job succeeds."""

from collections.abc import Sequence

from babysitter.launch.clients.job_handle import JobAlreadyExists, JobFailed
from babysitter.launch.job_request import JobRequest, JobStatus


class FakeJobHandle:
    """A job that ended at once. `status`: as which it did."""

    def __init__(self, job_id: str, request: JobRequest, status: JobStatus, lines: Sequence[str]) -> None:
        self.request = request
        self._job_id = job_id
        self._status = status
        self._lines = tuple(lines)
        self.was_terminated = False

    @property
    def job_id(self) -> str:
        return self._job_id

    def wait(self, timeout: float | None = None, *, raise_on_failure: bool = True) -> JobStatus:  # noqa: ARG002
        if raise_on_failure and self._status is not JobStatus.SUCCEEDED:
            raise JobFailed(self._job_id, self._status)
        return self._status

    def status(self) -> JobStatus:
        return self._status

    def terminate(self) -> None:
        self.was_terminated = True

    def logs(self, max_lines: int = 1000) -> Sequence[str]:
        return self._lines[-max_lines:] if max_lines > 0 else ()


class FakeClient:
    """Implements `Client`. `requests`: what was submitted, in order; `handles`: the answers.

    `status` and `lines`: how the jobs end and what they printed, for tests of the failing case.
    """

    def __init__(self, status: JobStatus = JobStatus.SUCCEEDED, lines: Sequence[str] = ()) -> None:
        self.requests: list[JobRequest] = []
        self.handles: list[FakeJobHandle] = []
        self._status = status
        self._lines = lines

    def submit(self, request: JobRequest, adopt_existing: bool = True) -> FakeJobHandle:
        existing = next(
            (job_handle for job_handle in self.handles if job_handle.request.name == request.name), None
        )
        if existing is not None and not adopt_existing:
            raise JobAlreadyExists(request.name, existing)
        self.requests.append(request)
        if existing is not None:
            return existing
        handle = FakeJobHandle(f"/fake/{request.name}", request, self._status, self._lines)
        self.handles.append(handle)
        return handle

    def shutdown(self, wait: bool = True) -> None:
        """Nothing to give back."""
