"""The writer of an Iris cluster: stop exactly one job, start exactly one. Nothing is repeated here."""

from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.iris.connection.transport import CONTROLLER_SERVICE, Transport
from babysitter.backends.iris.submission.prepare import SubmissionPreparer
from babysitter.backends.iris.submission.submission_facts import SubmissionFactsReader
from babysitter.backends.iris.submit_syntax import outcome
from babysitter.backends.run_process import run
from babysitter.errors import InvalidResponse
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding
from babysitter.preflight.run import check_submission

STOP_LIMIT_S = 30.0
SUBMIT_LIMIT_S = 180.0  # packs and uploads the working directory
LAUNCH_LIMIT_S = 45.0


class IrisWriter:
    """Implements `ClusterWriter`. A submission with a command is run; one without is launched over HTTP."""

    def __init__(
        self, line: Transport, *, facts: SubmissionFactsReader, preparer: SubmissionPreparer
    ) -> None:
        self._line = line
        self._facts = facts
        self._preparer = preparer

    async def stop(self, job: JobId) -> None:
        # TerminateJob takes an exact id. The command's plain `job stop` stops everything that begins like it.
        await self._line.ask("TerminateJob", {"jobId": job}, service=CONTROLLER_SERVICE, limit_s=STOP_LIMIT_S)

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:
        return check_submission(await self._facts.read(submission, purpose=purpose))

    async def by_hand(self, submission: Submission) -> str:
        return await self._preparer.by_hand(submission)

    async def submit(self, submission: Submission) -> JobId:
        if submission.argv:
            return await self._run(submission)
        return await self._launch(submission)

    async def _run(self, submission: Submission) -> JobId:
        ready = self._preparer.command(submission)
        done = await run(ready.argv, limit_s=SUBMIT_LIMIT_S, cwd=ready.workdir, env=ready.env)
        return outcome(done, ready)

    async def _launch(self, submission: Submission) -> JobId:
        body = await self._preparer.request(submission)
        answer = await self._line.ask("LaunchJob", body, limit_s=LAUNCH_LIMIT_S)
        try:
            return JobId(JsonNode.of(answer).text("jobId"))
        except UnexpectedField as fault:
            raise InvalidResponse(f"The answer to LaunchJob makes no sense: {fault}.") from fault
