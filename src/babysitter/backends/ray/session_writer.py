"""The writer of a run that nobody submitted: it refuses every act, with the command for a person."""

from babysitter.backends.ray.session_reader import SessionReader
from babysitter.errors import SubmissionRefused
from babysitter.model.ids import JobId
from babysitter.model.submission import BY_PERSON, Submission
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity


class SessionWriter:
    """Implements `ClusterWriter`."""

    def __init__(self, reader: SessionReader) -> None:
        self._reader = reader

    async def stop(self, job: JobId) -> None:
        raise SubmissionRefused(
            f"{job} cannot be stopped from here. {BY_PERSON}", next_step=await self._reader.by_hand()
        )

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:  # noqa: ARG002
        step = await self._reader.by_hand()
        return (PreflightFinding("not-submitted", PreflightSeverity.BLOCK, BY_PERSON, step),)

    async def by_hand(self, submission: Submission) -> str:  # noqa: ARG002
        return ""

    async def submit(self, submission: Submission) -> JobId:
        raise SubmissionRefused(
            f"{submission.job} cannot be submitted. {BY_PERSON}", next_step=await self._reader.by_hand()
        )
