"""A command that does not fit on its card: read whole, and remembered as shown."""

from babysitter.engine.app import App
from babysitter.engine.telling.enqueue import refresh_incident_messages
from babysitter.errors import NotAllowed
from babysitter.messages.whole_command import pages_of
from babysitter.model.ids import ProposalId
from babysitter.usecases.answering.approvals import offered


async def command_pages(app: App, proposal: ProposalId) -> tuple[str, ...]:
    """The whole command of a proposal, one text for each message.

    Raises UserError for an unknown proposal, NotAllowed for a command that is too long for Slack.
    """
    pages = pages_of(await offered(app, proposal))
    if not pages:
        raise NotAllowed(
            f"The command of {proposal} is too long to be shown in Slack.",
            next_step=f"Run `babysit approve {proposal}` in a terminal: it prints the whole command.",
        )
    return pages


async def record_shown(app: App, proposal: ProposalId) -> None:
    """Remember that the whole command was posted, and let its cards offer the approval. Safe to repeat."""
    found, now = await offered(app, proposal), app.clock.now()
    async with app.store.transaction() as tx:
        await tx.incidents.set_shown_whole(proposal, now=now)
        await refresh_incident_messages(tx, found.incident, await tx.watches.get(found.watch), now=now)
