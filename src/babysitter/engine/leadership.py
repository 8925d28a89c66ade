"""Leader lease: acquire on start, renew by heartbeat, release on exit.

With SQLite one process serves a state folder. A lock on a file there says so: the system lets go of it when
the process ends, however it ends, so a killed service is followed at once. A process that asks whether one
runs tries another lock, which the service holds too: asking must not keep a service from beginning. The lease
in the database raises the fence each time, and every write of a check is refused under an older one.
"""

import json
import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from babysitter.clock import Clock
from babysitter.engine.service_lock import already_served, is_served, take_locks
from babysitter.errors import FactsChanged
from babysitter.model.ids import ReplicaId
from babysitter.store.store import Store

SERVICE = "service"
ALIVE_FOR = timedelta(seconds=15)
BEAT_INTERVAL_S = 5.0


@dataclass(frozen=True, slots=True)
class Lease:
    """What must still hold when something is written: nobody has taken over since."""

    name: str
    fence: int


class Leadership:
    """One process's time as the service. `lock_folder` None: several hosts share a database server."""

    def __init__(self, store: Store, wall_clock: Clock, *, lock_folder: Path | None) -> None:
        self.replica = ReplicaId(f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}")
        self._store = store
        self._wall_clock = wall_clock
        self._lock_folder = lock_folder
        self._locks: tuple[IO[str], ...] = ()
        self._lease: Lease | None = None

    @property
    def lease(self) -> Lease:
        """The lease held. Raises FactsChanged when there is none (any more)."""
        if self._lease is None:
            raise FactsChanged("This babysit process does not serve (any more).")
        return self._lease

    @property
    def is_held(self) -> bool:
        """Whether this process is the service, as far as it knows."""
        return self._lease is not None

    async def begin(self) -> None:
        """Become the service. Raises AlreadyServed when another process is."""
        if self._lock_folder is not None:
            self._locks = take_locks(self._lock_folder)
        now = self._wall_clock.now()
        async with self._store.transaction() as tx:
            owner = await tx.leases.owner_of(SERVICE, now=now)
            if owner is not None and self._locks:
                await tx.leases.leave(owner)  # it held the lock that we hold now: it has ended
            await tx.leases.beat(self.replica, until=now + ALIVE_FOR)
            held = await tx.leases.claim((SERVICE,), self.replica, now=now)
        if SERVICE not in held:
            await self.end()
            raise already_served(f"by {owner}")
        self._lease = Lease(SERVICE, held[SERVICE])

    async def renew(self, troubles: Mapping[str, str] | None = None) -> None:
        """Renew the heartbeat, with the faults of this process by part.

        Raises FactsChanged when another process has taken over meanwhile.
        """
        lease, now = self.lease, self._wall_clock.now()
        try:
            async with self._store.transaction() as tx:
                await tx.leases.must_hold(lease.name, lease.fence)
                about = json.dumps(dict(troubles or {}))
                await tx.leases.beat(self.replica, until=now + ALIVE_FOR, about=about)
        except FactsChanged:
            self._lease = None
            raise

    async def somebody_serves(self) -> bool:
        """Whether any process, this one or another, is the service right now."""
        if self._lease is not None:
            return True
        if self._lock_folder is not None:
            return is_served(self._lock_folder)
        async with self._store.reading() as tx:
            return await tx.leases.owner_of(SERVICE, now=self._wall_clock.now()) is not None

    async def end(self) -> None:
        """Give everything back, so that the next one need not wait.

        Raises StorageUnavailable when the lease stays written down: it ends by itself.
        """
        self._lease = None
        try:
            async with self._store.transaction() as tx:
                await tx.leases.leave(self.replica)
        finally:
            for lock in self._locks:
                lock.close()
            self._locks = ()


async def troubles_of(store: Store, *, now: datetime) -> dict[str, str]:
    """What the running service says is wrong with its parts; empty when nothing is, or none runs."""
    async with store.reading() as tx:
        living = await tx.leases.alive(now=now)
    return {part: words for about in living.values() if about for part, words in json.loads(about).items()}
