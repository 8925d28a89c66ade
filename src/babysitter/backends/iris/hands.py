"""The hands of an Iris cluster: stop exactly one job, start exactly one. Nothing is repeated here."""

from babysitter.backends.iris.ask import CONTROLLER_SERVICE, Line
from babysitter.backends.iris.fields import Node, Oddity
from babysitter.backends.iris.process import run, why_not_runnable
from babysitter.backends.iris.submit import launch_request, outcome, ready_to_run
from babysitter.errors import MissingSubmission, NonsenseAnswer
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission

STOP_LIMIT_S = 30.0
SUBMIT_LIMIT_S = 180.0  # packs and uploads the working directory
LAUNCH_LIMIT_S = 45.0


class IrisHands:
    """Implements `Hands`.

    Submits with the user's own command; over HTTP only when `client_revision_date` (the build date of the
    client that a launch is to be accounted to, YYYY-MM-DD) is configured and no command is known.
    """

    def __init__(self, line: Line, *, client_revision_date: str = "") -> None:
        self._line = line
        self._client_revision_date = client_revision_date

    async def stop(self, job: JobId) -> None:
        # TerminateJob takes an exact id. The command's plain `job stop` stops everything that begins like it.
        await self._line.ask("TerminateJob", {"jobId": job}, service=CONTROLLER_SERVICE, limit_s=STOP_LIMIT_S)

    def objection(self, submission: Submission) -> str:
        try:
            if submission.argv:
                ready = ready_to_run(submission)
                return why_not_runnable(ready.argv, cwd=ready.workdir, env=ready.env)
            self._must_launch(submission)
            launch_request(submission, client_revision_date=self._client_revision_date)
        except MissingSubmission as missing:
            return str(missing)
        return ""

    async def submit(self, submission: Submission) -> JobId:
        if submission.argv:
            return await self._run(submission)
        self._must_launch(submission)
        return await self._launch(submission)

    def _must_launch(self, submission: Submission) -> None:
        if submission.request is None or not self._client_revision_date:
            raise MissingSubmission(
                f"Nobody knows the command that starts {submission.job or 'this job'} again.",
                next_step="Give it with --resubmit 'iris ... job run ... -- command'.",
            )

    async def _run(self, submission: Submission) -> JobId:
        ready = ready_to_run(submission)
        done = await run(ready.argv, limit_s=SUBMIT_LIMIT_S, cwd=ready.workdir, env=ready.env)
        return outcome(done, ready)

    async def _launch(self, submission: Submission) -> JobId:
        body = launch_request(submission, client_revision_date=self._client_revision_date)
        answer = await self._line.ask("LaunchJob", body, limit_s=LAUNCH_LIMIT_S)
        try:
            return JobId(Node.of(answer).text("jobId"))
        except Oddity as fault:
            raise NonsenseAnswer(f"The answer to LaunchJob makes no sense: {fault}.") from fault
