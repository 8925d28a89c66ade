"""The memory of incidents: their fingerprints, what was done about them, and what people taught.

What babysit did itself is read from its own tables when it is asked for; a row holds only what stands nowhere
else. The index of words (incident_index.py) belongs to the process and is brought up to date before a search.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import delete, func, insert, select

from babysitter.model.finding import Cause
from babysitter.model.incident import IncidentStatus
from babysitter.model.past_incident import Ending, Origin, PastIncident
from babysitter.model.proposal import Answer, Proposal
from babysitter.model.verdict import Change, Diagnosis
from babysitter.store.codec import codec, from_json
from babysitter.store.connection import Connection
from babysitter.store.repositories.incident_index import IncidentIndex, Ranked
from babysitter.store.schema.tables import decisions, feedback, incident_history, incidents, proposals

MAX_IDS = 500  # of one question to the database
FILLED_AT_ONCE = 100  # incidents added to the index, about 14 ms; between two parts others get their turn
MAX_WHILE_WRITING = 100  # that a transaction adds which keeps others from writing

_ENDINGS = {
    IncidentStatus.RESOLVED: Ending.FIXED,
    IncidentStatus.SELF_RESOLVED: Ending.RECOVERED,
    IncidentStatus.FAILED: Ending.NOT_FIXED,
}


@dataclass(frozen=True, slots=True)
class _Approval:
    """What was done about an incident, and who said yes."""

    remedy: str
    person: str


class IncidentHistory:
    """Reads and writes the memory inside one transaction."""

    def __init__(self, connection: Connection, index: IncidentIndex, *, is_writing: bool) -> None:
        self._connection = connection
        self._index = index
        self._is_writing = is_writing
        self._written: set[str] = set()  # by this transaction, which may yet be rolled back

    async def put(self, past: PastIncident, terms: Mapping[str, float]) -> None:
        """Remember an incident; an earlier row of its id is replaced. `terms`: its weighted words."""
        await self._connection.execute(delete(incident_history).where(incident_history.c.id == past.id))
        await self._connection.execute(
            insert(incident_history).values(
                id=past.id,
                at=past.at,
                origin=past.origin,
                body=codec(PastIncident).encode(past),
                terms=json.dumps(terms),
            )
        )
        self._index.forget(past.id)
        self._written.add(past.id)

    async def remove(self, ids: Collection[str]) -> None:
        """Forget these incidents. Safe to repeat."""
        for part in _parts(ids):
            await self._connection.execute(delete(incident_history).where(incident_history.c.id.in_(part)))
        for name in ids:
            self._index.forget(name)

    async def get(self, name: str) -> PastIncident | None:
        """One remembered incident; None for an id that is not known."""
        return next(iter(await self.of([name])), None)

    async def of(self, ids: Iterable[str]) -> tuple[PastIncident, ...]:
        """The remembered incidents of these ids, in their order; unknown ones are left out."""
        names = list(dict.fromkeys(ids))
        found: dict[str, PastIncident] = {}
        for part in _parts(names):
            rows = await self._connection.execute(
                select(incident_history).where(incident_history.c.id.in_(part))
            )
            stored = [from_json(PastIncident, row.body) for row in rows]
            found.update((past_incident.id, past_incident) for past_incident in await self._completed(stored))
        return tuple(found[name] for name in names if name in found)

    async def since(self, since: datetime | None = None) -> tuple[PastIncident, ...]:
        """Every remembered incident of this time, newest first."""
        asked = select(incident_history.c.id).order_by(incident_history.c.at.desc(), incident_history.c.id)
        if since is not None:
            asked = asked.where(incident_history.c.at >= since)
        return await self.of([row.id for row in await self._connection.execute(asked)])

    async def missing(self) -> frozenset[str]:
        """Ids of incidents that were never written down here."""
        asked = select(incidents.c.id).where(incidents.c.id.not_in(select(incident_history.c.id)))
        return frozenset(row.id for row in await self._connection.execute(asked))

    async def search(
        self, terms: Mapping[str, float], *, at_most: int, leave_out: Collection[str] = ()
    ) -> list[Ranked]:
        """The nearest incidents by their words, best first. What this transaction wrote is not among them.

        A transaction that writes brings the index up to date by a few incidents only, the newest: others wait
        for its lock. `Store.prepare_memory` before it does the rest.
        """
        await self.catch_up()
        return self._index.search(terms, at_most=at_most, leave_out=leave_out)

    async def catch_up(self) -> None:
        """Bring the index to what is committed: rows are compared by id when their number differs."""
        count = await self._connection.scalar(select(func.count()).select_from(incident_history))
        if count == len(self._index.ids | self._written):
            return
        newest_first = select(incident_history.c.id).order_by(incident_history.c.at.desc())
        stored = dict.fromkeys(row.id for row in await self._connection.execute(newest_first))
        for name in self._index.ids - stored.keys():
            self._index.forget(name)
        missing = [name for name in stored if name not in self._index.ids and name not in self._written]
        for part in _parts(missing[: MAX_WHILE_WRITING if self._is_writing else None], FILLED_AT_ONCE):
            rows = await self._connection.execute(
                select(incident_history.c.id, incident_history.c.terms).where(incident_history.c.id.in_(part))
            )
            self._index.add((row.id, row.terms) for row in rows)

    async def _completed(self, stored: Sequence[PastIncident]) -> list[PastIncident]:
        """The same with what our own tables and people say of them by now."""
        own = [past_incident.id for past_incident in stored if past_incident.origin is Origin.OWN]
        told = {
            row.id: (from_json(Diagnosis, row.diagnosis).cause, IncidentStatus(row.status))
            for row in await self._connection.execute(
                select(incidents.c.id, incidents.c.diagnosis, incidents.c.status).where(
                    incidents.c.id.in_(own)
                )
            )
        }
        approved = await self._approvals(own)
        taught = await self._taught([past_incident.id for past_incident in stored])
        completed = []
        for past in stored:
            if past.id in told:
                cause, status = told[past.id]
                ending = _ENDINGS.get(status, Ending.OPEN)
                past = replace(past, cause=cause, ending=ending)
                if ending is Ending.FIXED and (approval := approved.get(past.id)):
                    past = replace(past, remedy=approval.remedy, remedied_by=approval.person)
            if past.id in taught:
                person, was_right, cause_said = taught[past.id]
                true_cause = past.cause if was_right else cause_said
                past = replace(past, true_cause=true_cause, taught_by=person, is_taught_here=True)
            completed.append(past)
        return completed

    async def _approvals(self, ids: Sequence[str]) -> dict[str, _Approval]:
        """The newest approved proposal of each incident."""
        asked = (
            select(proposals.c.incident, proposals.c.body, decisions.c.person)
            .join(decisions, decisions.c.proposal == proposals.c.id)
            .where(proposals.c.incident.in_(ids), decisions.c.answer == Answer.YES)
            .order_by(decisions.c.seq)
        )
        return {
            row.incident: _Approval(_remedy(from_json(Proposal, row.body)), row.person)
            for row in await self._connection.execute(asked)
        }

    async def _taught(self, ids: Sequence[str]) -> dict[str, tuple[str, bool, Cause | None]]:
        """What people said last: who, whether it was right, and the true cause if they named one."""
        asked = select(feedback).where(feedback.c.incident.in_(ids)).order_by(feedback.c.at)
        return {
            row.incident: (row.person, row.was_right, Cause(row.cause) if row.cause else None)
            for row in await self._connection.execute(asked)
        }


def _remedy(proposal: Proposal) -> str:
    return remedy_of(*proposal.changes) if proposal.submits else "stopping it"


def remedy_of(*changes: Change) -> str:
    """What a restart changed, as options of its command; "a restart" when it changed nothing."""
    return " ".join(map(_option_words, changes)) or "a restart"


def _option_words(change: Change) -> str:
    if change.what in ("flag", "env"):
        return change.after or f"another {change.what}"
    kind, is_named, name = change.what.partition(".")
    if kind == "env" and is_named:
        return f"-e {name} {change.after}".strip()
    if kind == "flag" and is_named:
        return f"--{name}" if change.after == "on" else f"--{name} {change.after}"
    return f"--{change.what} {change.after}".strip()


def _parts(names: Collection[str], size: int = MAX_IDS) -> Iterable[list[str]]:
    listed = list(names)
    return (listed[start : start + size] for start in range(0, len(listed), size))
