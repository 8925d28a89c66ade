"""Answers that came in and are not decided yet: written down before their arrival is acknowledged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from babysitter.model.proposal import Surface
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import inbox


@dataclass(frozen=True, slots=True)
class PendingClick:
    """`id` is the same for every delivery of one answer; what `body` says is its door's business."""

    id: str
    door: Surface
    came_at: datetime
    body: str


class Inbox:
    """Reads and writes the inbox inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, incoming: PendingClick) -> None:
        """Keep an answer; one that is kept already stays as it is."""
        known = select(inbox.c.id).where(inbox.c.id == incoming.id)
        if await self._connection.scalar(known) is None:
            await self._connection.execute(
                insert(inbox).values(
                    id=incoming.id,
                    door=incoming.door.value,
                    came_at=incoming.came_at,
                    body=incoming.body,
                )
            )

    async def of(self, door: Surface) -> Sequence[PendingClick]:
        """What came in by this door, oldest first."""
        asked = select(inbox).where(inbox.c.door == door.value).order_by(inbox.c.came_at, inbox.c.id)
        rows = await self._connection.execute(asked)
        return tuple(PendingClick(row.id, Surface(row.door), row.came_at, row.body) for row in rows)

    async def take_out(self, incoming: str) -> bool:
        """Remove an answer that is decided. Return False, and do no harm, when it is gone already."""
        removed = await self._connection.execute(delete(inbox).where(inbox.c.id == incoming))
        return removed.rowcount == 1
