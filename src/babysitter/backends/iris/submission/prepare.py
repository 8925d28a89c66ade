"""Completes a submission at the act: blanked values from their named sources, the build date of the client.

What is read from the environment goes into the submission that is sent, and nowhere else.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from babysitter.backends.iris.connection.client_date import installed_client_date
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submit_syntax import launch_request, ready_to_run
from babysitter.clock import Clock
from babysitter.errors import ExternalError, MissingSubmission
from babysitter.model.submission import Submission, ValueSource
from babysitter.preflight.client.client_environment import CLIENT_CONSTANTS

CLIENT_DATE_TTL = timedelta(minutes=10)  # an upgrade of the client is noticed by then
_MARK = "\ue000"  # of the private use area: no command has it
_ENCODER = (  # its arguments: text, value, text, value, ..., text
    "import json, sys; "
    "print(''.join(json.dumps(s)[1:-1] if i % 2 else s for i, s in enumerate(sys.argv[1:])))"
)


class SubmissionPreparer:
    """Prepares submissions to one cluster.

    `iris`: the user's command, whose build date a launch over HTTP is accounted to, and `options` of it for
    this cluster. `client_revision_date`: the same from the settings, for machines without the command.
    `environ`: of this process.
    """

    def __init__(
        self,
        reader: IrisReader,
        *,
        iris: Sequence[str],
        options: Sequence[str] = (),
        client_revision_date: str = "",
        environ: Mapping[str, str],
        clock: Clock,
    ) -> None:
        self._reader = reader
        self._iris = tuple(iris)
        self._options = tuple(options)
        self._configured_date = client_revision_date
        self._installed_date = ""
        self._asked_at: datetime | None = None
        self._clock = clock
        self._environ = environ

    async def client_date(self) -> str:
        """YYYY-MM-DD of the client that launches are accounted to; "" where none is known."""
        if self._configured_date:
            return self._configured_date
        now = self._clock.now()
        if not self._installed_date or self._asked_at is None or now - self._asked_at > CLIENT_DATE_TTL:
            self._installed_date, self._asked_at = await installed_client_date(self._iris), now
        return self._installed_date

    def missing_variables(self, submission: Submission) -> tuple[str, ...]:
        """Variables that are to be taken from the environment, and are not set there."""
        return tuple(
            name
            for name, source in submission.fills.items()
            if source is ValueSource.ENVIRONMENT and not self._environ.get(name)
        )

    def command(self, submission: Submission) -> Submission:
        """The command, complete. Raises MissingSubmission as `ready_to_run` does."""
        return ready_to_run(submission, self._values(submission))

    async def request(self, submission: Submission) -> Mapping[str, object]:
        """The body of LaunchJob, complete. Raises MissingSubmission for one that cannot be.

        Raises a WorldError when the cluster cannot be asked for its generation.
        """
        return await self._launch(submission, self._values(submission))

    async def _launch(self, submission: Submission, values: Mapping[str, str]) -> Mapping[str, object]:
        if submission.request is None:
            raise MissingSubmission(
                f"Nobody knows the command that starts {submission.job or 'this job'} again.",
                next_step="Give it with --resubmit 'iris ... job run ... -- command'.",
            )
        client_date = ""
        if (await self._reader.dialect()).wants_client_date:
            client_date = await self.client_date()
            if not client_date:
                raise MissingSubmission(
                    "The cluster takes a launch over HTTP only with the build date of an iris client, and "
                    f"`{' '.join(self._iris)}` does not tell one.",
                    next_step="Install the iris client here, or set clusters.NAME.client_revision_date.",
                )
        return launch_request(submission, values, client_revision_date=client_date)

    async def by_hand(self, submission: Submission) -> str:
        """The command line with which a person submits the same; "" where it cannot be written."""
        try:
            if submission.argv:
                return self._command_line(submission)
            request = await self._launch(submission, self._values(submission, for_a_shell=True))
        except (MissingSubmission, ExternalError):
            return ""
        call = shlex.join((*self._iris, *self._options, "rpc", "controller", "launch-job", "--json"))
        body = json.dumps(request, ensure_ascii=False)
        if _MARK not in body:
            return f"{call} {shlex.quote(body)}"
        return f'{_encoded(body)} && {call} "$request"'

    def _command_line(self, submission: Submission) -> str:
        ready = ready_to_run(submission, self._values(submission, for_a_shell=True))
        folder = f"cd {shlex.quote(ready.workdir)} && " if ready.workdir else ""
        env = "".join(f'{name}="${name}" ' for name in submission.env)
        return folder + env + " ".join(_in_a_shell(word) for word in ready.argv)

    def _values(self, submission: Submission, *, for_a_shell: bool = False) -> Mapping[str, str]:
        """The blanked values, each from its source; those that cannot be had are left out.

        `for_a_shell`: values of the environment are marks, which `_in_a_shell` writes as variables.
        """
        found = dict(submission.env)
        for name, source in submission.fills.items():
            match source:
                case ValueSource.CLIENT_CONSTANT if name in CLIENT_CONSTANTS:
                    found[name] = CLIENT_CONSTANTS[name]
                case ValueSource.ENVIRONMENT if for_a_shell:
                    found[name] = f"{_MARK}{name}{_MARK}"
                case ValueSource.ENVIRONMENT if self._environ.get(name):
                    found[name] = self._environ[name]
        return found


def _in_a_shell(word: str) -> str:
    """The word quoted for a shell, marked variables outside of the quotes: 'a'"${HF_TOKEN:?}"'b'."""
    parts = word.split(_MARK)
    return "".join(_variable(part) if at % 2 else shlex.quote(part) for at, part in enumerate(parts) if part)


def _encoded(body: str) -> str:
    """Shell that sets `request` to this JSON, each marked variable written into it as JSON wants it.

    A shell cannot do that by itself: a value with a quote, a backslash or a line break would end the string.
    """
    parts = body.split(_MARK)
    words = " ".join(_variable(part) if at % 2 else shlex.quote(part) for at, part in enumerate(parts))
    return f"request=$(python3 -c {shlex.quote(_ENCODER)} {words})"


def _variable(name: str) -> str:
    """The variable of a shell; one that is not set ends the command with its name."""
    return f'"${{{name}:?}}"'
