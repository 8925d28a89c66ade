"""Answers on their way in: kept before they are acknowledged, until they are answered, whatever crashes."""

from collections.abc import Sequence

from babysitter.engine.app import App
from babysitter.model.proposal import Surface
from babysitter.store.repositories.inbox import PendingClick


async def save_click(app: App, answer: str, door: Surface, body: str) -> None:
    """Write an answer down. `answer`: its id, the same for every delivery of it; twice is harmless."""
    incoming = PendingClick(answer, door, app.clock.now(), body)
    async with app.store.transaction() as tx:
        await tx.inbox.put(incoming)


async def pending_clicks(app: App, door: Surface) -> Sequence[str]:
    """The bodies of what came in by a door and is not answered yet, oldest first."""
    async with app.store.reading() as tx:
        return tuple(pending_click.body for pending_click in await tx.inbox.of(door))


async def remove_click(app: App, answer: str) -> None:
    """It need not be kept any more. Twice is harmless."""
    async with app.store.transaction() as tx:
        await tx.inbox.take_out(answer)
