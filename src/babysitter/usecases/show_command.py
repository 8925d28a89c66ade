"""A command that does not fit on its card: read whole, and remembered as shown."""

from babysitter.engine.app import App
from babysitter.engine.enqueue import refresh_incident_messages
from babysitter.errors import NotAllowed
from babysitter.messages.whole_command import pages_of
from babysitter.model.ids import ProposalId
from babysitter.usecases.approvals import offered


async def command_pages(hall: App, proposal: ProposalId) -> tuple[str, ...]:
    """The whole command of a proposal, one text for each message.

    Raises UserError for an unknown proposal, NotAllowed for a command that is too long for Slack.
    """
    pages = pages_of(await offered(hall, proposal))
    if not pages:
        raise NotAllowed(
            f"The command of {proposal} is too long to be shown in Slack.",
            next_step=f"Run `babysit approve {proposal}` in a terminal: it prints the whole command.",
        )
    return pages


async def record_shown(hall: App, proposal: ProposalId) -> None:
    """Remember that the whole command was posted, and let its cards offer the approval. Safe to repeat."""
    found, now = await offered(hall, proposal), hall.clock.now()
    async with hall.store.transaction() as records:
        await records.ledger.set_shown_whole(proposal, now=now)
        await refresh_incident_messages(
            records, found.incident, await records.watches.get(found.watch), now=now
        )
