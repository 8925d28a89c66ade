"""Submits a job to Ray once: looked for by its id before every request, and compared with what was sent.

Ray answers 500 for an id that exists, for broken requests and for its own faults alike. So after every answer
that is not plainly yes or no, the job is looked for; what is found there under the id is ours only if its
entrypoint and its metadata are.
"""

import json
from collections.abc import Mapping
from typing import Any

from babysitter.backends.ray.dashboard.cluster_view import RayClusterView
from babysitter.backends.ray.dashboard.http_client import RayActingTransport, RayAnswer
from babysitter.backends.ray.submission.stored_job import is_same_job
from babysitter.errors import InvalidResponse, SubmissionRefused
from babysitter.model.ids import JobId

SUBMIT_LIMIT_S = 60.0


async def submit_once(line: RayActingTransport, view: RayClusterView, sent: Mapping[str, Any]) -> JobId:
    """The job of this request: found, or submitted now. `sent` has its `submission_id`.

    Raises SubmissionRefused where Ray said no, or where another job has the id; another ExternalError where
    it is not known whether the job exists now.
    """
    job = JobId(str(sent["submission_id"]))
    if await _is_there(view, sent):
        return job
    answer = await line.send("POST", "/api/jobs/", json.dumps(sent).encode(), limit_s=SUBMIT_LIMIT_S)
    if answer.status == 200:
        return job
    if await _is_there(view, sent):
        return job
    raise _not_submitted(answer, job, line.place)


async def _is_there(view: RayClusterView, sent: Mapping[str, Any]) -> bool:
    """Whether the id has the job that is to be sent. Raises SubmissionRefused for another one."""
    job = JobId(str(sent["submission_id"]))
    found = await view.job(job)
    if found is None:
        return False
    if is_same_job(found, sent):
        return True
    raise SubmissionRefused(
        f"A job with the id {job} already exists, and it is another one.",
        next_step="Ray never uses an id twice; choose another one.",
    )


def _not_submitted(answer: RayAnswer, job: JobId, place: str) -> SubmissionRefused | InvalidResponse:
    if answer.status < 500:
        return SubmissionRefused(f"Ray at {place} refused {job}: {answer.last_line}")
    return InvalidResponse(f"Ray at {place} could not submit {job}: {answer.last_line}")
