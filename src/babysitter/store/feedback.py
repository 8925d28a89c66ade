"""What people said about diagnoses: labels for the rules that made them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from babysitter.model.ids import IncidentId, Person, RuleId
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.tables import feedback


@dataclass(frozen=True, slots=True)
class FeedbackLabel:
    """One person's word on one incident; the newest counts."""

    incident: IncidentId
    person: Person
    at: datetime
    was_right: bool
    rules: tuple[RuleId, ...] = ()


class FeedbackRepository:
    """Reads and writes labels inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, label: FeedbackLabel) -> None:
        await self._connection.execute(
            delete(feedback).where(feedback.c.incident == label.incident, feedback.c.person == label.person)
        )
        await self._connection.execute(
            insert(feedback).values(
                incident=label.incident,
                person=label.person,
                at=label.at,
                was_right=label.was_right,
                rules=codec(tuple[RuleId, ...]).encode(label.rules),
            )
        )

    async def all(self) -> Sequence[FeedbackLabel]:
        """Every label, oldest first."""
        rows = await self._connection.execute(select(feedback).order_by(feedback.c.at))
        return tuple(
            FeedbackLabel(
                IncidentId(row.incident),
                Person(row.person),
                row.at,
                row.was_right,
                codec(tuple[RuleId, ...]).decode(row.rules),
            )
            for row in rows
        )
