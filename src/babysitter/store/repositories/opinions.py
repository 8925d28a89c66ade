"""Second opinions on incidents and watches, what was said for them, and who asked for one."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from babysitter.model.ids import IncidentId, Person, WatchId
from babysitter.model.incident import Incident, IncidentStatus
from babysitter.model.opinion import OpinionRecord, OpinionRequest
from babysitter.store.codec import codec, from_json
from babysitter.store.connection import Connection
from babysitter.store.repositories.advisor_budget import MICRO
from babysitter.store.rows import incident_from
from babysitter.store.schema.advisor_tables import opinion_requests, opinions, watch_opinions
from babysitter.store.schema.tables import incidents


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
            incidents.c.status.not_in(
                [incident_status for incident_status in IncidentStatus if incident_status.is_resolved]
            ),
            incidents.c.id.not_in(select(opinions.c.incident)),
        )
        rows = await self._connection.execute(asked.order_by(incidents.c.seq))
        return tuple(incident_from(row._mapping, from_json) for row in rows)

    async def request(self, request: OpinionRequest) -> bool:
        """Store a person's request for an opinion; False when there is one already."""
        if await self.request_of(request.incident) is not None:
            return False
        await self._connection.execute(
            insert(opinion_requests).values(
                incident=request.incident, asked_at=request.asked_at, person=request.person
            )
        )
        return True

    async def request_of(self, incident: IncidentId) -> OpinionRequest | None:
        """The request that is not answered yet."""
        asked = select(opinion_requests).where(opinion_requests.c.incident == incident)
        row = (await self._connection.execute(asked)).first()
        return None if row is None else _request(row)

    async def requested(self) -> tuple[OpinionRequest, ...]:
        """Every request that is not answered yet, oldest first."""
        asked = select(opinion_requests).order_by(opinion_requests.c.asked_at, opinion_requests.c.incident)
        return tuple(_request(row) for row in await self._connection.execute(asked))

    async def close_request(self, incident: IncidentId) -> None:
        """It is answered, or nobody can answer it. Safe to repeat."""
        await self._connection.execute(
            delete(opinion_requests).where(opinion_requests.c.incident == incident)
        )

    async def put_of_watch(self, watch: WatchId, record: OpinionRecord) -> None:
        """Keep what came of asking about a watch without an incident, instead of what came earlier."""
        await self.mark_asked(watch, record.at)
        await self._connection.execute(
            update(watch_opinions)
            .where(watch_opinions.c.watch == watch)
            .values(body=codec(OpinionRecord).encode(record))
        )

    async def mark_asked(self, watch: WatchId, at: datetime) -> None:
        """Note that a watch is asked about now; what came of it earlier stays."""
        changed = await self._connection.execute(
            update(watch_opinions).where(watch_opinions.c.watch == watch).values(asked_at=at)
        )
        if not changed.rowcount:
            await self._connection.execute(insert(watch_opinions).values(watch=watch, asked_at=at, body=None))

    async def asked_since(self, since: datetime) -> frozenset[WatchId]:
        """The watches that were asked about since then."""
        asked = select(watch_opinions.c.watch).where(watch_opinions.c.asked_at > since)
        return frozenset(WatchId(row.watch) for row in await self._connection.execute(asked))

    async def of_watch(self, watch: WatchId) -> OpinionRecord | None:
        """The newest opinion on a watch without an incident."""
        body = await self._connection.scalar(
            select(watch_opinions.c.body).where(watch_opinions.c.watch == watch)
        )
        return None if body is None else codec(OpinionRecord).decode(body)


def _request(row: Row[Any]) -> OpinionRequest:
    return OpinionRequest(IncidentId(row.incident), Person(row.person), row.asked_at)
