"""What came of an answer and of an approved action, in sentences. Values only: every way to read uses it."""

from collections.abc import Mapping
from dataclasses import dataclass

from babysitter.errors import ExternalError, FactsChanged
from babysitter.model.action import ActionStep, StepRecord, StepState, StoredAction
from babysitter.model.ids import Person
from babysitter.model.incident import Incident, IncidentStatus
from babysitter.model.proposal import Answer, Decision, Proposal, ProposalStatus

_DONE = {Answer.YES: "approved", Answer.NO: "denied", Answer.SNOOZE: "put off"}


@dataclass(frozen=True, slots=True)
class ApprovedAction:
    """How an approved action stands at one moment."""

    offer: Proposal
    action: StoredAction | None
    steps: Mapping[ActionStep, StepRecord]
    incident: Incident | None


def took_effect(answer: Answer, person: Person | str) -> str:
    """The reply to an answer that counts."""
    return f"{_DONE[answer].capitalize()} by {person}."


def already(decision: Decision) -> str:
    """The reply to a later answer."""
    return f"Already {_DONE[decision.answer]} by {decision.person} at {decision.decided_at:%H:%M} UTC."


def check_answer_stands(given: Answer, standing: Answer | None, sentence: str) -> None:
    """Raise FactsChanged, with the sentence, where an earlier answer says something else."""
    if standing is not None and standing is not given:
        next_step = "`babysit status` shows what became of it." if standing is Answer.YES else ""
        raise FactsChanged(sentence, next_step=next_step)


def outcome_of(seen: ApprovedAction) -> str | None:
    """How the action ended, in a sentence; None while it is under way.

    Raises FactsChanged where it was called off or withdrawn, ExternalError where it broke off, or where the
    old job was stopped and the new one was not submitted: the service tries that again.
    """
    action, offer = seen.action, seen.offer
    if action is not None and action.ended_at is not None:
        if offer.status is ProposalStatus.WITHDRAWN:
            raise FactsChanged(f"Called off, nothing was done: {offer.withdrawn_because.rstrip('.')}.")
        if not offer.submits and _is_done(seen, ActionStep.TERMINAL):
            return f"Stopped {offer.job}; nothing was submitted."
        if _is_done(seen, ActionStep.SUBMIT):
            return f"Submitted as {seen.steps[ActionStep.SUBMIT].detail}."
        raise ExternalError(f"The restart {action.outcome.rstrip('.')}.")
    if seen.incident is not None and seen.incident.status is IncidentStatus.ACTING:
        raise ExternalError(
            f"{seen.incident.outcome.rstrip('.')}.",
            next_step="`babysit report` has the timeline; what you submit under that name is followed.",
        )
    return None


def _is_done(seen: ApprovedAction, step: ActionStep) -> bool:
    record = seen.steps.get(step)
    return record is not None and record.state is StepState.DONE
