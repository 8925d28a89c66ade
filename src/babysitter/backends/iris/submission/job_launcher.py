"""Launches new jobs over HTTP, and looks after them for a caller that waits."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.iris.connection.connect import iris_command, open_line
from babysitter.backends.iris.connection.identity import client_user
from babysitter.backends.iris.connection.transport import CONTROLLER_SERVICE, Transport
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submission.launch_body import LaunchContext, launch_body
from babysitter.backends.iris.submission.new_job import ExistingJobPolicy, NewJob
from babysitter.backends.iris.submission.prepare import SubmissionPreparer
from babysitter.clock import Clock
from babysitter.errors import InvalidResponse, MissingSubmission, Unreachable
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState
from babysitter.model.log import LogSource

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec

LAUNCH_TIMEOUT_S = 60.0  # an answer may wait for the controller to store 25 MB
STOP_TIMEOUT_S = 30.0


class JobLauncher:
    """New jobs of one cluster. Nothing is repeated here."""

    def __init__(self, line: Transport, reader: IrisReader, preparer: SubmissionPreparer) -> None:
        self._line = line
        self._reader = reader
        self._preparer = preparer

    async def generation(self) -> str:
        return (await self._reader.about()).generation

    async def owned(self, job: NewJob) -> NewJob:
        """The job with the user that it is filed under where it names none: the one that the client names."""
        return replace(job, user=job.user or client_user("", os.environ, generation=await self.generation()))

    async def body(self, job: NewJob, *, bundle: bytes = b"", bundle_id: str = "") -> dict[str, object]:
        """The body of LaunchJob. Raises UserError for a job that cannot be launched so."""
        dialect = await self._reader.dialect()
        generation = dialect.generation.value
        job, date = await self.owned(job), ""
        if dialect.wants_client_date and not job.parent:  # only root jobs are asked for it
            date = await self._preparer.client_date()
            if not date:
                raise MissingSubmission(
                    "The cluster takes a launch over HTTP only with the build date of an iris client, and "
                    "the iris command here does not tell one.",
                    next_step="Install the iris client here, or set clusters.NAME.client_revision_date.",
                )
        return launch_body(job, LaunchContext(generation, date, bundle, bundle_id))

    async def launch(self, job: NewJob, *, bundle: bytes = b"", bundle_id: str = "") -> JobId:
        """Start the job; the id that the cluster gave it.

        Raises SubmissionRefused if the cluster said no. Where no answer came, the job is looked for by name:
        Unreachable is raised only if that is not answered either, or it is not there.
        """
        body = await self.body(job, bundle=bundle, bundle_id=bundle_id)
        try:
            answer = await self._line.ask("LaunchJob", body, limit_s=LAUNCH_TIMEOUT_S)
        except Unreachable:
            wanted = JobId(str(body["name"]))
            if job.existing_job_policy is ExistingJobPolicy.ADOPT_RUNNING and await self._reader.find(wanted):
                return wanted
            raise
        try:
            return JobId(JsonNode.of(answer).text("jobId"))
        except UnexpectedField as fault:
            raise InvalidResponse(f"The answer to LaunchJob makes no sense: {fault}.") from fault

    async def state(self, job: JobId) -> JobState | None:
        """How it is doing, None for a job that the cluster does not know."""
        return (await self._reader.states([job])).get(job)

    async def find(self, job: JobId) -> Job | None:
        return await self._reader.find(job)

    async def newest_lines(self, job: JobId, *, at_most: int) -> Sequence[str]:
        """The last lines of the job and its children, oldest first."""
        batch = await self._reader.lines(LogSource(job), after=None, at_most=at_most, newest=True)
        return tuple(line.text for line in batch.lines)

    async def stop(self, job: JobId) -> None:
        await self._line.ask(
            "TerminateJob", {"jobId": job}, service=CONTROLLER_SERVICE, limit_s=STOP_TIMEOUT_S
        )

    async def close(self) -> None:
        await self._line.close()


def open_launcher(
    spec: "ClusterSpec", *, clock: Clock, home: Path | None = None, working_dir: Path | None = None
) -> JobLauncher:
    """A launcher for this cluster. Raises BadConfig; contacts nobody."""
    home, working_dir = home or Path.home(), working_dir or Path.cwd()
    line = open_line(replace(spec, transport="rpc"), clock=clock, home=home, working_dir=working_dir)
    iris = iris_command(spec, home=home, working_dir=working_dir)
    reader = IrisReader(line, iris=iris, clock=clock)
    preparer = SubmissionPreparer(
        reader,
        iris=spec.iris_command,
        options=spec.options,
        client_revision_date=spec.client_revision_date,
        environ=os.environ,
        clock=clock,
    )
    return JobLauncher(line, reader, preparer)
