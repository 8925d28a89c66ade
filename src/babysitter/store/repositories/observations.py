"""Observations kept for replay: the newest few of each watch, compressed."""

import zstandard
from sqlalchemy import delete, insert, select

from babysitter.model.ids import WatchId
from babysitter.model.observation import Observation
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import observations

KEPT_PER_WATCH = 60


class ObservationRepository:
    """Keeps and gives back observations inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def keep(self, watch: WatchId, observation: Observation) -> None:
        """Keep this one, and let go of the oldest beyond the bound."""
        body = zstandard.compress(codec(Observation).encode(observation).encode())
        await self._connection.execute(
            insert(observations).values(watch=watch, taken_at=observation.taken_at, body=body)
        )
        last_kept = (
            select(observations.c.seq)
            .where(observations.c.watch == watch)
            .order_by(observations.c.seq.desc())
            .offset(KEPT_PER_WATCH)
            .limit(1)
            .scalar_subquery()
        )
        await self._connection.execute(
            delete(observations).where(observations.c.watch == watch, observations.c.seq <= last_kept)
        )

    async def of(self, watch: WatchId) -> tuple[Observation, ...]:
        """What is kept of a watch, oldest first."""
        asked = select(observations.c.body).where(observations.c.watch == watch).order_by(observations.c.seq)
        rows = await self._connection.execute(asked)
        return tuple(codec(Observation).decode(zstandard.decompress(row.body).decode()) for row in rows)
