"""Runs of ladders and the attempts at their steps. Whoever finds one half done can take it up from here."""

from collections.abc import Sequence

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from babysitter.errors import FactsChanged
from babysitter.model.ladder_run import LadderRun, StepAttempt
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import ladder_attempts, ladders

_RUN = codec(LadderRun)
_ATTEMPT = codec(StepAttempt)


class LadderRepository:
    """Reads and writes runs inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begin(self, run: LadderRun) -> None:
        await self._connection.execute(
            insert(ladders).values(
                id=run.id,
                ladder=run.ladder,
                begun_at=run.begun_at,
                ended_at=run.ended_at,
                body=_RUN.encode(run),
            )
        )

    async def save(self, run: LadderRun) -> None:
        """Store what has changed of a run."""
        await self._connection.execute(
            update(ladders).where(ladders.c.id == run.id).values(ended_at=run.ended_at, body=_RUN.encode(run))
        )

    async def newest(self, ladder: str) -> LadderRun | None:
        """The newest run of the ladder with this name."""
        asked = select(ladders.c.body).where(ladders.c.ladder == ladder).order_by(ladders.c.seq.desc())
        body = await self._connection.scalar(asked.limit(1))
        return _RUN.decode(body) if body else None

    async def all(self) -> Sequence[LadderRun]:
        """Every run, oldest first."""
        rows = await self._connection.execute(select(ladders.c.body).order_by(ladders.c.seq))
        return tuple(_RUN.decode(row.body) for row in rows)

    async def add(self, run: str, attempt: StepAttempt) -> None:
        """Write a new attempt down. Raises FactsChanged if another process has begun one meanwhile."""
        try:
            await self._connection.execute(insert(ladder_attempts).values(run=run, **_columns(attempt)))
        except IntegrityError as fault:
            raise FactsChanged(
                "Another process is running this ladder.",
                next_step="`babysit ladder status` shows how far it is.",
            ) from fault

    async def change(self, run: str, attempt: StepAttempt) -> None:
        """Store what has become of an attempt."""
        await self._connection.execute(
            update(ladder_attempts)
            .where(ladder_attempts.c.run == run, ladder_attempts.c.number == attempt.number)
            .values(**_columns(attempt))
        )

    async def attempts(self, run: str) -> Sequence[StepAttempt]:
        """Every attempt of a run, oldest first."""
        asked = select(ladder_attempts.c.body).where(ladder_attempts.c.run == run)
        rows = await self._connection.execute(asked.order_by(ladder_attempts.c.number))
        return tuple(_ATTEMPT.decode(row.body) for row in rows)


def _columns(attempt: StepAttempt) -> dict[str, object]:
    return {
        "number": attempt.number,
        "step": attempt.step,
        "state": attempt.state,
        "job": attempt.job,
        "body": _ATTEMPT.encode(attempt),
    }
