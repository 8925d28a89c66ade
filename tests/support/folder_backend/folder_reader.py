"""The reader and the writer of a folder of jobs."""

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path

from babysitter.backends.backend import Abilities, ClusterInfo
from babysitter.errors import NoSuchJob, SubmissionRefused, Unreachable
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import Attempt, Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import Cursor, LogBatch, LogLine, LogSource
from babysitter.model.submission import RequestSummary, Submission, SubmissionOrigin
from babysitter.model.thread_dump import ThreadDump
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity

STARTED = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class FolderReader:
    """Implements `ClusterReader`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def abilities(self) -> Abilities:
        return Abilities(dumps=False)

    async def about(self) -> ClusterInfo:
        return ClusterInfo(str(self._folder), "folder", "files")

    async def tree(
        self,
        root: JobId,
        *,
        tasks_of: Collection[JobId] = (),  # noqa: ARG002
        max_age_s: float = 0.0,  # noqa: ARG002
    ) -> JobTree:
        found = await self.find(root)
        if found is None:
            raise NoSuchJob(f"There is no file {root}.json in {self._folder}.")
        return JobTree(found)

    async def find(self, job: JobId) -> Job | None:
        told = self._told(job)
        if told is None:
            return None
        state = JobState(str(told["state"]))
        proposal = str(told.get("proposal", ""))
        return Job(job, state, submitted_at=STARTED, started_at=STARTED, task_count=1, proposal=proposal)

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        found = [(job, await self.find(job)) for job in jobs]
        return {job: other.state for job, other in found if other is not None}

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        found = await self.find(job)
        if found is None:
            return ()
        state = TaskState(found.state) if found.state in set(TaskState) else TaskState.OTHER
        attempt = Attempt(0, state, exit_code=1 if found.state is JobState.FAILED else 0)
        return (
            Task(
                TaskId(f"{job}/0"), state, exit_code=attempt.exit_code, current_attempt=0, attempts=(attempt,)
            ),
        )

    async def task(self, task: TaskId) -> Task | None:
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
        path = self._folder / f"{source.job}.log"
        texts = path.read_text().splitlines() if path.exists() else []
        at_ms = int(STARTED.timestamp() * 1000)
        begin = max(0, len(texts) - at_most) if newest else int(after or 0)
        lines = [
            LogLine(text, at_ms, TaskId(f"{source.job}/0"), 0) for text in texts[begin : begin + at_most]
        ]
        end = begin + len(lines)
        wanted = tuple(line for line in lines if source.containing in line.text)
        return LogBatch(wanted, Cursor(str(end)), is_full=end < len(texts))

    async def dump(self, task: TaskId) -> ThreadDump:
        raise SubmissionRefused(f"No thread dump of {task} is possible: it is a file.")

    async def submission(self, job: JobId) -> Submission | None:
        told = self._told(job)
        if told is None:
            return None
        command = told["command"]
        assert isinstance(command, list)
        summary = RequestSummary(program=tuple(map(str, command)))
        origin = SubmissionOrigin.CONTROLLER
        return Submission((), origin, job=job, request={"command": command}, summary=summary)

    async def close(self) -> None: ...

    def _told(self, job: JobId) -> dict[str, object] | None:
        if not self._folder.is_dir():
            raise Unreachable(f"The folder {self._folder} is not there.")
        path = self._folder / f"{job}.json"
        return json.loads(path.read_text()) if path.exists() else None


class FolderWriter:
    """Implements `ClusterWriter`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def stop(self, job: JobId) -> None:
        path = self._folder / f"{job}.json"
        if not path.exists():
            raise NoSuchJob(f"There is no file {path}.")
        told = json.loads(path.read_text())
        if told["state"] == "running":
            path.write_text(json.dumps({**told, "state": "killed"}))

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:  # noqa: ARG002
        if (self._folder / f"{submission.job}.json").exists():
            block = PreflightSeverity.BLOCK
            return (PreflightFinding("name-taken", block, f"There is a job {submission.job} already."),)
        return ()

    async def by_hand(self, submission: Submission) -> str:
        return f"touch {self._folder}/{submission.job}.json"

    async def submit(self, submission: Submission) -> JobId:
        assert submission.job is not None
        assert submission.request is not None
        job = {"state": "running", "command": submission.request["command"], "proposal": submission.proposal}
        try:
            with (self._folder / f"{submission.job}.json").open("x") as new:
                new.write(json.dumps(job))
        except FileExistsError as taken:
            raise SubmissionRefused(f"A job {submission.job} already exists.") from taken
        return submission.job
