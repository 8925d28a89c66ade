"""Follows, and the runs of jobs that they have dealt with: what makes a job be watched once."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select

from babysitter.model.follow import Follow, FollowedWatch
from babysitter.model.ids import JobId, WatchId
from babysitter.model.phase import Phase
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import followed_jobs, follows, watches

_FOLLOW = codec(Follow)
AT_ONCE = 500  # values in one statement


class FollowRepository:
    """Reads and writes follows inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, follow: Follow) -> None:
        """Write a follow down, in place of an earlier one of the same id."""
        await self._connection.execute(delete(follows).where(follows.c.id == follow.id))
        values = {"id": follow.id, "cluster": follow.cluster, "stopped_at": follow.stopped_at}
        await self._connection.execute(insert(follows).values(body=_FOLLOW.encode(follow), **values))

    async def active(self) -> Sequence[Follow]:
        """Every follow that was not stopped, by id."""
        asked = select(follows.c.body).where(follows.c.stopped_at.is_(None)).order_by(follows.c.id)
        return tuple(_FOLLOW.decode(row.body) for row in await self._connection.execute(asked))

    async def handled(self, cluster: str, jobs: Collection[JobId]) -> Mapping[JobId, datetime | None]:
        """When each of these jobs was submitted, for those that were dealt with."""
        found: dict[JobId, datetime | None] = {}
        names = list(jobs)
        for start in range(0, len(names), AT_ONCE):
            asked = select(followed_jobs.c.job, followed_jobs.c.submitted_at).where(
                followed_jobs.c.cluster == cluster, followed_jobs.c.job.in_(names[start : start + AT_ONCE])
            )
            found |= {JobId(row.job): row.submitted_at for row in await self._connection.execute(asked)}
        return found

    async def handle(self, cluster: str, job: JobId, submitted_at: datetime | None) -> None:
        """Remember that this run of a job was dealt with."""
        key = (followed_jobs.c.cluster == cluster, followed_jobs.c.job == job)
        await self._connection.execute(delete(followed_jobs).where(*key))
        await self._connection.execute(
            insert(followed_jobs).values(cluster=cluster, job=job, submitted_at=submitted_at)
        )

    async def watches(self) -> Sequence[FollowedWatch]:
        """Unfinished watches that follows began, oldest first."""
        asked = select(watches.c.id, watches.c.root, watches.c.cluster, watches.c.follow).where(
            watches.c.follow.is_not(None), watches.c.stopped_at.is_(None), watches.c.phase != Phase.FINISHED
        )
        rows = await self._connection.execute(asked.order_by(watches.c.created_at, watches.c.id))
        return tuple(FollowedWatch(WatchId(row.id), JobId(row.root), row.cluster, row.follow) for row in rows)
