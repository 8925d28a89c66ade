"""Whether our own database can be written, judged from how the writes of this process ended."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from babysitter.clock import Clock

# Small writes may succeed on a full disk while large ones fail. A check is repeated within 30 s, so an outage
# is over when nothing has failed for longer than that.
CALM_FOR = timedelta(seconds=40)
STALLED_AFTER_S = 30.0  # the lease is renewed every 5 s, and a write gives up after 15 s
RETRY_SHARE = 0.5  # of the outage so far, until a check that could not be stored is repeated
MIN_RETRY_S, MAX_RETRY_S = 2.0, 30.0


@dataclass(frozen=True, slots=True)
class StorageOutage:
    """A time in which writes fail. `because`: the newest failure, in the database's words.

    `works_since`: the first write that was stored after that failure; None while nothing is stored.
    """

    since_at: datetime
    because: str
    failed_at: datetime  # the newest failure
    works_since: datetime | None = None

    @property
    def is_failing(self) -> bool:
        return self.works_since is None

    @property
    def summary(self) -> str:
        """For `status`."""
        if not self.is_failing:
            return f"a write failed at {self.failed_at:%H:%M:%S} UTC ({self.because}), later ones succeeded."
        return (
            f"cannot be written since {self.since_at:%H:%M:%S} UTC ({self.because}). Jobs are still checked; "
            "until it works, nothing that is found is reported, and no restart is carried out."
        )


class StorageHealth:
    """Counts failed writes, and tells when an outage began and whether it is over."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._outage: StorageOutage | None = None
        self._has_write_ended = True
        self._stalled_looks = 0
        self.failed_writes = 0  # since the process began

    def note(self, fault: str, took_s: float) -> None:
        """Take note of how a write ended: `fault` is "" when it was committed. `took_s`: its duration."""
        now, outage = self._clock.now(), self.outage
        self._has_write_ended = True  # or failed: it ended
        if fault:
            self.failed_writes += 1
            since_at = outage.since_at if outage else now - timedelta(seconds=took_s)
            self._outage = StorageOutage(since_at, fault, failed_at=now)
        elif outage is not None and outage.is_failing:
            self._outage = replace(outage, works_since=now)

    def look(self, *, every_s: float) -> None:
        """Notice a disk that hangs, so that no write ends. Call it every `every_s` while there are writes.

        Counted in looks and not in time, so that a process that was stopped for a while accuses nobody.
        """
        self._stalled_looks = 0 if self._has_write_ended else self._stalled_looks + 1
        self._has_write_ended = False
        if self._stalled_looks * every_s >= STALLED_AFTER_S:
            self.note(f"no write has ended for {STALLED_AFTER_S:.0f} s, its disk may hang", STALLED_AFTER_S)
            self._stalled_looks = 0

    @property
    def outage(self) -> StorageOutage | None:
        """The outage that is going on; None while writes succeed."""
        outage = self._outage
        # The absolute value ends it also when the clock was set back.
        if (
            outage is not None
            and not outage.is_failing
            and abs(self._clock.now() - outage.failed_at) >= CALM_FOR
        ):
            self._outage = None
        return self._outage

    @property
    def retry_s(self) -> float:
        """In how many seconds a check that could not be stored should be repeated."""
        outage = self.outage
        lasted_s = (self._clock.now() - outage.since_at).total_seconds() if outage else 0.0
        return max(MIN_RETRY_S, min(MAX_RETRY_S, RETRY_SHARE * lasted_s))
