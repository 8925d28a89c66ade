"""Runs jobs on this machine: one process group per attempt, no cluster."""

import atexit
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from weakref import WeakSet

from babysitter.launch.callable_payload import RUNNER_FILE, callable_files
from babysitter.launch.clients.job_handle import JobAlreadyExists, JobFailed
from babysitter.launch.clients.process_group import GroupEnd, LocalLimits, ProcessGroup, exit_words
from babysitter.launch.job_request import JobRequest, JobStatus

LineReader = Callable[[str], None]


class LocalJobHandle:
    """A job of this machine. Attempts that fail are repeated `max_retries_failure` times."""

    def __init__(
        self,
        job_id: str,
        start: Callable[[], ProcessGroup],
        *,
        max_retries: int,
        files: "tempfile.TemporaryDirectory[str] | None" = None,
    ) -> None:
        self._job_id = job_id
        self._files = files  # of a pickled call: kept for as long as an attempt may need them
        self._start = start
        self._retries_left = max_retries
        self._lock = threading.Lock()
        self._is_stopping = False
        self._earlier_lines: list[str] = []
        self._end: GroupEnd | None = None
        self._ended = threading.Event()
        self._group = start()
        threading.Thread(target=self._follow, daemon=True).start()

    @property
    def job_id(self) -> str:
        return self._job_id

    @property
    def exit_code(self) -> int | None:
        """Of the last attempt, negative for a signal; None while it runs."""
        return None if self._end is None else self._end.exit_code

    @property
    def reason(self) -> str:
        """Why the job ended without success, as a sentence; "" otherwise."""
        if self._end is None or (self._end.exit_code == 0 and not self._end.reason):
            return ""
        return self._end.reason or f"The program ended with {exit_words(self._end.exit_code)}."

    def wait(self, timeout: float | None = None, *, raise_on_failure: bool = True) -> JobStatus:
        if not self._ended.wait(timeout):
            raise TimeoutError(f"{self._job_id} has not ended within {timeout:g} s.")
        status = self.status()
        if raise_on_failure and status is not JobStatus.SUCCEEDED:
            raise JobFailed(self._job_id, status, self.reason)
        return status

    def status(self) -> JobStatus:
        if self._end is None:
            return JobStatus.RUNNING
        if self._end.was_stopped:
            return JobStatus.STOPPED
        return JobStatus.FAILED if self.reason else JobStatus.SUCCEEDED

    def terminate(self) -> None:
        with self._lock:
            self._is_stopping = True
            group = self._group
        group.stop()
        self._ended.wait()

    def logs(self, max_lines: int = 1000) -> Sequence[str]:
        lines = [*self._earlier_lines, *self._group.lines(max_lines)]
        return lines[-max_lines:] if max_lines > 0 else []

    def _follow(self) -> None:
        while True:
            end = self._group.wait()
            assert end is not None, "waited without a limit"
            with self._lock:
                has_failed = end.exit_code != 0 or bool(end.reason)
                if not has_failed or self._is_stopping or self._retries_left < 1:
                    break
                self._retries_left -= 1
                self._earlier_lines += self._group.lines(sys.maxsize)
                self._group = self._start()
        self._end = end
        self._ended.set()


class LocalClient:
    """Implements `Client`. Tasks are not multiplied: whatever `replicas` says, one process runs.

    `limits`: of every job. `on_line`: is called with each line that a job prints, from another thread.
    `environ`: what jobs inherit; None = this process's environment.
    """

    def __init__(
        self,
        limits: LocalLimits | None = None,
        *,
        on_line: LineReader | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._limits = limits or LocalLimits()
        self._on_line = on_line
        self._environ = environ
        self._handles: dict[str, LocalJobHandle] = {}
        self._count = 0
        _OPEN_CLIENTS.add(self)

    def submit(self, request: JobRequest, adopt_existing: bool = True) -> LocalJobHandle:
        existing = self._handles.get(request.name)
        if existing is not None and not JobStatus.finished(existing.status()):
            if not adopt_existing:
                raise JobAlreadyExists(request.name, existing)
            return existing
        self._count += 1
        argv, folder, files = _program(request)
        env = self._variables(request)

        def start() -> ProcessGroup:
            return ProcessGroup(argv, folder=folder, env=env, limits=self._limits, on_line=self._on_line)

        handle = LocalJobHandle(
            f"/local/{request.name}-{self._count}",
            start,
            max_retries=request.max_retries_failure,
            files=files,
        )
        self._handles[request.name] = handle
        return handle

    def shutdown(self, wait: bool = True) -> None:
        """Wait for the jobs, or stop them."""
        for handle in self._handles.values():
            if wait:
                handle.wait(raise_on_failure=False)
            else:
                handle.terminate()

    def _variables(self, request: JobRequest) -> Mapping[str, str]:
        own = request.environment.env_vars if request.environment else {}
        inherited = os.environ if self._environ is None else self._environ
        # A function's module must be found again by the process that makes the call.
        here = os.pathsep.join(path for path in sys.path if path)
        python_path = {"PYTHONPATH": here} if request.entrypoint.callable_entrypoint else {}
        return {**request.resources.device.default_env_vars(), **inherited, **python_path, **own}


def _program(request: JobRequest) -> tuple[Sequence[str], Path, "tempfile.TemporaryDirectory[str] | None"]:
    """The words to run, the folder to run them in, and the files that belong to them."""
    workspace = request.environment.workspace if request.environment else None
    folder = Path(workspace) if workspace else Path.cwd()
    if request.entrypoint.binary_entrypoint is not None:
        return request.entrypoint.binary_entrypoint.argv, folder, None
    assert request.entrypoint.callable_entrypoint is not None, "an entrypoint is one of the two"
    written = callable_files(request.entrypoint.callable_entrypoint)
    files = tempfile.TemporaryDirectory(prefix="babysit-call-")
    for name, data in written.items():
        Path(files.name, name).write_bytes(data)
    return (sys.executable, "-u", str(Path(files.name, RUNNER_FILE))), folder, files


_OPEN_CLIENTS: "WeakSet[LocalClient]" = WeakSet()


@atexit.register
def _stop_what_runs() -> None:
    """Jobs of this machine end with the process that started them."""
    for client in list(_OPEN_CLIENTS):
        client.shutdown(wait=False)
