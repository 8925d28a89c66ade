"""Profiles of runs that ended well, the newest few of each program: what a later run is compared with."""

import zstandard
from sqlalchemy import delete, insert, select

from babysitter.model.run_profile import RunProfile
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import run_profiles

KEPT_PER_PROGRAM = 5
MAX_PROFILES = 5000  # of all programs; a profile takes some 2 kB


class RunProfileRepository:
    """Keeps and gives back profiles inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def keep(self, cluster: str, profile: RunProfile) -> None:
        """Keep the profile of a run that has ended; the same run again replaces it. Idempotent.

        The profile is redacted by the caller. Of each program, and of all, the oldest are deleted.
        """
        table = run_profiles
        same = (table.c.cluster == cluster, table.c.job == profile.job, table.c.ended_at == profile.ended_at)
        await self._connection.execute(delete(table).where(*same))
        await self._connection.execute(
            insert(table).values(
                cluster=cluster,
                program=profile.program,
                job=profile.job,
                ended_at=profile.ended_at,
                body=zstandard.compress(codec(RunProfile).encode(profile).encode()),
            )
        )
        of_program = (table.c.cluster == cluster, table.c.program == profile.program)
        for belongs, most in ((of_program, KEPT_PER_PROGRAM), ((), MAX_PROFILES)):
            newest = select(table.c.seq).where(*belongs).order_by(table.c.seq.desc())
            last = newest.offset(most).limit(1).scalar_subquery()
            await self._connection.execute(delete(table).where(*belongs, table.c.seq <= last))

    async def newest(self, cluster: str, program: str) -> tuple[int, ...]:
        """Row numbers of a program's profiles, the newest first: a cheap question whether any is new."""
        table = run_profiles
        asked = select(table.c.seq).where(table.c.cluster == cluster, table.c.program == program)
        rows = await self._connection.execute(asked.order_by(table.c.seq.desc()).limit(KEPT_PER_PROGRAM))
        return tuple(row.seq for row in rows)

    async def of(self, cluster: str, program: str) -> tuple[RunProfile, ...]:
        """A program's profiles, the newest first."""
        table = run_profiles
        asked = select(table.c.body).where(table.c.cluster == cluster, table.c.program == program)
        rows = await self._connection.execute(asked.order_by(table.c.seq.desc()).limit(KEPT_PER_PROGRAM))
        return tuple(codec(RunProfile).decode(zstandard.decompress(row.body).decode()) for row in rows)
