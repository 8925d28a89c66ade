"""New jobs on Ray: what `launch/` needs of a cluster."""

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from babysitter.backends.ray.dashboard.cluster_view import RayClusterView
from babysitter.backends.ray.dashboard.http_client import RayActingTransport
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.submission import stored_job
from babysitter.backends.ray.submission.job_submitter import submit_once
from babysitter.backends.ray.submission.working_dir import pack_folder, upload
from babysitter.backends.ray.writer import RayWriter
from babysitter.clock import Clock
from babysitter.errors import ExternalError, SubmissionRefused
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState
from babysitter.model.log import LogSource

PENDING_LIMIT, PENDING_PAUSE = timedelta(seconds=20), timedelta(seconds=1)


class RayLauncher:
    """Starts jobs, and looks after those it started."""

    def __init__(self, line: RayActingTransport, *, clock: Clock) -> None:
        self._line = line
        self._clock = clock
        self._view = RayClusterView(line)
        self._reader = RayReader(line, clock=clock)
        self._writer = RayWriter(line, environ=os.environ)

    async def launch(
        self,
        job: JobId,
        body: Mapping[str, Any],
        folder: Path | None,
        files: Mapping[str, bytes] | None = None,
        *,
        launch: str,
    ) -> JobId:
        """Submit the job under this id, with the files of the folder; its id.

        `launch`: a word that no other submission has. One whose answer was lost is looked for once more.
        Raises SubmissionRefused where Ray said no, another ExternalError where nobody knows.
        """
        if folder is not None:
            package = await pack_folder(folder, files)
            await upload(self._line, package)
            body = stored_job.with_package(body, package.name)
        sent = stored_job.to_be_sent(body, job, launch=launch)
        try:
            return await submit_once(self._line, self._view, sent)
        except SubmissionRefused:
            raise
        except ExternalError:
            return await submit_once(self._line, self._view, sent)  # which looks for it first

    async def find(self, job: JobId) -> Job | None:
        return await self._reader.find(job)

    async def state(self, job: JobId) -> JobState | None:
        found = await self.find(job)
        return found.state if found is not None else None

    async def stop(self, job: JobId) -> None:
        """Stop the job. One that is pending is waited for, because Ray cannot stop it: 20 s at most."""
        deadline = self._clock.now() + PENDING_LIMIT
        while self._clock.now() < deadline:
            found = await self._reader.find(job)
            if found is None or found.state is not JobState.PENDING:
                break
            await self._clock.sleep_until(self._clock.now() + PENDING_PAUSE)
        await self._writer.stop(job)

    async def newest_lines(self, job: JobId, *, at_most: int) -> Sequence[str]:
        batch = await self._reader.lines(LogSource(job), after=None, at_most=at_most, newest=True)
        return tuple(line.text for line in batch.lines)

    async def close(self) -> None:
        await self._line.close()
