"""Follows an approval to what came of it: submitted, called off, or not submitted yet."""

import asyncio

from babysitter.engine.app import App
from babysitter.model.ids import ProposalId
from babysitter.usecases.answering.approval_outcome import ApprovedAction, outcome_of

ASK_INTERVAL_S = 0.3


async def follow_approval(app: App, proposal: ProposalId) -> str:
    """Wait until the approved action has ended, and say how. Raises what `outcome_of` does."""
    while True:
        async with app.store.reading() as tx:
            offer = await tx.incidents.proposal(proposal)
            assert offer is not None, "an approval is about a proposal"
            seen = ApprovedAction(
                offer=offer,
                action=await tx.journal.action(proposal),
                steps=await tx.journal.taken(proposal),
                incident=await tx.incidents.incident(offer.incident),
            )
        if (sentence := outcome_of(seen)) is not None:
            return sentence
        await asyncio.sleep(ASK_INTERVAL_S)
