"""What `status`, `list` and `approve` show, read from the SQLite file with sqlite3 alone.

Importing SQLAlchemy and pydantic costs four times what such a command costs otherwise (docs/adr/0010). This
reads and never writes. Whatever is unusual (no file, an older schema, a lock, a value that does not decode)
is `NotReadable`, and the caller opens the store instead, which knows what to do and what to say.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

import msgspec

from babysitter.model.action import ActionStep, StepRecord, StoredAction
from babysitter.model.advisor_spend import DAY, AdvisorDay, AdvisorLimits, AdvisorSpend
from babysitter.model.events import DecisionRefused, ProposalDecided
from babysitter.model.ids import IncidentId, ProposalId
from babysitter.model.incident import Incident, Ledger
from babysitter.model.opinion import Combined, OpinionRecord
from babysitter.model.proposal import Decision, Proposal
from babysitter.model.watch import Watch
from babysitter.store.quick.sqlite_snapshot import EPOCH, SqliteSnapshot, translated
from babysitter.store.rows import (
    decision_from,
    incident_from,
    outage_watch,
    proposal_from,
    step_from,
    watch_from,
)

T = TypeVar("T")


class SqliteReader(SqliteSnapshot):
    """The watches of a SQLite store with what belongs to them, while others may write.

    with SqliteReader(file) as reader:
        watches = reader.watches()
    """

    def watches(self, *, with_stopped: bool = False) -> tuple[Watch, ...]:
        """Every watch, oldest first."""
        where = "" if with_stopped else "WHERE stopped_at IS NULL"
        return self._watches(f"SELECT * FROM watches {where} ORDER BY created_at, id")

    def watches_named(self, name: str, cluster: str = "") -> tuple[Watch, ...]:
        """Watches that a person may mean by a watch id or a job id, newest first; the active ones if any."""
        found = self._watches(
            "SELECT * FROM watches WHERE :name IN (id, root, first_root) AND :cluster IN ('', cluster) "
            "ORDER BY created_at DESC",
            name=name,
            cluster=cluster,
        )
        return tuple(watch for watch in found if watch.stopped_at is None) or found

    def ledger(self, watch: Watch) -> Ledger:
        """The incidents of a watch and of its cluster, and its proposals; nothing else of its ledger."""
        incidents = self.rows(
            "SELECT * FROM incidents WHERE watch IN (?, ?) ORDER BY seq",
            watch.id,
            outage_watch(watch.cluster),
        )
        if not incidents:
            return Ledger()
        proposals = self.rows("SELECT * FROM proposals WHERE watch = ? ORDER BY seq", watch.id)
        with translated():
            return Ledger(
                incidents=tuple(incident_from(row, _decode) for row in incidents),
                proposals=tuple(proposal_from(row, _decode) for row in proposals),
            )

    def proposal(self, proposal: ProposalId) -> Proposal | None:
        rows = self.rows("SELECT * FROM proposals WHERE id = ?", proposal)
        with translated():
            return next((proposal_from(row, _decode) for row in rows), None)

    def decision_on(self, proposal: ProposalId) -> Decision | None:
        """The newest answer that took effect."""
        rows = self.rows("SELECT * FROM decisions WHERE proposal = ? ORDER BY seq DESC LIMIT 1", proposal)
        return next((decision_from(row) for row in rows), None)

    def action(self, proposal: ProposalId) -> StoredAction | None:
        rows = self.rows("SELECT * FROM actions WHERE proposal = ?", proposal)
        return next((StoredAction(**row) for row in rows), None)

    def steps_of(self, proposal: ProposalId) -> Mapping[ActionStep, StepRecord]:
        """Where each step of an action stands; steps never begun are missing."""
        with translated():
            records = [
                step_from(row) for row in self.rows("SELECT * FROM steps WHERE proposal = ?", proposal)
            ]
        return {record.step: record for record in records}

    def incident(self, incident: IncidentId) -> Incident | None:
        rows = self.rows("SELECT * FROM incidents WHERE id = ?", incident)
        with translated():
            return next((incident_from(row, _decode) for row in rows), None)

    def is_waiting(self, answer_id: str) -> bool:
        """Whether an answer in the inbox is not decided yet."""
        return bool(self.rows("SELECT id FROM inbox WHERE id = ?", answer_id))

    def event_about(self, answer_id: str, *, after: int) -> ProposalDecided | DecisionRefused | None:
        """What was decided about an answer of the inbox; None when its proposal was decided before it.

        `after`: the number of the last event before the answer was left.
        """
        rows = self.rows(
            "SELECT kind, body FROM events WHERE seq > :after AND kind IN ('proposal-decided', "
            "'decision-refused') AND json_extract(body, '$.answer_id') = :id",
            after=after,
            id=answer_id,
        )
        with translated():
            for row in rows:
                if row["kind"] == ProposalDecided.kind:
                    return _decode(ProposalDecided, row["body"])
                return _decode(DecisionRefused, row["body"])
        return None

    def channels(self) -> tuple[str, ...]:
        """Who the service tells that began last."""
        rows = self.rows("SELECT value FROM meta WHERE key = 'channels'")
        return tuple(json.loads(rows[0]["value"])) if rows else ()

    def opinions_on(self, incidents: Sequence[Incident]) -> dict[IncidentId, Combined]:
        """The second opinions on these incidents."""
        if not incidents:
            return {}
        marks = ", ".join("?" * len(incidents))
        names = [incident.id for incident in incidents]
        rows = self.rows(f"SELECT incident, body FROM opinions WHERE incident IN ({marks})", *names)
        with translated():
            return {row["incident"]: _decode(OpinionRecord, row["body"]).combined for row in rows}

    def advisor_day(self, now: datetime) -> AdvisorDay:
        """What second opinions cost in 24 hours, and what they may cost."""
        since = (now - DAY - EPOCH) // timedelta(microseconds=1)
        limits = self.rows("SELECT value FROM meta WHERE key = 'advisor'")
        (total,) = self.rows(
            "SELECT count(*) AS opinions, coalesce(sum(calls), 0) AS calls, "
            "coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) / 1e6 AS cost_usd, "
            "coalesce(sum(calls) FILTER (WHERE cost_micros IS NULL), 0) AS unpriced_calls "
            f"FROM advisor_spending WHERE at >= {since}"
        )
        with translated():
            allowed = AdvisorLimits(**json.loads(limits[0]["value"])) if limits else None
            return AdvisorDay(AdvisorSpend(**total), allowed)

    def _watches(self, statement: str, **named: str) -> tuple[Watch, ...]:
        rows = self.rows(statement, **named)
        with translated():
            return tuple(watch_from(row, _decode) for row in rows)


def _decode(kind: type[T], text: str) -> T:
    return msgspec.json.decode(text, type=kind)
