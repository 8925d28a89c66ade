"""Blocks until something happens to a watch: one call instead of ninety questions.

The cursor is the number of an event. Handing the cursor of one answer to the next call misses nothing, and
a call whose cursor lies before an event answers at once.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from babysitter.engine.app import App
from babysitter.errors import UserError
from babysitter.model.events import (
    Event,
    IncidentOpened,
    IncidentWorsened,
    JobFinished,
    RestartProposed,
    StageChanged,
    WatchStopped,
)
from babysitter.model.ids import WatchId
from babysitter.model.phase import Phase
from babysitter.model.watch import Watch
from babysitter.store.repositories.event_log import StoredEvent
from babysitter.store.rows import outage_watch
from babysitter.waits import waiting_for

LOOK_EVERY = timedelta(seconds=1)


class WaitCondition(StrEnum):
    """What a caller may wait for."""

    INCIDENT = "incident"  # opened, worse, or offered a restart
    STAGE = "stage"
    TERMINAL = "terminal"  # the job ended, or the watch did


class WakeReason(StrEnum):
    """Why the waiting is over."""

    INCIDENT = "incident"
    STAGE = "stage"
    TERMINAL = "terminal"
    TIME_LIMIT = "time-limit"


_WAKES: dict[type[Event], WaitCondition] = {
    IncidentOpened: WaitCondition.INCIDENT,
    IncidentWorsened: WaitCondition.INCIDENT,
    RestartProposed: WaitCondition.INCIDENT,
    StageChanged: WaitCondition.STAGE,
    JobFinished: WaitCondition.TERMINAL,
    WatchStopped: WaitCondition.TERMINAL,
}


@dataclass(frozen=True, slots=True)
class WaitResult:
    """`news`: everything since the cursor that was handed in. `cursor`: hand it to the next call."""

    woken: WakeReason
    cursor: int
    watch: Watch
    news: tuple[Event, ...]


async def wait_for(
    app: App,
    watch: WatchId,
    *,
    until: Collection[WaitCondition] = frozenset(WaitCondition),
    cursor: int | None = None,
    at_most_s: float,
) -> WaitResult:
    """Return when one of `until` has happened since `cursor`, the watch has ended, or the time is up.

    `cursor` None: from now on, except that an open incident or an ended job is told at once. Raises UserError
    for a cursor that no answer can have held.
    """
    deadline = app.clock.now() + timedelta(seconds=at_most_s)
    if cursor is None:
        cursor, at_once = await _as_it_stands(app, watch, until)
        if at_once is not None:
            return await _waited(app, watch, at_once, cursor, ())
    else:
        await _must_be_past(app, cursor)
    async with app.store.reading() as tx:
        root = (await tx.watches.get(watch)).root
    with waiting_for(f"{_in_words(until)} of {root}"):
        return await _next_of(app, watch, until, cursor, deadline)


async def _next_of(
    app: App, watch: WatchId, until: Collection[WaitCondition], cursor: int, deadline: datetime
) -> WaitResult:
    """Look for events after `cursor` until one of them counts, or the deadline has passed."""
    news: list[StoredEvent] = []
    while True:
        async with app.store.reading() as tx:
            cluster = (await tx.watches.get(watch)).cluster
            fresh = await tx.events.after(cursor, watches=(watch, outage_watch(cluster)))
        news += fresh
        cursor = fresh[-1].number if fresh else cursor
        woken = _strongest([stored.event for stored in news], until)
        if woken is not None:
            return await _waited(app, watch, woken, cursor, news)
        now = app.clock.now()
        if now >= deadline:
            return await _waited(app, watch, WakeReason.TIME_LIMIT, cursor, news)
        await app.clock.sleep_until(min(deadline, now + LOOK_EVERY))


def _in_words(until: Collection[WaitCondition]) -> str:
    words = {
        WaitCondition.INCIDENT: "an incident",
        WaitCondition.STAGE: "the next stage",
        WaitCondition.TERMINAL: "the end",
    }
    *others, last = (
        (words[wait_condition] for wait_condition in WaitCondition if wait_condition in until)
        if until
        else ("the end",)
    )
    return f"{', '.join(others)} or {last}" if others else last


async def _must_be_past(app: App, cursor: int) -> None:
    """Refuse a cursor that nobody can have been given: waiting from there would miss everything."""
    async with app.store.reading() as tx:
        newest = await tx.events.newest_number()
    if not 0 <= cursor <= newest:
        raise UserError(
            f"{cursor} is not a cursor of an earlier answer.", next_step="Leave it out to wait from now on."
        )


def _strongest(news: Collection[Event], until: Collection[WaitCondition]) -> WakeReason | None:
    """The most important reason in the news; an end always wakes."""
    reasons = {_WAKES[type(event)] for event in news if type(event) in _WAKES}
    for reason in (WaitCondition.TERMINAL, WaitCondition.INCIDENT, WaitCondition.STAGE):
        if reason in reasons and (reason in until or reason is WaitCondition.TERMINAL):
            return WakeReason(reason.value)
    return None


async def _as_it_stands(
    app: App, watch: WatchId, until: Collection[WaitCondition]
) -> tuple[int, WakeReason | None]:
    """The cursor of now, and what need not be waited for."""
    async with app.store.reading() as tx:
        found = await tx.watches.get(watch)
        cursor = await tx.events.newest_number()
        incidents = await tx.incidents.incidents_of((watch,), only_open=True)
    if found.phase is Phase.FINISHED or found.stopped_at is not None:
        return cursor, WakeReason.TERMINAL
    return cursor, WakeReason.INCIDENT if incidents and WaitCondition.INCIDENT in until else None


async def _waited(
    app: App, watch: WatchId, woken: WakeReason, cursor: int, news: Collection[StoredEvent]
) -> WaitResult:
    async with app.store.reading() as tx:
        found = await tx.watches.get(watch)
    return WaitResult(woken, cursor, found, tuple(stored.event for stored in news))
