"""Clusters that were named on a command line: what another process needs to open them again."""

from collections.abc import Mapping

from sqlalchemy import delete, insert, select

from babysitter.store.connection import Connection
from babysitter.store.schema.tables import clusters


class ClusterRepository:
    """Keeps descriptions by name; what they say is not this room's business."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, name: str, description: str) -> None:
        await self._connection.execute(delete(clusters).where(clusters.c.name == name))
        await self._connection.execute(insert(clusters).values(name=name, description=description))

    async def all(self) -> Mapping[str, str]:
        rows = await self._connection.execute(select(clusters))
        return {row.name: row.description for row in rows}
