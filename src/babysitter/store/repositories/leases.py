"""Who owns what. A lease holds while its owner gives signs of life; the fence outdates former owners."""

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from babysitter.errors import FactsChanged
from babysitter.model.ids import ReplicaId
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import leases, replicas


class LeaseRepository:
    """Reads and writes leases inside one transaction.

    A replica renews all its leases with one row, its sign of life. Taking over raises the fence: what
    the former owner writes later, under the old fence, is refused.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def beat(self, replica: ReplicaId, *, until: datetime, about: str = "") -> None:
        """Give a sign of life that lasts `until`, and say how it goes."""
        changed = await self._connection.execute(
            update(replicas).where(replicas.c.id == replica).values(alive_until=until, about=about)
        )
        if changed.rowcount == 0:
            await self._connection.execute(
                insert(replicas).values(id=replica, alive_until=until, about=about)
            )

    async def leave(self, replica: ReplicaId) -> None:
        """Give everything back at once."""
        await self._connection.execute(delete(replicas).where(replicas.c.id == replica))
        await self._connection.execute(update(leases).where(leases.c.owner == replica).values(owner=""))

    async def alive(self, *, now: datetime) -> Mapping[ReplicaId, str]:
        """Replicas that gave a sign of life, and what is known of them."""
        rows = await self._connection.execute(select(replicas).where(replicas.c.alive_until > now))
        return {ReplicaId(row.id): row.about for row in rows}

    async def owner_of(self, name: str, *, now: datetime) -> ReplicaId | None:
        """Who holds a lease, if it is held."""
        owner = await self._connection.scalar(select(leases.c.owner).where(leases.c.name == name))
        return ReplicaId(owner) if owner and owner in await self.alive(now=now) else None

    async def claim(self, names: Collection[str], replica: ReplicaId, *, now: datetime) -> Mapping[str, int]:
        """Take what is free or was left behind, keep what is ours; the fences of all that we hold now."""
        living = await self.alive(now=now)
        rows = await self._connection.execute(select(leases).where(leases.c.name.in_(list(names))))
        known = {row.name: row for row in rows}
        held: dict[str, int] = {}
        for name in names:
            row = known.get(name)
            if row is None:
                await self._connection.execute(insert(leases).values(name=name, owner=replica, fence=1))
                held[name] = 1
            elif row.owner == replica and replica in living:
                held[name] = row.fence
            elif row.owner not in living:
                await self._connection.execute(
                    update(leases).where(leases.c.name == name).values(owner=replica, fence=row.fence + 1)
                )
                held[name] = row.fence + 1
        return held

    async def must_hold(self, name: str, fence: int) -> None:
        """Raises FactsChanged when the lease has gone to somebody else since it had this fence."""
        newest = await self._connection.scalar(select(leases.c.fence).where(leases.c.name == name))
        if newest != fence:
            raise FactsChanged(f"Another babysit process has taken over '{name}'; this one steps back.")
