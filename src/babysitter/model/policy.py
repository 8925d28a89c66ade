"""What people want: who may approve, what to keep quiet about, and when."""

from dataclasses import dataclass
from datetime import datetime, time

from babysitter.model.finding import Cause
from babysitter.model.ids import Person


@dataclass(frozen=True, slots=True)
class Silence:
    """Incidents that match are recorded and not told. `jobs` is a shell pattern over full job ids."""

    jobs: str = "*"
    causes: frozenset[Cause] = frozenset()  # empty = every cause
    until: datetime | None = None  # None = until removed
    why: str = ""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Between these local times only fatal incidents are told; the rest waits for the morning digest."""

    begins: time
    ends: time
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Policy:
    """`approvers`: asked in this order, each tier for one expiry period; empty = the watch's owner only."""

    approvers: tuple[tuple[Person, ...], ...] = ()
    silences: tuple[Silence, ...] = ()
    quiet_hours: QuietHours | None = None
    reminder_share: float = 0.5  # remind after this share of the expiry period
