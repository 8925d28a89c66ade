"""Rows as values of the model. Knows no database driver: sqlite3 alone reads them too (sqlite_reader.py)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from babysitter.model.action import ActionStep, StepRecord, StepState
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, JobId, Person, ProposalId, WatchId
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.proposal import Answer, Decision, Proposal, ProposalStatus, Surface
from babysitter.model.submission import Submission, SubmitContext
from babysitter.model.verdict import Diagnosis, ProgressSummary
from babysitter.model.watch import Watch

T = TypeVar("T")
Row = Mapping[Any, Any]


class Decode(Protocol):
    """JSON of a column as a value of the model."""

    def __call__(self, kind: type[T], text: str) -> T: ...


def outage_watch(cluster: str) -> WatchId:
    """The watch under whose name the incidents of a whole cluster are kept."""
    return WatchId(f"cluster:{cluster}")


def watch_from(row: Row, decode: Decode) -> Watch:
    resubmit, context, outlook = row["resubmit"], row["submit_context"], row["outlook"]
    return Watch(
        id=WatchId(row["id"]),
        root=JobId(row["root"]),
        first_root=JobId(row["first_root"]),
        cluster=row["cluster"],
        kind=row["kind"],
        created_at=row["created_at"],
        due_at=row["due_at"],
        memory=decode(Memory, row["memory"]),
        limits=decode(Limits, row["limits"]),
        resubmit=decode(Submission, resubmit) if resubmit else None,
        submit_context=decode(SubmitContext, context) if context else SubmitContext(),
        owner=Person(row["owner"]) if row["owner"] else None,
        outlook=decode(ProgressSummary, outlook) if outlook else None,
        last_checked_at=row["last_checked_at"],
        restarts=row["restarts"],
        stopped_at=row["stopped_at"],
        trouble=row["trouble"],
        fence=row["fence"],
        revision=row["revision"],
        follow=row["follow"] or "",
    )


def incident_from(row: Row, decode: Decode) -> Incident:
    return Incident(
        id=IncidentId(row["id"]),
        key=IncidentKey(WatchId(row["watch"]), Cause(row["cause"]), JobId(row["attempt"])),
        status=IncidentStatus(row["status"]),
        diagnosis=decode(Diagnosis, row["diagnosis"]),
        opened_at=row["opened_at"],
        updated_at=row["updated_at"],
        ended_at=row["ended_at"],
        count=row["count"],
        group=IncidentId(row["parent"]) if row["parent"] else None,
        snoozed_until=row["snoozed_until"],
        outcome=row["outcome"],
    )


def proposal_from(row: Row, decode: Decode) -> Proposal:
    people: tuple[Person, ...] = decode(tuple[Person, ...], row["may_approve"])
    return replace(
        decode(Proposal, row["body"]),
        status=ProposalStatus(row["status"]),
        expires_at=row["expires_at"],
        may_approve=people,
        withdrawn_because=row["withdrawn_because"],
        shown_whole_at=row["shown_whole_at"],
    )


def decision_from(row: Row) -> Decision:
    return Decision(
        proposal=ProposalId(row["proposal"]),
        person=Person(row["person"]),
        answer=Answer(row["answer"]),
        door=Surface(row["door"]),
        decided_at=row["decided_at"],
        snooze_until=row["snooze_until"],
    )


def step_from(row: Row) -> StepRecord:
    return StepRecord(ActionStep(row["step"]), StepState(row["state"]), row["at"], row["detail"])
