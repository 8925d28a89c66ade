"""Asking through the user's own `iris` command: 1.5 to 3 s a question, for where nothing else reaches.

Always under a limit, the whole process group ended at it: left alone, the command retries an unreachable
controller for up to 30 minutes. Options for the cluster stand before the subcommand.
"""

import json
from collections.abc import Mapping

from babysitter.backends.iris.answers.json_fields import snake
from babysitter.backends.iris.answers.log_window import LogWindow
from babysitter.backends.iris.connection import cli_logs
from babysitter.backends.iris.connection.transport import (
    CONTROLLER_SERVICE,
    BadRequest,
    NoSuchMethod,
    Page,
    QuickReader,
    Verb,
)
from babysitter.backends.iris.submit_syntax import command_failure
from babysitter.backends.run_process import Finished, run
from babysitter.clock import Clock, SystemClock
from babysitter.errors import InvalidResponse

CALL_LIMIT_S = 40.0  # April's command needs 4 s to start on a quiet machine
_USAGE_ERROR = 2


class CliTransport:
    """`iris` and its options for one cluster. Implements `Line`."""

    transport = "cli"

    def __init__(
        self,
        iris: tuple[str, ...],
        *,
        place: str,
        clock: Clock | None = None,
        call_limit_s: float = CALL_LIMIT_S,
    ) -> None:
        self.place = place
        self._iris = iris
        self._clock = clock or SystemClock()
        self._call_limit_s = call_limit_s
        self._fetches_logs = True  # until the command turns out not to have that call

    async def ask(
        self,
        method: str,
        body: Mapping[str, object],
        *,
        service: str = CONTROLLER_SERVICE,  # noqa: ARG002 - the command knows one service only
        limit_s: float | None = None,
        quick: QuickReader | None = None,  # noqa: ARG002 - what is printed is read at once
        window: LogWindow | None = None,  # noqa: ARG002
    ) -> object:
        limit_s = max(limit_s or 0.0, self._call_limit_s)
        if method == "FetchLogs" and not self._fetches_logs:
            return await self._job_logs(body, limit_s)
        try:
            return await self._rpc(method, body, limit_s)
        except NoSuchMethod:
            if method != "FetchLogs":
                raise
            self._fetches_logs = False
            return await self._job_logs(body, limit_s)

    async def request_page(self, path: str, *, verb: Verb) -> Page:  # noqa: ARG002
        raise NoSuchMethod(self.place, path)  # the command asks questions only

    async def close(self) -> None:
        """Nothing is kept between questions."""

    async def _rpc(self, method: str, body: Mapping[str, object], limit_s: float) -> object:
        call = ("rpc", "controller", snake(method).replace("_", "-"), "--json", json.dumps(body))
        done = await run((*self._iris, *call), limit_s=limit_s)
        self._raise_for(method, done)
        try:
            return json.loads(done.stdout)
        except ValueError as fault:
            raise InvalidResponse(f"`{self.place}` printed no JSON in answer to {method}.") from fault

    async def _job_logs(self, body: Mapping[str, object], limit_s: float) -> object:
        done = await run((*self._iris, *cli_logs.command(body)), limit_s=limit_s)
        self._raise_for("job logs", done)
        return cli_logs.answer(done.stdout, body, now=self._clock.now())

    def _raise_for(self, method: str, done: Finished) -> None:
        if done.exit_code == 0:
            return
        if done.exit_code == _USAGE_ERROR and "No such command" in done.stderr:
            raise NoSuchMethod(self.place, method)
        if done.exit_code == _USAGE_ERROR:
            raise BadRequest(
                f"`{self.place}` did not accept its options: {done.last_error_line}.",
                next_step="Check --iris-command and the options for the cluster.",
            )
        raise command_failure(self.place, method, done)
