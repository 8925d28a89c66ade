"""The writer of a run that nobody submitted: it refuses every act, with the command for a person."""

from babysitter.backends.ray.session_reader import SessionReader
from babysitter.errors import SubmissionRefused
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity

NOBODY = "Nobody submitted this run, so nobody but you runs these commands."


class SessionWriter:
    """Implements `ClusterWriter`."""

    def __init__(self, reader: SessionReader) -> None:
        self._reader = reader

    async def stop(self, job: JobId) -> None:
        raise SubmissionRefused(
            f"{job} cannot be stopped from here. {NOBODY}", next_step=await self._reader.by_hand()
        )

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:  # noqa: ARG002
        step = await self._reader.by_hand()
        return (PreflightFinding("not-submitted", PreflightSeverity.BLOCK, f"{NOBODY} {step}", step),)

    async def by_hand(self, submission: Submission) -> str:  # noqa: ARG002
        return ""

    async def submit(self, submission: Submission) -> JobId:
        raise SubmissionRefused(
            f"{submission.job} cannot be submitted. {NOBODY}", next_step=await self._reader.by_hand()
        )
