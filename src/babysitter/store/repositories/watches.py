"""Watches: what is promised to be looked after, what was last known of it, and when it is due."""

import shlex
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, delete, func, insert, select, update

from babysitter.errors import AlreadyWatched, NoSuchWatch
from babysitter.model.ids import JobId, WatchId
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.submission import Submission, SubmitContext
from babysitter.model.verdict import ProgressSummary, Verdict
from babysitter.model.watch import Neighbour, UnfinishedWatch, Watch
from babysitter.redact import redact
from babysitter.store.codec import codec, from_json
from babysitter.store.connection import Connection
from babysitter.store.rows import watch_from
from babysitter.store.schema.tables import wakes, watches

_ACTIVE = watches.c.stopped_at.is_(None)
KEPT_WAKES = 10_000


class WatchRepository:
    """Reads and writes watches inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, watch: Watch) -> None:
        """Write a new watch down and have it noticed. Raises AlreadyWatched for a job that has one."""
        other = await self.of_job(watch.root, watch.cluster)
        if other is not None:
            name = shlex.quote(watch.root)
            next_step = f"`babysit status {name}` shows how it is doing."
            if watch.resubmit is not None and watch.resubmit != other.resubmit:
                next_step = (
                    f"To change how it is submitted again, `babysit stop {name}`, then start it again."
                )
            raise AlreadyWatched(
                f"{watch.root} on '{watch.cluster}' is being watched already (as {other.id}).",
                next_step=next_step,
            )
        await self._connection.execute(insert(watches).values(id=watch.id, revision=0, **_columns(watch)))
        await self.announce(watch.id)

    async def get(self, watch: WatchId) -> Watch:
        """Raises NoSuchWatch."""
        found = await self._read(select(watches).where(watches.c.id == watch))
        if not found:
            raise NoSuchWatch(
                f"There is no watch '{watch}'.", next_step="`babysit list` shows what is watched."
            )
        return found[0]

    async def of_job(self, root: JobId, cluster: str) -> Watch | None:
        """The active watch of exactly this job."""
        asked = select(watches).where(watches.c.root == root, watches.c.cluster == cluster, _ACTIVE)
        found = await self._read(asked)
        return found[0] if found else None

    async def named(self, name: str, *, cluster: str = "") -> tuple[Watch, ...]:
        """Watches that a person may mean by a watch id or a job id (now or first), newest first."""
        asked = select(watches).where(
            (watches.c.id == name) | (watches.c.root == name) | (watches.c.first_root == name)
        )
        if cluster:
            asked = asked.where(watches.c.cluster == cluster)
        found = await self._read(asked.order_by(watches.c.created_at.desc()))
        return tuple(watch for watch in found if watch.stopped_at is None) or found

    async def all(self, *, with_stopped: bool = False) -> tuple[Watch, ...]:
        """Every watch, oldest first."""
        asked = select(watches).order_by(watches.c.created_at, watches.c.id)
        return await self._read(asked if with_stopped else asked.where(_ACTIVE))

    async def remembering(self, text: str) -> tuple[Watch, ...]:
        """Watches that go on and in whose stored memory this text stands, oldest first."""
        asked = select(watches).where(_ACTIVE, watches.c.due_at.is_not(None), watches.c.memory.contains(text))
        return await self._read(asked.order_by(watches.c.created_at, watches.c.id))

    async def of_cluster(self, cluster: str) -> tuple[WatchId, ...]:
        """Ids of the active watches of a cluster."""
        rows = await self._connection.execute(
            select(watches.c.id).where(watches.c.cluster == cluster, _ACTIVE).order_by(watches.c.created_at)
        )
        return tuple(WatchId(row.id) for row in rows)

    async def beside(self, watch: Watch) -> tuple[Neighbour, ...]:
        """The other active watches of the watch's cluster, oldest first."""
        rows = await self._connection.execute(
            select(watches.c.id, watches.c.root, watches.c.phase, watches.c.clear_at, watches.c.gone_since)
            .where(watches.c.cluster == watch.cluster, watches.c.id != watch.id, _ACTIVE)
            .order_by(watches.c.created_at, watches.c.id)
        )
        return tuple(
            Neighbour(WatchId(row.id), JobId(row.root), Phase(row.phase), row.clear_at, row.gone_since)
            for row in rows
        )

    async def save(self, watch: Watch, verdict: Verdict | None = None) -> bool:
        """Write a watch back; False, and nothing written, when somebody else wrote it since it was read.

        `verdict`: the one that led here, kept for `explain`; None keeps the earlier one.
        """
        values = _columns(watch)
        if verdict is not None:
            values["verdict"] = codec(Verdict).encode(replace(verdict, memory=Memory()))
        changed = await self._connection.execute(
            update(watches)
            .where(watches.c.id == watch.id, watches.c.revision == watch.revision)
            .values(revision=watch.revision + 1, **values)
        )
        return changed.rowcount == 1

    async def last_verdict(self, watch: WatchId) -> Verdict | None:
        """What the last check concluded, without its memory."""
        body = await self._connection.scalar(select(watches.c.verdict).where(watches.c.id == watch))
        return codec(Verdict).decode(body) if body else None

    async def wake(self, watch: WatchId, *, at: datetime) -> None:
        """Make a watch due at `at` if it was not due before that, and have it noticed."""
        await self._connection.execute(
            update(watches)
            .where(watches.c.id == watch, watches.c.due_at.is_(None) | (watches.c.due_at > at))
            .values(due_at=at)
        )
        await self.announce(watch)

    async def announce(self, watch: WatchId) -> None:
        """Tell the running service, in whatever process, that a watch was written by somebody else."""
        await self._connection.execute(insert(wakes).values(watch=watch))

    async def announced_after(self, number: int) -> tuple[int, tuple[WatchId, ...]]:
        """Watches announced since `number`, and the number to go on from."""
        rows = (await self._connection.execute(select(wakes).where(wakes.c.seq > number))).all()
        newest = max((row.seq for row in rows), default=number)
        return newest, tuple(dict.fromkeys(WatchId(row.watch) for row in rows))

    async def newest_announcement(self) -> int:
        return int((await self._connection.scalar(select(func.max(wakes.c.seq)))) or 0)

    async def forget_announcements(self) -> None:
        """Drop those that every service has long seen."""
        newest = await self.newest_announcement()
        await self._connection.execute(delete(wakes).where(wakes.c.seq <= newest - KEPT_WAKES))

    async def unfinished(self) -> tuple[UnfinishedWatch, ...]:
        """Every watch that is to be checked again, oldest first; cheap."""
        asked = select(watches.c.id, watches.c.root, watches.c.cluster, watches.c.due_at)
        asked = asked.where(_ACTIVE, watches.c.due_at.is_not(None), watches.c.phase != Phase.FINISHED)
        rows = await self._connection.execute(asked.order_by(watches.c.created_at, watches.c.id))
        return tuple(
            UnfinishedWatch(WatchId(row.id), JobId(row.root), row.cluster, row.due_at) for row in rows
        )

    async def due_times(
        self, of: Collection[WatchId] | None = None, *, now: datetime
    ) -> Mapping[WatchId, datetime | None]:
        """When each watch is due; None = never again. `of` None = every active watch that is due at all.

        One that was written in the future is due `now`: the clock was set back since.
        """
        written_at = func.coalesce(watches.c.last_checked_at, watches.c.created_at)
        asked = select(
            watches.c.id, watches.c.due_at, watches.c.stopped_at, (written_at > now).label("is_ahead")
        )
        if of is None:
            asked = asked.where(_ACTIVE, watches.c.due_at.is_not(None))
        else:
            asked = asked.where(watches.c.id.in_(list(of)))
        rows = await self._connection.execute(asked)
        return {WatchId(row.id): None if row.stopped_at else _due_at(row, now) for row in rows}

    async def _read(self, asked: Select[Any]) -> tuple[Watch, ...]:
        return tuple(watch_from(row._mapping, from_json) for row in await self._connection.execute(asked))


def _due_at(row: Row[Any], now: datetime) -> datetime | None:
    due_at: datetime | None = row.due_at
    return min(due_at, now) if due_at is not None and row.is_ahead else due_at


def _columns(watch: Watch) -> dict[str, object]:
    return {
        "root": watch.root,
        "first_root": watch.first_root,
        "cluster": watch.cluster,
        "kind": watch.kind,
        "phase": watch.phase,
        "created_at": watch.created_at,
        "due_at": watch.due_at,
        "stopped_at": watch.stopped_at,
        "last_checked_at": watch.last_checked_at,
        "owner": watch.owner,
        "restarts": watch.restarts,
        "trouble": redact(watch.trouble),
        "fence": watch.fence,
        "memory": codec(Memory).encode(watch.memory),
        "limits": codec(Limits).encode(watch.limits),
        "resubmit": codec(Submission).encode(watch.resubmit) if watch.resubmit else None,
        "submit_context": codec(SubmitContext).encode(watch.submit_context),
        "outlook": codec(ProgressSummary).encode(watch.outlook) if watch.outlook else None,
        "clear_at": watch.memory.clear_at,
        "gone_since": watch.memory.gone_since,
        "follow": watch.follow or None,
    }
