"""A machine of a cluster."""

from dataclasses import dataclass
from datetime import datetime

from babysitter.model.ids import TaskId


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine as the cluster sees it."""

    id: str
    is_healthy: bool
    consecutive_failures: int = 0
    last_heartbeat_at: datetime | None = None
    tasks: tuple[TaskId, ...] = ()  # what runs there
    status: str = ""
