"""What blocking clients of a cluster share: a thread that asks for them, and patience with an outage."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from babysitter.clock import SystemClock
from babysitter.errors import ExternalError
from babysitter.launch.job_request import JobStatus

OUTAGE_TIMEOUT_S = 1800.0  # a controller that restarts is back well before
T = TypeVar("T")


class CallThread:
    """An event loop in a thread: blocking code calls what is asynchronous."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="launch-client", daemon=True).start()

    def result(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        future: Future[T] = asyncio.run_coroutine_threadsafe(call(), self._loop)
        return future.result()

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self._loop.is_running():
            self.result(last)
            self._loop.call_soon_threadsafe(self._loop.stop)


class Outage:
    """Holds back errors of a cluster that does not answer, for OUTAGE_TIMEOUT_S."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._clock = SystemClock()

    def through(self, ask: Callable[[], JobStatus]) -> JobStatus:
        try:
            found = ask()
        except ExternalError as error:
            now = self._clock.now().timestamp()
            self._since = now if self._since is None else self._since
            if not error.repeatable or now - self._since > OUTAGE_TIMEOUT_S:
                raise
            return JobStatus.RUNNING
        self._since = None
        return found
