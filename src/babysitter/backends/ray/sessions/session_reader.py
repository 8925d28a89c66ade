"""The reader of a run that is known by its session folder only. Nothing is asked over a network.

Modification times are the signs of life: a session in which nothing is written for five minutes, not even by
Ray's own processes, has ended. The driver's end is a line of raylet.out.
"""

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from babysitter.backends.backend import Abilities, ClusterInfo
from babysitter.backends.ray.dashboard.gpu_use import is_own_address, own_gpus
from babysitter.backends.ray.log_files.log_text import is_wanted, log_line
from babysitter.backends.ray.sessions.driver_runs import DriverRun, DriverRuns
from babysitter.backends.ray.sessions.node_mirrors import NodeMirrors
from babysitter.backends.ray.sessions.session_choice import SessionChoice
from babysitter.backends.ray.sessions.session_end import RunEnd, run_end
from babysitter.backends.ray.sessions.session_folder import (
    SessionFile,
    SessionLogs,
    list_session,
    with_classes,
)
from babysitter.backends.ray.sessions.session_lines import PlacedLine
from babysitter.backends.ray.sessions.session_pages import file_key, read_cursor, read_on, write_cursor
from babysitter.backends.ray.sessions.session_reading import read_all
from babysitter.clock import Clock
from babysitter.errors import NoSuchJob, SubmissionRefused, Unreachable, UserError
from babysitter.model.device_use import DeviceUse
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import Attempt, Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import Cursor, LogBatch, LogLine, LogSource
from babysitter.model.submission import RequestSummary, Submission, SubmissionOrigin
from babysitter.model.thread_dump import ThreadDump

# A look reads at most three pages (see session_pages.py), the newest lines and the ends of some files:
# together less than 1 MB.
NEWEST_BYTES = 300_000
_ABILITIES = Abilities(dumps=False, kept_submission=False, tree_age_most_s=60.0)
_TASK_STATES = {
    JobState.RUNNING: TaskState.RUNNING,
    JobState.SUCCEEDED: TaskState.SUCCEEDED,
    JobState.FAILED: TaskState.FAILED,
}


class SessionReader:
    """Implements `ClusterReader` for one run, and for those that babysit started in its place (`runs`)."""

    def __init__(
        self,
        choice: SessionChoice,
        clock: Clock,
        runs: DriverRuns | None = None,
        mirrors: NodeMirrors | None = None,
    ) -> None:
        self._choice = choice
        self._clock = clock
        self._mirrors = mirrors or NodeMirrors(())
        self._runs = runs or DriverRuns(Path(os.devnull))
        self._classes: dict[Path, SessionFile] = {}  # files whose class is known

    @property
    def abilities(self) -> Abilities:
        return _ABILITIES

    async def about(self) -> ClusterInfo:
        logs = await self._list()
        return ClusterInfo(str(logs.folders[0]), "session", "files")

    async def tree(
        self,
        root: JobId,
        *,
        tasks_of: Collection[JobId] = (),
        max_age_s: float = 0.0,  # noqa: ARG002
    ) -> JobTree:
        if not self._is_known(root):
            raise NoSuchJob(f"The session in {self._choice.folders[0]} is of another run than {root}.")
        logs = await self.logs(root)
        job = await asyncio.to_thread(self._job, root, logs)
        if root not in tasks_of:
            return JobTree(job)
        gpus = await self._gpus(logs) if job.state is JobState.RUNNING else {}
        return JobTree(replace(job, tasks=_tasks(job, logs, gpus, self._mirrors.faults())))

    async def find(self, job: JobId) -> Job | None:
        return (await self.tree(job)).root if self._is_known(job) else None

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        found = [await self.find(job) for job in dict.fromkeys(jobs)]
        return {job.id: job.state for job in found if job is not None}

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        return (await self.tree(job, tasks_of=(job,))).root.tasks or ()

    async def task(self, task: TaskId) -> Task | None:
        if not self._is_known(job_of(task)):
            return None
        return next((candidate for candidate in await self.tasks(job_of(task)) if candidate.id == task), None)

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,  # noqa: ARG002
    ) -> LogBatch:
        """For the newest lines beginning and end of each file are read."""
        offsets = read_cursor(after)
        if not self._is_known(source.job) or offsets is None:
            return LogBatch((), after)
        logs = await self.logs(source.job)
        own = [
            file for file in logs.files if source.task is None or _task_id(source.job, file) == source.task
        ]
        logs = replace(logs, files=tuple(own))
        if newest:
            placed, _ = await asyncio.to_thread(read_all, logs, NEWEST_BYTES)
            ends = {file_key(file): file.size for file in logs.files}
            wanted = self._wanted(placed, source)
            return LogBatch(tuple(wanted[-at_most:]), write_cursor(ends), is_full=False)
        placed, ends, is_full = await asyncio.to_thread(read_on, logs, offsets, at_most)
        return LogBatch(tuple(self._wanted(placed, source)), write_cursor(ends), is_full=is_full)

    async def dump(self, task: TaskId) -> ThreadDump:
        raise SubmissionRefused(
            f"No thread dump of {task} is possible: only its files are known.",
            next_step="Run `py-spy dump --pid PID` on its node.",
        )

    async def submission(self, job: JobId) -> Submission | None:
        """A record that nobody can submit; the writer's refusal has the command for a person."""
        if not self._is_known(job):
            return None
        summary = RequestSummary(program=(self._choice.recipe,))
        return Submission((), SubmissionOrigin.CONTROLLER, job=job, request={"run": job}, summary=summary)

    async def close(self) -> None:
        self._mirrors.close()

    async def _gpus(self, logs: SessionLogs) -> Mapping[Path, tuple[DeviceUse, ...]]:
        """What the GPUs of each machine do, by its folder: of this one, and of those that are copied."""
        others = await self._mirrors.gpus()
        nodes = {file.path.parent: file.node for file in logs.files if file.node}
        here = next(
            (folder for folder in self._choice.folders if is_own_address(nodes.get(folder, ""))), None
        )
        return others if here is None else {**others, here: await own_gpus()}

    async def by_hand(self) -> str:
        """How a person ends and starts the run again: a sentence."""
        try:
            logs = await self._list()
        except Unreachable:
            return "End it where it was started, and start it again there."
        node = next((file.node for file in logs.files if file.speaker == "gcs_server" and file.node), "")
        where = f" on {node}" if node else " on the node where it was started"
        end = f"`kill {logs.driver_pid}`, then" if logs.driver_pid else "end its driver, then"
        if run_end(logs, self._clock.now()).state.is_terminal:
            end = "it has ended;"
        recipe = self._choice.recipe
        return f"By hand{where}: {end} start the recipe {recipe} again in the folder of its code."

    @property
    def runs(self) -> DriverRuns:
        return self._runs

    def _is_known(self, job: JobId) -> bool:
        return job == self._choice.run or self._runs.of(job) is not None

    async def _list(self) -> SessionLogs:
        return await self.logs(JobId(self._choice.run))

    async def logs(self, job: JobId) -> SessionLogs:
        """The files of a run as they are now. Raises Unreachable."""
        others = await self._mirrors.refresh()
        try:
            return await asyncio.to_thread(self._listed, job, others)
        except UserError as fault:
            raise Unreachable(fault.sentence, next_step=fault.next_step) from fault

    def _listed(self, job: JobId, others: Sequence[Path]) -> SessionLogs:
        """The files, with classes; those of files seen before are remembered.

        Of a run that was started here: what was written since then, in the newest session of the same place.
        """
        run = None if job == self._choice.run else self._runs.of(job)
        if run is None:
            logs = list_session((*self._choice.folders, *others), self._choice.driver_logs)
        else:
            logs = list_session((*self._choice.newest_folders(), *others), (run.log,))
            recent = [file for file in logs.files if file.is_driver or file.written_at >= run.started_at]
            logs = replace(logs, files=tuple(recent))
        known = {path: file.speaker for path, file in self._classes.items()}
        files = tuple(replace(file, speaker=known.get(file.path, file.speaker)) for file in logs.files)
        logs = with_classes(replace(logs, files=files))
        self._classes = {file.path: file for file in logs.files if file.speaker != "worker"}
        return logs

    def _job(self, job: JobId, logs: SessionLogs) -> Job:
        run = None if job == self._choice.run else self._runs.of(job)
        end = self._end(job, logs) if run is None else _end_of_run(run)
        finished = logs.written_at if end.state.is_terminal else None
        started_at = self._choice.started_at if run is None else run.started_at
        workers = {(file.node, file.pid) for file in logs.files if file.pid is not None}
        return Job(
            job,
            end.state,
            error=end.error,
            submitted_at=started_at,
            started_at=started_at,
            finished_at=finished,
            task_count=1 + len(workers),
            proposal=run.proposal if run is not None else "",
        )

    def _end(self, job: JobId, logs: SessionLogs) -> RunEnd:
        """By its files, unless babysit ended its driver; then it lasts as long as a process of its group."""
        stopped = self._runs.stopped(job, logs.folders)
        if stopped is not None and not stopped.group_is_alive():
            return RunEnd(JobState.KILLED, f"Its driver (pid {stopped.pid}) was stopped by babysit.")
        return run_end(logs, self._clock.now())

    def _wanted(self, placed: Sequence[PlacedLine], source: LogSource) -> list[LogLine]:
        lines = (
            log_line(
                placed_line.text,
                task=_task_id(source.job, placed_line.file),
                at_ms=placed_line.at_ms,
                stream=placed_line.file.stream,
            )
            for placed_line in placed
        )
        return [line for line in lines if is_wanted(line, source)]


def _end_of_run(run: DriverRun) -> RunEnd:
    """A run that was started here is known by its process."""
    if run.process.is_alive:
        return RunEnd(JobState.RUNNING)
    code = run.process.exit_code
    if code == 0:
        return RunEnd(JobState.SUCCEEDED)
    return RunEnd(
        JobState.FAILED, f"Exit code: {code}." if code is not None else "Its processes were killed."
    )


def _task_id(run: JobId, file: SessionFile) -> TaskId:
    """`<run>/0` is the driver, `<run>/<class>-<pid>` an actor."""
    if file.is_driver:
        return TaskId(f"{run}/0")
    return TaskId(f"{run}/{file.speaker}-{file.pid}" if file.pid is not None else f"{run}/{file.speaker}")


def _tasks(
    job: Job, logs: SessionLogs, gpus: Mapping[Path, tuple[DeviceUse, ...]], faults: Mapping[Path, str]
) -> tuple[Task, ...]:
    """The driver and the workers. What became of a worker, its files do not say.

    `gpus`, `faults`: by the folder of a machine.
    """
    state = _TASK_STATES.get(job.state, TaskState.OTHER)
    workers = {_task_id(job.id, file): file for file in logs.files if file.pid is not None}
    others = TaskState.RUNNING if job.state is JobState.RUNNING else TaskState.KILLED
    return (
        _task(TaskId(f"{job.id}/0"), state, error=job.error),
        *(
            replace(
                _task(task, others, node=file.node),
                devices=gpus.get(file.path.parent, ()),
                status_text=faults.get(file.path.parent, ""),
            )
            for task, file in workers.items()
        ),
    )


def _task(task: TaskId, state: TaskState, *, node: str = "", error: str = "") -> Task:
    attempt = Attempt(0, state, error=error, worker=node)
    return Task(task, state, error=error, worker=node, current_attempt=0, attempts=(attempt,))
