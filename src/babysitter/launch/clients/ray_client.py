"""Runs jobs on a Ray cluster, over HTTP. Blocking: its requests run in a thread of its own."""

import secrets
from functools import partial
from pathlib import Path

from babysitter.backends.ray.dashboard.open_ray import open_ray
from babysitter.backends.ray.submission.ray_launcher import RayLauncher
from babysitter.backends.registry import ray_spec
from babysitter.clock import SystemClock
from babysitter.launch.clients.call_thread import CallThread
from babysitter.launch.clients.cluster_job_handle import ClusterJobHandle
from babysitter.launch.clients.job_handle import JobAlreadyExists
from babysitter.launch.job_request import JobRequest
from babysitter.launch.ray_request import ray_request_of
from babysitter.model.ids import JobId
from babysitter.model.job import Job

MAX_IDS_TRIED = 100


class RayClient:
    """Implements `Client`. `address`: of the dashboard. `workspace`: the folder whose files are sent; None =
    the current one, where the job's environment names none.

    Ray uses no id twice: where a job of this name has ended, the new one is called name-2, name-3 and so on.
    """

    def __init__(self, address: str, *, workspace: Path | None = None) -> None:
        spec, _ = ray_spec(address)
        self._workspace = workspace
        self._calls = CallThread()
        self._launcher = RayLauncher(open_ray(spec, home=Path.home()), clock=SystemClock())

    def submit(self, request: JobRequest, adopt_existing: bool = True) -> ClusterJobHandle:
        asked = ray_request_of(request)
        name, running = self._free_id(request.name)
        if running is not None:
            existing = ClusterJobHandle(running.id, self._launcher, self._calls)
            if not adopt_existing:
                raise JobAlreadyExists(request.name, existing)
            return existing
        launch = secrets.token_hex(8)
        folder = self._folder(request)
        call = partial(self._launcher.launch, name, asked.body, folder, asked.files, launch=launch)
        return ClusterJobHandle(self._calls.result(call), self._launcher, self._calls)

    def shutdown(self, wait: bool = True) -> None:  # noqa: ARG002 - jobs of a cluster go on without us
        """Close the connections. Jobs go on."""
        self._calls.close(self._launcher.close)

    def _free_id(self, name: str) -> tuple[JobId, Job | None]:
        """An id that nobody has used; or the running job of this name."""
        for number in range(1, MAX_IDS_TRIED + 1):
            job = JobId(name if number == 1 else f"{name}-{number}")
            found = self._calls.result(partial(self._launcher.find, job))
            if found is None:
                return job, None
            if not found.state.is_terminal:
                return job, found
        raise JobAlreadyExists(name)

    def _folder(self, request: JobRequest) -> Path:
        named = request.environment.workspace if request.environment else None
        return Path(named) if named else self._workspace or Path.cwd()
