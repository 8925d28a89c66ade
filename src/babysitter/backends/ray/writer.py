"""The writer of a Ray cluster: stops exactly one submission, submits exactly one. Nothing is repeated."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from babysitter.backends.ray.dashboard.cluster_view import RayClusterView, unknown_job
from babysitter.backends.ray.dashboard.http_client import RayActingTransport
from babysitter.backends.ray.dashboard.ray_answers import PROPOSAL_KEY
from babysitter.backends.ray.submission import stored_job
from babysitter.backends.ray.submission.by_hand import driver_by_hand, submission_by_hand
from babysitter.backends.ray.submission.job_submitter import submit_once
from babysitter.backends.ray.submission.restart_checks import OldJob, RestartFacts, check_restart
from babysitter.backends.ray.submission.working_dir import pack_folder, package_answers, upload
from babysitter.errors import (
    ExternalError,
    InvalidResponse,
    MissingSubmission,
    SubmissionRefused,
    UserError,
)
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, ValueSource
from babysitter.preflight.facts import Fact, Known, NotKnown, Purpose
from babysitter.preflight.preflight_finding import PreflightFinding

T = TypeVar("T")
_ENDED = ("SUCCEEDED", "FAILED", "STOPPED")
_GIVE_A_COMMAND = "Give it with --resubmit 'ray job submit ... -- command'."


class RayWriter:
    """Implements `ClusterWriter`. `environ`: of this process, for values that are not kept."""

    def __init__(self, line: RayActingTransport, *, environ: Mapping[str, str]) -> None:
        self._line = line
        self._view = RayClusterView(line)
        self._environ = environ

    async def stop(self, job: JobId) -> None:
        raw = await self._view.job(job)
        if raw is None:
            raise unknown_job(job, self._line.place, is_restarted=False)
        if raw.submission_id is None:
            raise SubmissionRefused(
                f"Nobody submitted {job}: its driver was started by hand, and Ray cannot stop it.",
                next_step=driver_by_hand(raw),
            )
        if raw.status in _ENDED:
            return
        if raw.status == "PENDING":  # Ray would answer that it stopped it, and start it later
            raise SubmissionRefused(f"{job} has not started yet, and Ray cannot stop a pending job.")
        path = f"/api/jobs/{raw.submission_id}/stop"
        answer = await self._line.send("POST", path)
        if answer.status == 404 and "does not exist" in answer.text:
            raise unknown_job(job, self._line.place, is_restarted=False)
        if answer.status != 200:
            raise InvalidResponse(
                f"Ray at {self._line.place} answered {path} with {answer.status}: {answer.last_line}."
            )

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:
        return check_restart(await self._facts(submission, purpose))

    async def by_hand(self, submission: Submission) -> str:
        return submission_by_hand(submission, self._line.place)

    async def submit(self, submission: Submission) -> JobId:
        if not (submission.request or {}).get("entrypoint") or submission.job is None:
            raise MissingSubmission(
                f"Nobody knows how {submission.job or 'this job'} is submitted again.",
                next_step=_GIVE_A_COMMAND,
            )
        assert submission.request is not None, "it has an entrypoint"
        await self._is_same_session(submission)
        body = await self._completed(submission.request, submission)
        body = stored_job.with_variables(body, submission.changed_variables)
        if submission.workdir:
            package = await pack_folder(Path(submission.workdir))
            await upload(self._line, package)
            body = stored_job.with_package(body, package.name)
        elif (name := stored_job.package_of(body)) and not await package_answers(self._line, name):
            raise SubmissionRefused(f"Ray no longer has the files of this job ({name}).")
        sent = stored_job.to_be_sent(body, submission.job, submission.proposal, launch=submission.launch)
        return await submit_once(self._line, self._view, sent)

    async def _is_same_session(self, submission: Submission) -> None:
        """Raises SubmissionRefused where the head was started again: what has our id then is not ours."""
        version = await self._view.fresh_version()
        if submission.incarnation and version.session_name != submission.incarnation:
            raise SubmissionRefused(
                f"Ray at {self._line.place} was started again since this was proposed; "
                "it knows neither the old job nor its files.",
                next_step="Submit the job yourself, and watch the new one.",
            )

    async def _completed(self, request: Mapping[str, Any], submission: Submission) -> dict[str, Any]:
        """The request with what was kept out of it. Raises MissingSubmission for what cannot be had."""
        body = {name: value for name, value in request.items() if name != stored_job.RECORD}
        if (record := request.get(stored_job.RECORD)) is not None:
            raw = await self._view.job(JobId(str(record["job"])))
            if raw is not None and stored_job.is_record(raw, request):
                return stored_job.request_of(raw) | stored_job.asked_resources(body)
            if record.get("is_masked") or ValueSource.RECORD in submission.fills.values():
                raise MissingSubmission(
                    f"Ray's record of {record['job']} is gone, and with it the values that were not kept.",
                    next_step=_GIVE_A_COMMAND,
                )
        if missing := self._missing(submission):
            raise MissingSubmission(f"Not set in the environment of the service: {', '.join(missing)}.")
        return stored_job.with_variables(body, {name: self._environ[name] for name in _taken(submission)})

    def _missing(self, submission: Submission) -> tuple[str, ...]:
        return tuple(name for name in _taken(submission) if not self._environ.get(name))

    async def _facts(self, submission: Submission, purpose: Purpose) -> RestartFacts:
        place, body = self._line.place, submission.request
        if body is None or submission.job is None or not str(body.get("entrypoint", "")):
            return RestartFacts(
                place, fault=f"Nobody knows how the job is submitted again. {_GIVE_A_COMMAND}"
            )
        facts = RestartFacts(
            place,
            name=submission.job,
            session_shown=submission.incarnation,
            session=await _fact(self._session),
            name_is_taken=await _fact(lambda: self._is_taken(submission)),
            missing_variables=self._missing(submission),
            unknown=submission.summary.unknown if submission.summary else (),
        )
        if purpose is Purpose.RESUBMIT and (old := submission.replaces) is not None:
            facts = replace(facts, old_job=await _fact(lambda: self._old_job(old)))
        if body.get(stored_job.RECORD):
            facts = replace(facts, record_is_same=await _fact(lambda: self._is_same_record(body)))
        if submission.workdir:
            folder = Path(submission.workdir)
            absent = _absent_files(folder, stored_job.words_of(str(body["entrypoint"])))
            return replace(facts, folder_fault=await _folder_fault(folder), absent_files=absent)
        if name := stored_job.package_of(body):
            exists = await _fact(lambda: package_answers(self._line, name))
            facts = replace(facts, package=name, package_exists=exists)
        return facts

    async def _session(self) -> str:
        return (await self._view.fresh_version()).session_name

    async def _old_job(self, job: JobId) -> OldJob | None:
        raw = await self._view.job(job)
        if raw is None:
            return None
        is_submission = raw.submission_id is not None
        return OldJob(raw.status, is_submission, "" if is_submission else driver_by_hand(raw))

    async def _is_same_record(self, request: Mapping[str, Any]) -> bool:
        raw = await self._view.job(JobId(str(request[stored_job.RECORD]["job"])))
        return raw is not None and stored_job.is_record(raw, request)

    async def _is_taken(self, submission: Submission) -> bool:
        """Whether another job has the id. One that was submitted for this proposal is ours."""
        assert submission.job is not None
        raw = await self._view.job(submission.job)
        if raw is None:
            return False
        mark = (raw.metadata or {}).get(PROPOSAL_KEY)
        return not submission.proposal or mark != submission.proposal


async def _fact(ask: Callable[[], Awaitable[T]]) -> Fact[T]:
    """The answer, or that there is none now; it may come later."""
    try:
        return Known(await ask())
    except ExternalError as fault:
        return NotKnown(fault.sentence, may_pass=True)


def _absent_files(folder: Path, program: tuple[str, ...]) -> tuple[str, ...]:
    """Scripts that the program names by a path inside the folder, and that are not there."""
    scripts = (
        word for word in program if word.endswith((".py", ".sh")) and not word.startswith(("/", "~", "$"))
    )
    return tuple(word for word in scripts if not (folder / word).is_file())


async def _folder_fault(folder: Path) -> str:
    """Why the files of the folder cannot be sent; "" when they can."""
    try:
        await pack_folder(folder)
    except UserError as fault:
        return str(fault)
    return ""


def _taken(submission: Submission) -> tuple[str, ...]:
    """Variables that are taken from the environment."""
    return tuple(name for name, source in submission.fills.items() if source is ValueSource.ENVIRONMENT)
