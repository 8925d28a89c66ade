"""Steps of running actions. Whoever finds one half done can take it up from here."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from babysitter.model.action import ActionStep, StepRecord, StepState, StoredAction
from babysitter.model.events import StepTaken
from babysitter.model.ids import ProposalId, WatchId
from babysitter.redact import redact
from babysitter.store.connection import Connection
from babysitter.store.repositories.event_log import EventLog
from babysitter.store.rows import step_from
from babysitter.store.schema.tables import actions, steps


class ActionRepository:
    """Reads and writes actions and their steps inside one transaction; every step is an event too."""

    def __init__(self, connection: Connection, events: EventLog) -> None:
        self._connection = connection
        self._events = events

    async def begin(self, proposal: ProposalId, watch: WatchId, *, now: datetime) -> None:
        """Open the action of an approval, in the transaction of the decision. Twice is harmless."""
        if await self.action(proposal) is None:
            await self._connection.execute(
                insert(actions).values(proposal=proposal, watch=watch, begun_at=now, outcome="")
            )

    async def end(self, proposal: ProposalId, outcome: str, *, now: datetime) -> bool:
        """Close an action; False when it was closed before."""
        changed = await self._connection.execute(
            update(actions)
            .where(actions.c.proposal == proposal, actions.c.ended_at.is_(None))
            .values(ended_at=now, outcome=redact(outcome))
        )
        return changed.rowcount == 1

    async def action(self, proposal: ProposalId) -> StoredAction | None:
        rows = await self._connection.execute(select(actions).where(actions.c.proposal == proposal))
        return next((StoredAction(**row._mapping) for row in rows), None)

    async def open_actions(self) -> tuple[StoredAction, ...]:
        """What is to be carried on, oldest first."""
        asked = select(actions).where(actions.c.ended_at.is_(None)).order_by(actions.c.begun_at)
        return tuple(StoredAction(**row._mapping) for row in await self._connection.execute(asked))

    async def open_action_of(self, watch: WatchId) -> StoredAction | None:
        asked = select(actions).where(actions.c.watch == watch, actions.c.ended_at.is_(None))
        rows = await self._connection.execute(asked.order_by(actions.c.begun_at).limit(1))
        return next((StoredAction(**row._mapping) for row in rows), None)

    async def write(
        self, action: StoredAction, step: ActionStep, state: StepState, detail: str = "", *, now: datetime
    ) -> None:
        """Note where a step stands, and that as an event. What a failed one says is redacted.

        An intention that is written again keeps the time of the first.
        """
        if state is StepState.FAILED:
            detail = redact(detail)
        before = (await self.taken(action.proposal)).get(step)
        is_again = before is not None and (before.state, before.detail) == (state, detail)
        at = before.at if before is not None and is_again and state is StepState.INTENDED else now
        await self._connection.execute(
            delete(steps).where(steps.c.proposal == action.proposal, steps.c.step == step)
        )
        await self._connection.execute(
            insert(steps).values(proposal=action.proposal, step=step, state=state, at=at, detail=detail)
        )
        await self._events.append(
            StepTaken(
                at=now, watch=action.watch, proposal=action.proposal, step=step, state=state, detail=detail
            )
        )

    async def taken(self, proposal: ProposalId) -> Mapping[ActionStep, StepRecord]:
        """Where each step stands; steps never begun are missing."""
        asked = select(steps).where(steps.c.proposal == proposal)
        records = (step_from(row._mapping) for row in await self._connection.execute(asked))
        return {record.step: record for record in records}
