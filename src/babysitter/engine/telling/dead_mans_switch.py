"""Heartbeat for a dead-man's switch, which alerts when the heartbeat stops, for whatever reason.

The heartbeat says "jobs are being looked after", not "a process exists". So it is withheld while that is not
true: while the database cannot be written, a cluster cannot be seen, or checks are late.
"""

from collections.abc import Collection, Mapping
from datetime import timedelta
from enum import StrEnum

import structlog

from babysitter.clock import Clock
from babysitter.engine.storage_health import StorageHealth
from babysitter.model.ids import WatchId
from babysitter.model.watch import UnfinishedWatch
from babysitter.notify.heartbeat import HeartbeatSender

LATE_AFTER = timedelta(minutes=5)
HEARTBEATS_SENT, HEARTBEATS_WITHHELD = "heartbeats_sent", "heartbeats_withheld"

log = structlog.get_logger()


class HeartbeatDecision(StrEnum):
    """Why a heartbeat is sent, or withheld."""

    WORKING = "jobs are looked after"
    NOT_SERVING = "this process does not hold the lease"
    NOT_STORED = "the database cannot be written"
    BLIND = "a cluster with watched jobs cannot be seen"
    LATE = "a check is more than 5 min late"

    @property
    def is_sent(self) -> bool:
        return self is HeartbeatDecision.WORKING


def decide_heartbeat(
    *, is_serving: bool, can_store: bool, blind_clusters: Collection[str], late: timedelta
) -> HeartbeatDecision:
    """Whether the service may claim to look after its jobs. `late`: of the most overdue check."""
    if not is_serving:
        return HeartbeatDecision.NOT_SERVING
    if not can_store:
        return HeartbeatDecision.NOT_STORED
    if blind_clusters:
        return HeartbeatDecision.BLIND
    return HeartbeatDecision.LATE if late > LATE_AFTER else HeartbeatDecision.WORKING


class DeadMansSwitch:
    """Sends one heartbeat per interval.

    `blind`: watches whose cluster the last check could not see. `counts`: where heartbeats are counted.
    """

    def __init__(
        self,
        sender: HeartbeatSender,
        health: StorageHealth,
        blind: Mapping[WatchId, str],
        clock: Clock,
        *,
        counts: dict[str, int],
    ) -> None:
        self._sender = sender
        self._health = health
        self._blind = blind
        self._clock = clock
        self._last: HeartbeatDecision | None = None
        self._counts = counts

    async def beat(self, watches: Collection[UnfinishedWatch], *, is_serving: bool) -> HeartbeatDecision:
        """Send a heartbeat, or withhold it. Raises Unreachable when it cannot be sent.

        `watches`: everything that is being watched.
        """
        now, outage = self._clock.now(), self._health.outage
        decision = decide_heartbeat(
            is_serving=is_serving,
            can_store=outage is None or not outage.is_failing,
            blind_clusters={self._blind[watch.id] for watch in watches if watch.id in self._blind},
            late=max((now - watch.due_at for watch in watches), default=timedelta()),
        )
        if decision is not self._last:
            log.info("heartbeat_decision", reason=decision.value, is_sent=decision.is_sent)
            self._last = decision
        if decision.is_sent:
            await self._sender.send()
        kind = HEARTBEATS_SENT if decision.is_sent else HEARTBEATS_WITHHELD
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return decision
