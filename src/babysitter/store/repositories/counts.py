"""How many there are of what: counted in the database, however many watches it holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select

from babysitter.model.proposal import ProposalStatus
from babysitter.store.connection import Connection
from babysitter.store.repositories.outbox_due import UNFINISHED
from babysitter.store.schema.tables import deliveries, inbox, incidents, proposals, watches


@dataclass(frozen=True, slots=True)
class Counts:
    """What stands in the database at one moment. `earliest_due_at` None = nothing is due, ever."""

    watches: Mapping[str, int]  # by phase; stopped ones left out
    incidents: Mapping[str, int]  # open, by cause
    proposals: int  # open or snoozed
    untold: Mapping[str, int]  # messages that wait, by notifier
    undecided: int  # answers that came in and are not decided
    earliest_due_at: datetime | None


class CountQueries:
    """Counts inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def count(self) -> Counts:
        standing = (ProposalStatus.OPEN.value, ProposalStatus.SNOOZED.value)
        offered = select(func.count()).select_from(proposals).where(proposals.c.status.in_(standing))
        earliest = select(func.min(watches.c.due_at)).where(watches.c.stopped_at.is_(None))
        return Counts(
            watches=await self._by(watches.c.phase, watches.c.stopped_at.is_(None)),
            incidents=await self._by(incidents.c.cause, incidents.c.ended_at.is_(None)),
            proposals=int(await self._connection.scalar(offered)),
            untold=await self._by(deliveries.c.notifier, deliveries.c.state.in_([*UNFINISHED])),
            undecided=int(await self._connection.scalar(select(func.count()).select_from(inbox))),
            earliest_due_at=await self._connection.scalar(earliest),
        )

    async def _by(self, column: ColumnElement[str], holds: ColumnElement[bool]) -> Mapping[str, int]:
        asked = select(column.label("name"), func.count().label("many")).where(holds).group_by(column)
        return {row.name: row.many for row in await self._connection.execute(asked)}
