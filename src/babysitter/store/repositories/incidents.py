"""Incidents, proposals, decisions, restarts: what was found, offered, answered and done."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, insert, select, update

from babysitter.errors import FactsChanged, UserError
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, JobId, Person, ProposalId, WatchId
from babysitter.model.incident import BUDGET_WINDOW, Incident, IncidentKey, IncidentStatus, Ledger, Restart
from babysitter.model.message import MessageKind, Told
from babysitter.model.proposal import Answer, Decision, Proposal, ProposalStatus
from babysitter.model.verdict import Diagnosis
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.store.codec import codec, from_json
from babysitter.store.connection import Connection
from babysitter.store.rows import decision_from, incident_from, outage_watch, proposal_from
from babysitter.store.schema.tables import decisions, incidents, messages, proposals, restarts, watches

STATUS_OF_ANSWER = {
    Answer.YES: ProposalStatus.APPROVED,
    Answer.NO: ProposalStatus.DENIED,
    Answer.SNOOZE: ProposalStatus.SNOOZED,
}
TOLD_FOR = timedelta(days=1)
_OVER = [incident_status for incident_status in IncidentStatus if incident_status.is_over]
_OPEN_ONLY = frozenset({ProposalStatus.OPEN})


class IncidentRepository:
    """Reads and writes the ledger inside one transaction. Appends no events: the caller knows why."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def of(self, watch: Watch) -> Ledger:
        """Everything of this watch so far, and the incidents of its cluster."""
        found = await self.incidents_of((watch.id, outage_watch(watch.cluster)))
        if not found:
            return Ledger()  # without an incident nothing was ever proposed, decided, restarted or told
        offered = await self._proposals(select(proposals).where(proposals.c.watch == watch.id))
        asked = select(decisions).where(decisions.c.proposal.in_([proposal.id for proposal in offered]))
        answered = await self._connection.execute(asked.order_by(decisions.c.seq)) if offered else ()
        return Ledger(
            incidents=found,
            proposals=offered,
            decisions=tuple(decision_from(row._mapping) for row in answered),
            restarts=await self._restarts_of_job(watch),
            told=await self._told_of(found),
        )

    async def incident(self, incident: IncidentId) -> Incident | None:
        rows = await self._connection.execute(select(incidents).where(incidents.c.id == incident))
        return next((incident_from(row._mapping, from_json) for row in rows), None)

    async def incidents_of(self, of: Collection[WatchId], *, only_open: bool = False) -> tuple[Incident, ...]:
        """Incidents of these watches, oldest first."""
        asked = select(incidents).where(incidents.c.watch.in_(list(of))).order_by(incidents.c.seq)
        if only_open:
            asked = asked.where(incidents.c.status.not_in(_OVER))
        return tuple(incident_from(row._mapping, from_json) for row in await self._connection.execute(asked))

    async def all(self) -> tuple[Incident, ...]:
        """Every incident that was ever opened, oldest first."""
        asked = select(incidents).order_by(incidents.c.seq)
        return tuple(incident_from(row._mapping, from_json) for row in await self._connection.execute(asked))

    async def open_incidents(self) -> tuple[Incident, ...]:
        """Every incident that is not over, oldest first."""
        asked = select(incidents).where(incidents.c.status.not_in(_OVER)).order_by(incidents.c.seq)
        return tuple(incident_from(row._mapping, from_json) for row in await self._connection.execute(asked))

    async def inhibitor_of(self, watch: Watch) -> IncidentId | None:
        """An open incident of a watch on an ancestor of this watch's job."""
        segments = watch.root.split("/")
        ancestors = ["/".join(segments[:length]) for length in range(3, len(segments))]
        if not ancestors:
            return None
        asked = (
            select(incidents.c.id)
            .join(watches, watches.c.id == incidents.c.watch)
            .where(
                watches.c.cluster == watch.cluster,
                watches.c.root.in_(ancestors),
                incidents.c.status.not_in(_OVER),
            )
            .order_by(incidents.c.seq)
            .limit(1)
        )
        found = await self._connection.scalar(asked)
        return IncidentId(found) if found else None

    async def open_incident(
        self, incident: IncidentId, key: IncidentKey, diagnosis: Diagnosis, *, now: datetime
    ) -> bool:
        """Write a new incident down; False when it is known already."""
        if await self.incident(incident) is not None:
            return False
        await self._connection.execute(
            insert(incidents).values(
                id=incident,
                watch=key.watch,
                cause=key.cause,
                attempt=key.attempt,
                status=IncidentStatus.OPEN,
                opened_at=now,
                updated_at=now,
                count=1,
                outcome="",
                diagnosis=codec(Diagnosis).encode(diagnosis),
            )
        )
        return True

    async def repeat_incident(self, incident: IncidentId, diagnosis: Diagnosis, *, now: datetime) -> None:
        """Seen again, with the newest diagnosis. One that ended by itself is open again."""
        await self._connection.execute(
            update(incidents)
            .where(incidents.c.id == incident)
            .values(
                count=incidents.c.count + 1,
                updated_at=now,
                diagnosis=codec(Diagnosis).encode(diagnosis),
            )
        )
        await self._connection.execute(
            update(incidents)
            .where(incidents.c.id == incident, incidents.c.status == IncidentStatus.SELF_RESOLVED)
            .values(status=IncidentStatus.OPEN, ended_at=None, outcome="")
        )

    async def set_status(
        self,
        incident: IncidentId,
        status: IncidentStatus,
        *,
        now: datetime,
        outcome: str = "",
        snoozed_until: datetime | None = None,
        among: Collection[IncidentStatus] | None = None,
    ) -> bool:
        """Move an incident; only from one of `among`, where that is said. False: it stayed."""
        changing = update(incidents).where(incidents.c.id == incident)
        if among is not None:
            changing = changing.where(incidents.c.status.in_(list(among)))
        changed = await self._connection.execute(
            changing.values(
                status=status,
                updated_at=now,
                ended_at=now if status.is_over else None,
                outcome=redact(outcome),
                snoozed_until=snoozed_until,
            )
        )
        return changed.rowcount == 1

    async def group(self, incident: IncidentId, parent: IncidentId) -> None:
        """Note that an incident is part of a larger one."""
        await self._connection.execute(
            update(incidents).where(incidents.c.id == incident).values(parent=parent)
        )

    async def add_proposal(self, proposal: Proposal) -> bool:
        """Write an offer down; False when it is known already."""
        if await self.proposal(proposal.id) is not None:
            return False
        await self._connection.execute(
            insert(proposals).values(
                id=proposal.id,
                incident=proposal.incident,
                watch=proposal.watch,
                status=proposal.status,
                expires_at=proposal.expires_at,
                may_approve=codec(tuple[Person, ...]).encode(proposal.may_approve),
                withdrawn_because=proposal.withdrawn_because,
                body=codec(Proposal).encode(proposal),
            )
        )
        return True

    async def proposal(self, proposal: ProposalId) -> Proposal | None:
        found = await self._proposals(select(proposals).where(proposals.c.id == proposal))
        return found[0] if found else None

    async def open_proposals(self) -> tuple[Proposal, ...]:
        """Every offer that can still be answered, oldest first."""
        return await self._proposals(select(proposals).where(proposals.c.status == ProposalStatus.OPEN))

    async def set_proposal(
        self,
        proposal: ProposalId,
        status: ProposalStatus,
        *,
        among: Collection[ProposalStatus] = _OPEN_ONLY,
        because: str = "",
    ) -> bool:
        """Move a proposal from one of `among`; False when it was in none of them any more."""
        changed = await self._connection.execute(
            update(proposals)
            .where(proposals.c.id == proposal, proposals.c.status.in_(list(among)))
            .values(status=status, withdrawn_because=redact(because))
        )
        return changed.rowcount == 1

    async def remind(self, proposal: ProposalId, *, now: datetime) -> bool:
        """Note that people were reminded; False when they had been in this period."""
        changed = await self._connection.execute(
            update(proposals)
            .where(proposals.c.id == proposal, proposals.c.reminded_at.is_(None))
            .values(reminded_at=now)
        )
        return changed.rowcount == 1

    async def hand_on(self, proposal: ProposalId, to: tuple[Person, ...], *, expires_at: datetime) -> bool:
        """Ask these people from now on, with a fresh expiry and a reminder to come."""
        changed = await self._connection.execute(
            update(proposals)
            .where(proposals.c.id == proposal, proposals.c.status == ProposalStatus.OPEN)
            .values(may_approve=codec(tuple[Person, ...]).encode(to), expires_at=expires_at, reminded_at=None)
        )
        return changed.rowcount == 1

    async def set_shown_whole(self, proposal: ProposalId, *, now: datetime) -> None:
        """Note that the whole command was shown. Safe to repeat."""
        await self._connection.execute(
            update(proposals).where(proposals.c.id == proposal).values(shown_whole_at=now)
        )

    async def postpone(self, proposal: ProposalId, expires_at: datetime) -> None:
        """Let a snoozed proposal expire at another moment."""
        await self._connection.execute(
            update(proposals)
            .where(proposals.c.id == proposal, proposals.c.status == ProposalStatus.SNOOZED)
            .values(expires_at=expires_at)
        )

    async def decide_once(
        self, decision: Decision, *, among: Collection[ProposalStatus] = _OPEN_ONLY
    ) -> Decision:
        """Write a person's answer down if the proposal is still in one of `among`: exactly one row changes.

        Gives `decision` itself when it took effect, else the one that was first. Raises FactsChanged when
        the proposal was withdrawn or ended unanswered, UserError when there is none of this id.
        """
        if await self.set_proposal(decision.proposal, STATUS_OF_ANSWER[decision.answer], among=among):
            await self._connection.execute(
                insert(decisions).values(
                    proposal=decision.proposal,
                    person=decision.person,
                    answer=decision.answer,
                    door=decision.door,
                    decided_at=decision.decided_at,
                    snooze_until=decision.snooze_until,
                )
            )
            return decision
        if earlier := await self.decision_on(decision.proposal):
            return earlier
        proposal = await self.proposal(decision.proposal)
        if proposal is None:
            raise UserError(
                f"There is no proposal '{decision.proposal}'.",
                next_step="`babysit status` shows the open ones with their ids.",
            )
        why = f": {proposal.withdrawn_because}" if proposal.withdrawn_because else ""
        raise FactsChanged(f"The proposal {proposal.id} is {proposal.status}{why}; nothing was done.")

    async def decision_on(self, proposal: ProposalId) -> Decision | None:
        """The newest answer that took effect."""
        asked = select(decisions).where(decisions.c.proposal == proposal).order_by(decisions.c.seq.desc())
        row = (await self._connection.execute(asked.limit(1))).first()
        return decision_from(row._mapping) if row else None

    async def add_restart(self, watch: WatchId, proposal: ProposalId, restart: Restart) -> bool:
        """Record that a proposal led to a new job; False when that is recorded already."""
        known = select(restarts.c.seq).where(restarts.c.proposal == proposal)
        if await self._connection.scalar(known) is not None:
            return False
        await self._connection.execute(
            insert(restarts).values(
                proposal=proposal,
                watch=watch,
                at=restart.at,
                cause=restart.cause,
                old=restart.old,
                new=restart.new,
                high_water=restart.high_water,
            )
        )
        return True

    async def restarts_of(self, watch: WatchId) -> tuple[Restart, ...]:
        """Restarts carried out for a watch, oldest first."""
        asked = select(restarts).where(restarts.c.watch == watch).order_by(restarts.c.seq)
        return tuple(
            Restart(row.at, Cause(row.cause), JobId(row.old), JobId(row.new), row.high_water)
            for row in await self._connection.execute(asked)
        )

    async def _restarts_of_job(self, watch: Watch) -> tuple[Restart, ...]:
        """Those of this watch, and those of earlier watches that led to its first job or began from it.

        Who stops a watch and starts it again does not get a new restart budget.
        """
        own = restarts.c.watch == watch.id
        earlier = (
            (watches.c.cluster == watch.cluster)
            & (restarts.c.at <= watch.created_at)
            & (restarts.c.at > watch.created_at - BUDGET_WINDOW)
        )
        joined = select(restarts).join(watches, watches.c.id == restarts.c.watch, isouter=True)
        rows = (await self._connection.execute(joined.where(own | earlier).order_by(restarts.c.seq))).all()
        names, count = {watch.first_root}, 0
        while len(names) > count:
            count = len(names)
            names |= {name for row in rows if {row.old, row.new} & names for name in (row.old, row.new)}
        return tuple(
            Restart(row.at, Cause(row.cause), JobId(row.old), JobId(row.new), row.high_water)
            for row in rows
            if row.watch == watch.id or row.old in names
        )

    async def _told_of(self, found: Collection[Incident]) -> tuple[Told, ...]:
        """Messages about those of the incidents that are open or ended lately, oldest first."""
        newest = max(incident.updated_at for incident in found)
        meant = [
            incident.id
            for incident in found
            if incident.ended_at is None
            or newest - incident.ended_at < TOLD_FOR
            or incident.updated_at == newest
        ]
        asked = select(messages.c.incident, messages.c.occasion, messages.c.created_at, messages.c.proposal)
        rows = await self._connection.execute(
            asked.where(messages.c.incident.in_(meant)).order_by(messages.c.seq)
        )
        return tuple(
            Told(
                IncidentId(row.incident),
                MessageKind(row.occasion),
                row.created_at,
                ProposalId(row.proposal) if row.proposal else None,
            )
            for row in rows
        )

    async def _proposals(self, asked: Select[Any]) -> tuple[Proposal, ...]:
        rows = await self._connection.execute(asked.order_by(proposals.c.seq))
        return tuple(proposal_from(row._mapping, from_json) for row in rows)
