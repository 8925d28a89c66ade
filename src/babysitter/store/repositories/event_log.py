"""What happened, in order, never changed. One encoder, one decoder, for every kind."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, insert, select

from babysitter.model.events import EVENT_KINDS, Event
from babysitter.model.ids import WatchId
from babysitter.redact import redact
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import events


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with its number; numbers only grow, and serve as cursors."""

    number: int
    event: Event


class EventLog:
    """Append, and read in order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def append(self, *happened: Event) -> None:
        """Write events down in this order, in the transaction that made them true."""
        if happened:
            rows = [
                {"kind": other.kind, "at": other.at, "watch": other.watch, "body": encode(other)}
                for other in happened
            ]
            await self._connection.execute(insert(events), rows)

    async def after(
        self, number: int, *, watches: Collection[WatchId] | None = None, at_most: int = 1_000
    ) -> tuple[StoredEvent, ...]:
        """Events younger than `number`, oldest first. `watches` None = of everything."""
        asked = select(events).where(events.c.seq > number).order_by(events.c.seq).limit(at_most)
        if watches is not None:
            asked = asked.where(events.c.watch.in_(list(watches)))
        rows = await self._connection.execute(asked)
        return tuple(StoredEvent(row.seq, decode(row.kind, row.body)) for row in rows)

    async def newest_number(self) -> int:
        """The number of the last event, 0 when nothing happened yet."""
        return int((await self._connection.scalar(select(func.max(events.c.seq)))) or 0)


# Fields whose sentences may quote a job, a cluster or a command.
_SENTENCES = ("because", "summary", "outcome", "detail", "trouble", "reason")


def encode(event: Event) -> str:
    """The event as it is stored, its sentences redacted."""
    shown: dict[str, Any] = {
        name: redact(words) for name in _SENTENCES if isinstance(words := getattr(event, name, None), str)
    }
    return codec(type(event)).encode(replace(event, **shown) if shown else event)


def decode(kind: str, body: str) -> Event:
    """The event of a stored row. Every kind that was ever written can be read."""
    return codec(EVENT_KINDS[kind]).decode(body)


def events_of(recorded: Sequence[StoredEvent]) -> tuple[Event, ...]:
    """The events without their numbers."""
    return tuple(stored.event for stored in recorded)
