"""Second opinions on incidents, what they cost, and what was said for them."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select

from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident, IncidentStatus
from babysitter.model.opinion import OpinionRecord
from babysitter.store.codec import codec, from_json
from babysitter.store.connection import Connection
from babysitter.store.rows import incident_from
from babysitter.store.tables import incidents, opinions

MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Spent:
    """What opinions cost since a moment. `cost_usd`: of those whose model has a price."""

    opinions: int = 0
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


class OpinionRepository:
    """Reads and writes opinions inside one transaction. One for each incident, the newest."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, record: OpinionRecord) -> None:
        """Keep the opinion on an incident, instead of an earlier one."""
        await self._connection.execute(delete(opinions).where(opinions.c.incident == record.incident))
        await self._connection.execute(
            insert(opinions).values(
                incident=record.incident,
                at=record.at,
                fingerprint=record.fingerprint,
                calls=record.calls,
                tokens=record.tokens,
                cost_micros=None if record.cost_usd is None else round(record.cost_usd * MICRO),
                body=codec(OpinionRecord).encode(record),
            )
        )

    async def of(self, incident: IncidentId) -> OpinionRecord | None:
        """The opinion on an incident, if it was asked for."""
        body = await self._connection.scalar(select(opinions.c.body).where(opinions.c.incident == incident))
        return None if body is None else codec(OpinionRecord).decode(body)

    async def with_fingerprint(self, fingerprint: str) -> OpinionRecord | None:
        """The newest answer to exactly this question."""
        asked = select(opinions.c.body).where(opinions.c.fingerprint == fingerprint)
        body = await self._connection.scalar(asked.order_by(opinions.c.seq.desc()).limit(1))
        return None if body is None else codec(OpinionRecord).decode(body)

    async def unasked(self, since: datetime) -> tuple[Incident, ...]:
        """Incidents opened since then and not resolved that were not asked about, oldest first."""
        asked = select(incidents).where(
            incidents.c.opened_at >= since,
            incidents.c.status.not_in([each for each in IncidentStatus if each.is_resolved]),
            incidents.c.id.not_in(select(opinions.c.incident)),
        )
        rows = await self._connection.execute(asked.order_by(incidents.c.seq))
        return tuple(incident_from(row._mapping, from_json) for row in rows)

    async def spent(self, since: datetime) -> Spent:
        """What all opinions since then cost."""
        total = select(
            func.count().label("number"),
            func.coalesce(func.sum(opinions.c.calls), 0).label("calls"),
            func.coalesce(func.sum(opinions.c.tokens), 0).label("tokens"),
            func.coalesce(func.sum(opinions.c.cost_micros), 0).label("micros"),
        ).where(opinions.c.at >= since)
        row = (await self._connection.execute(total)).first()
        if row is None:
            return Spent()
        return Spent(row.number, int(row.calls), int(row.tokens), int(row.micros) / MICRO)
