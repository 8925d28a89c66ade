"""Who the service tells, in words for people: written when it begins, read by `start` and `status`."""

import json
from collections.abc import Sequence

from sqlalchemy import select

from babysitter.store.connection import Connection
from babysitter.store.schema.tables import meta

KEY = "channels"


class ChannelRepository:
    """The descriptions of the notifiers of the service that began last. They hold no secrets."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def replace(self, descriptions: Sequence[str]) -> None:
        """Write down who is told from now on."""
        await self._connection.execute(meta.delete().where(meta.c.key == KEY))
        await self._connection.execute(meta.insert().values(key=KEY, value=json.dumps(list(descriptions))))

    async def all(self) -> tuple[str, ...]:
        """Return who is told, in the order of the settings; empty when nobody is, or no service began yet."""
        row = (await self._connection.execute(select(meta.c.value).where(meta.c.key == KEY))).first()
        return tuple(json.loads(row.value)) if row else ()
