"""Tells people directly when the outbox cannot be written, and when the service ends.

Every other message is a row first. These two kinds cannot be: one says that no row can be written, the other
that nobody will deliver rows. See messages/emergency_message.py for when and what.
"""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from babysitter.clock import Clock, has_come
from babysitter.engine.status_file import StatusFile
from babysitter.engine.storage_health import StorageHealth, StorageOutage
from babysitter.messages.emergency_message import (
    AGAIN_AFTER,
    EmergencyDecision,
    StorageEmergency,
    decide_emergency,
    last_message,
    storage_message,
    storage_works_message,
)
from babysitter.model.ids import JobId
from babysitter.model.message import Message
from babysitter.model.watch import UnfinishedWatch
from babysitter.notify.notifier import Notifier, NotifyError
from babysitter.store.store import Store

EMERGENCIES = "emergency_messages"
SEND_TIMEOUT_S = 15.0
LAST_TIMEOUT_S = 10.0
MAX_RETRY_S = 60.0
HORIZON = timedelta(minutes=6)  # no retry is further away; see notify/retry_after.py

log = structlog.get_logger()


@dataclass(slots=True)
class _Line:
    """One notifier. `pending`: what it has not taken yet."""

    notifier: Notifier
    pending: Message | None = None
    tries: int = 0
    retry_at: datetime | None = None


class EmergencyChannel:
    """Sends at most one message per 10 min about the database, which names every cluster with watched jobs.

    `wall_clock`: the real clock. `counts`: where messages are counted. What is watched is remembered while
    the database can be read.
    """

    def __init__(
        self,
        store: Store,
        notifiers: Sequence[Notifier],
        health: StorageHealth,
        status_file: StatusFile,
        wall_clock: Clock,
        *,
        counts: dict[str, int],
        host: str = "",
    ) -> None:
        self._store = store
        self._lines = [_Line(notifier) for notifier in notifiers]
        self._health = health
        self._status_file = status_file
        self._wall_clock = wall_clock
        self._host = host or socket.gethostname()
        self._jobs: dict[str, tuple[JobId, ...]] = {}
        self._sent_at: datetime | None = None
        self._told: StorageOutage | None = None  # the outage that people heard of and whose end they did not
        self._counts = counts

    def remember(self, watches: Sequence[UnfinishedWatch]) -> None:
        """Keep in mind what is being watched, for a time in which it cannot be read."""
        jobs: dict[str, tuple[JobId, ...]] = {}
        for watch in watches:
            jobs[watch.cluster] = (*jobs.get(watch.cluster, ()), watch.root)
        self._jobs = jobs

    async def attend(self) -> None:
        """Send what is due, and repeat what a notifier did not take."""
        now, outage = self._wall_clock.now(), self._health.outage
        since_at = outage.since_at if outage and outage.is_failing else None
        decision = decide_emergency(since_at, self._jobs, self._sent_at, now=now)
        if outage is not None and decision.is_due:
            about = StorageEmergency(outage.since_at, outage.because, self._jobs, self._host, now)
            # At first it may be over in a minute; who is on call is called when it lasts.
            message = storage_message(about, mentions_on_call=decision is EmergencyDecision.STILL)
            self._sent_at, self._told = now, outage
            self._counts[EMERGENCIES] = self._counts.get(EMERGENCIES, 0) + 1
            log.error("emergency_message_sent", because=outage.because, reason=decision.value)
            for line in self._lines:
                line.pending, line.tries, line.retry_at = message, 0, None
        if outage is not None and self._told is not None:
            self._told = outage  # with what is known of its end
        if outage is None:
            for line in self._lines:
                line.pending = None  # it is over: what was not taken is not true any more
            await self._tell_of_the_end_of_an_outage(now)
        await asyncio.gather(*(self._send(line) for line in self._lines))

    async def say_last(self, because: str, *, is_failure: bool) -> None:
        """Tell people that the service ends and what is not looked after any more; once in 10 min."""
        now, told_at = self._wall_clock.now(), self._status_file.end_told_at
        if not any(self._jobs.values()) or (told_at is not None and abs(now - told_at) < AGAIN_AFTER):
            return
        message = last_message(because, self._jobs, self._host, now=now, mentions_on_call=is_failure)
        self._status_file.note_end_told(now=now)
        for line in self._lines:
            line.pending, line.tries, line.retry_at = message, 0, None
        try:
            async with asyncio.timeout(LAST_TIMEOUT_S):
                await asyncio.gather(*(self._send(line) for line in self._lines))
        except TimeoutError:
            log.warning("last_message_not_sent", because="it took too long")

    async def _tell_of_the_end_of_an_outage(self, now: datetime) -> None:
        if self._told is None:
            return
        works_since = self._told.works_since or now
        message = storage_works_message(self._told.since_at, works_since, self._jobs, self._host, now=now)
        async with self._store.transaction() as tx:
            await tx.outbox.put(message)
        self._told = None

    async def _send(self, line: _Line) -> None:
        """One try. What fails stays pending and is repeated after a growing pause."""
        now, message = self._wall_clock.now(), line.pending
        if message is None or not has_come(line.retry_at, now, horizon=HORIZON):
            return
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await line.notifier.post(message, thread=None, is_repeat=line.tries > 0)
        except NotifyError as error:
            if error.is_final:
                line.pending = None
            because, asked_s = error.sentence, error.retry_after_s
        except TimeoutError:
            because, asked_s = "it took too long", None
        except Exception as fault:  # noqa: BLE001  the top of a delivery
            because, asked_s = f"a fault of babysit's own ({type(fault).__name__})", None
        else:
            line.pending = None
            return
        line.tries += 1
        pause_s = asked_s or min(MAX_RETRY_S, 2.0 ** min(line.tries, 10))
        line.retry_at = now + timedelta(seconds=pause_s)
        log.warning(
            "emergency_message_failed", notifier=line.notifier.name, because=because, retry_in_s=pause_s
        )
