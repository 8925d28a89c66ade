"""Follows an approval to what came of it: submitted, called off, or not submitted yet."""

import asyncio

from babysitter.engine.app import App
from babysitter.errors import ExternalError, FactsChanged
from babysitter.model.action import ActionStep, StepState
from babysitter.model.ids import ProposalId
from babysitter.model.incident import IncidentStatus
from babysitter.model.proposal import ProposalStatus

ASK_INTERVAL_S = 0.3


async def follow_approval(app: App, proposal: ProposalId) -> str:
    """Wait until the approved restart has ended, and say how, in a sentence.

    Raises FactsChanged where it was called off or withdrawn, WorldError where it broke off, or where the old
    job was stopped and the new one was not submitted: the service tries that again.
    """
    while True:
        async with app.store.reading() as tx:
            action = await tx.journal.action(proposal)
            offer = await tx.incidents.proposal(proposal)
            submitting = (await tx.journal.taken(proposal)).get(ActionStep.SUBMIT)
            assert offer is not None, "an approval is about a proposal"
            incident = await tx.incidents.incident(offer.incident)
        if action is not None and action.ended_at is not None:
            if offer.status is ProposalStatus.WITHDRAWN:
                raise FactsChanged(f"Called off, nothing was done: {offer.withdrawn_because.rstrip('.')}.")
            if not offer.submits and await _is_stopped(app, proposal):
                return f"Stopped {offer.job}; nothing was submitted."
            if submitting is not None and submitting.state is StepState.DONE:
                return f"Submitted as {submitting.detail}."
            raise ExternalError(f"The restart {action.outcome.rstrip('.')}.")
        if incident is not None and incident.status is IncidentStatus.ACTING:
            raise ExternalError(
                f"{incident.outcome.rstrip('.')}.",
                next_step="`babysit report` has the timeline; what you submit under that name is followed.",
            )
        await asyncio.sleep(ASK_INTERVAL_S)


async def _is_stopped(app: App, proposal: ProposalId) -> bool:
    async with app.store.reading() as tx:
        ended = (await tx.journal.taken(proposal)).get(ActionStep.TERMINAL)
    return ended is not None and ended.state is StepState.DONE
