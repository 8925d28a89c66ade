"""The end of a job: reported in one message, and no incident of it left open."""

from collections.abc import Iterator, Sequence

from babysitter.model.cause_info import about
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident, IncidentStatus
from babysitter.model.intent import (
    EndIncident,
    Expire,
    Intent,
    OpenIncident,
    Propose,
    RepeatIncident,
    SendMessage,
    Withdraw,
)
from babysitter.model.job import JobState
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.policy.build_proposal import is_open
from babysitter.policy.incident_lifecycle import UNDER_ACTION
from babysitter.policy.policy_input import PolicyInput

_CARDS = (MessageKind.INCIDENT, MessageKind.WORSE, MessageKind.CHANGED, MessageKind.PROPOSAL)


def about_the_end(case: PolicyInput, so_far: Sequence[Intent]) -> Iterator[Intent]:
    """Close what the end leaves open, and report the end. `so_far`: the rest of this response.

    A trouble that is found at the end is told by its own card, which shows the end too: no second message.
    """
    if case.verdict.phase is not Phase.FINISHED or not case.verdict.is_judged:
        return
    yield from _close(case, so_far)
    is_told = any(
        isinstance(intent, SendMessage) and intent.incident and intent.occasion in _CARDS for intent in so_far
    )
    if is_told or case.watch.memory.phase is Phase.FINISHED:
        return
    reported = _reported(case)
    is_routine = reported is None and bool(case.watch.follow)
    yield SendMessage(
        MessageKind.ROUTINE if is_routine else MessageKind.FINISHED,
        _how_it_stood(case, reported) if reported else "the job ended",
        f"{case.watch.id}:finished:{case.watch.root}",
        incident=reported.id if reported else None,
    )


def _close(case: PolicyInput, so_far: Sequence[Intent]) -> Iterator[Intent]:
    """End every incident of the job about which nobody is asked any more."""
    ended = {end_incident.incident for end_incident in so_far if isinstance(end_incident, EndIncident)}
    taken_back = {intent.proposal for intent in so_far if isinstance(intent, (Withdraw, Expire))}
    asked: set[IncidentId] = {propose.proposal.incident for propose in so_far if isinstance(propose, Propose)}
    asked |= {
        proposal.incident
        for proposal in case.ledger.proposals
        if is_open(proposal) and proposal.id not in taken_back
    }
    known = [incident.id for incident in case.own_open if incident.status not in UNDER_ACTION]
    found = [intent.incident for intent in so_far if isinstance(intent, (OpenIncident, RepeatIncident))]
    state = case.verdict.outlook.job_state or JobState.OTHER
    outcome = f"the job ended: {state}"
    if state is JobState.SUCCEEDED:
        outcome += ", with this open"
    for incident in dict.fromkeys((*known, *found)):
        if incident not in ended | asked:
            yield EndIncident(incident, IncidentStatus.FAILED, outcome)


def _reported(case: PolicyInput) -> Incident | None:
    """The newest trouble of the job that people were told of and that was open until now."""
    told = {telling.incident for telling in case.ledger.told}
    return next((incident for incident in reversed(case.own_open) if incident.id in told), None)


def _how_it_stood(case: PolicyInput, incident: Incident) -> str:
    name = incident.diagnosis.cause.value.replace("-", " ")
    is_over = case.verdict.outlook.job_state is JobState.SUCCEEDED
    if is_over and not about(incident.diagnosis.cause).outlasts_success:
        return f"the {name} reported at {incident.opened_at:%H:%M} UTC is over"
    return f"the {name} reported at {incident.opened_at:%H:%M} UTC was open when it ended"
