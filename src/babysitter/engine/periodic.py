"""What the service does at an interval. A failed attempt is logged, shown in `status`, and repeated later."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from babysitter.clock import Clock
from babysitter.errors import BabysitError, StorageUnavailable

log = structlog.get_logger()

MAX_PAUSE_S = 30.0  # between two attempts, however often they failed
MAX_DOUBLINGS = 10

Act = Callable[[], Awaitable[object]]


class PeriodicActivity:
    """One activity and how its attempts went. Attempts never overlap; no failure ends it.

    `troubles`: filled under `name` while attempts fail. A database that cannot be used is left out there:
    it breaks many activities at once and has an entry of its own. `failures`: attempts that failed, by name.
    `ends_with`: the one kind of error that `attempt` passes on.
    """

    def __init__(
        self,
        name: str,
        act: Act,
        *,
        every_s: float,
        clock: Clock,
        troubles: dict[str, str],
        failures: dict[str, int],
        max_pause_s: float = MAX_PAUSE_S,
        ends_with: type[Exception] | None = None,
    ) -> None:
        self.name = name
        self._act = act
        self.every_s = every_s
        self._clock = clock
        self._troubles = troubles
        self._failures = failures
        self._max_pause_s = max_pause_s
        self._ends_with = ends_with
        self._failed_in_row = 0
        self._failing_since: datetime | None = None

    async def repeat(self, clock: Clock) -> None:
        """Act again and again, until cancelled. `clock`: of the pauses."""
        while True:
            pause_s = await self.attempt()
            await clock.sleep_until(clock.now() + timedelta(seconds=pause_s))

    async def attempt(self) -> float:
        """Act once. Returns the seconds until the next attempt."""
        try:
            await self._act()
        except Exception as fault:  # the top of a periodic activity
            if self._ends_with is not None and isinstance(fault, self._ends_with):
                raise
            return self._note_failure(fault)
        if self._failed_in_row:
            log.info("activity_recovered", activity=self.name, failed_attempts=self._failed_in_row)
            self._failed_in_row = 0
            self._troubles.pop(self.name, None)
        return self.every_s

    def _note_failure(self, fault: Exception) -> float:
        self._failed_in_row += 1
        self._failures[self.name] = self._failures.get(self.name, 0) + 1
        pause_s = min(self._max_pause_s, self.every_s * 2.0 ** min(self._failed_in_row, MAX_DOUBLINGS))
        fields = {"activity": self.name, "failed_attempts": self._failed_in_row, "retry_in_s": pause_s}
        if isinstance(fault, (BabysitError, TimeoutError)):
            log.warning("activity_failed", because=str(fault) or "It took too long.", **fields)
        else:
            log.error("activity_failed", exc_info=fault, **fields)
        if not isinstance(fault, StorageUnavailable):
            if self._failed_in_row == 1 or self._failing_since is None:
                self._failing_since = self._clock.now()
            self._troubles[self.name] = (
                f"fails since {self._failing_since:%H:%M:%S} UTC and is tried again: {_sentence(fault)}"
            )
        return pause_s


def _sentence(fault: Exception) -> str:
    if isinstance(fault, BabysitError):
        return str(fault)
    if isinstance(fault, TimeoutError):
        return "it took too long."
    return f"a fault of babysit's own ({type(fault).__name__}); the service's log has the details."
