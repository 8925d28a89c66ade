"""What people said about diagnoses: labels for the rules that made them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, func, insert, select

from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, RuleId
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.schema.tables import feedback


@dataclass(frozen=True, slots=True)
class FeedbackLabel:
    """One person's word on one incident; the newest counts."""

    incident: IncidentId
    person: Person
    at: datetime
    was_right: bool
    rules: tuple[RuleId, ...] = ()
    cause: Cause | None = None  # the true one, where the person said it


class FeedbackRepository:
    """Reads and writes labels inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, label: FeedbackLabel) -> None:
        await self.remove(label.incident, label.person)
        await self._connection.execute(
            insert(feedback).values(
                incident=label.incident,
                person=label.person,
                at=label.at,
                was_right=label.was_right,
                rules=codec(tuple[RuleId, ...]).encode(label.rules),
                cause=label.cause,
            )
        )

    async def remove(self, incident: IncidentId, person: Person) -> bool:
        """Take a person's word back; False when there was none."""
        changed = await self._connection.execute(
            delete(feedback).where(feedback.c.incident == incident, feedback.c.person == person)
        )
        return changed.rowcount > 0

    async def of(self, incident: IncidentId) -> Sequence[FeedbackLabel]:
        """What people said of one incident, oldest first."""
        return await self._labels(select(feedback).where(feedback.c.incident == incident))

    async def all(self) -> Sequence[FeedbackLabel]:
        """Every label, oldest first."""
        return await self._labels(select(feedback))

    async def newest(self) -> tuple[int, datetime | None]:
        """Something that changes with every word that is said or taken back."""
        asked = select(func.count().label("number"), func.max(feedback.c.at).label("at"))
        row = (await self._connection.execute(asked)).first()
        return (row.number, row.at) if row is not None else (0, None)

    async def _labels(self, asked: Select[Any]) -> Sequence[FeedbackLabel]:
        return tuple(
            FeedbackLabel(
                IncidentId(row.incident),
                Person(row.person),
                row.at,
                row.was_right,
                codec(tuple[RuleId, ...]).decode(row.rules),
                Cause(row.cause) if row.cause else None,
            )
            for row in await self._connection.execute(asked.order_by(feedback.c.at))
        )
