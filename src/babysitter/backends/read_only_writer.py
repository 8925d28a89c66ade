"""A writer for clusters that are only watched: it refuses every act with the same sentence."""

from babysitter.errors import SubmissionRefused
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity

READ_ONLY_STEP = "Stop and submit the job yourself."


class ReadOnlyWriter:
    """Implements `ClusterWriter`. `sentence` says why nothing is done."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    async def stop(self, job: JobId) -> None:  # noqa: ARG002
        raise SubmissionRefused(self._sentence, next_step=READ_ONLY_STEP)

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:  # noqa: ARG002
        return (PreflightFinding("read-only", PreflightSeverity.BLOCK, self._sentence, READ_ONLY_STEP),)

    async def by_hand(self, submission: Submission) -> str:  # noqa: ARG002
        return ""

    async def submit(self, submission: Submission) -> JobId:  # noqa: ARG002
        raise SubmissionRefused(self._sentence, next_step=READ_ONLY_STEP)
