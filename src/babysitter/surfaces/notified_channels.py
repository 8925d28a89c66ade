"""Who will be told of incidents, and how: what `start` says, and a program reads in `service`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babysitter.engine.app import App

NOBODY = (
    "Nobody is told of incidents: `babysit status` shows them. To be told, set up Slack (docs/slack.md), or "
    "notify.apprise for mail and other services (docs/notifications.md)."
)


def told_sentence(channels: Sequence[str]) -> str:
    """Return who is told, as one sentence; with nobody, how to change that."""
    return f"Told of incidents: {', '.join(channels)}." if channels else NOBODY


async def channels_of(app: "App", *, began_here: bool) -> tuple[str, ...]:
    """Return whom the running service tells; empty when nobody, or when none runs.

    `began_here`: this process runs the service or has just started it with its own settings and environment,
    so that it need not have written them down yet.
    """
    if began_here:
        from babysitter.surfaces.cli.serving.serve import own_notifiers

        mine = {notifier.name for notifier in app.notifiers}
        others = [
            notifier for notifier in own_notifiers(app.settings, is_json=True) if notifier.name not in mine
        ]
        return tuple(notifier.description for notifier in (*app.notifiers, *others) if notifier.description)
    if not await app.leadership.somebody_serves():
        return ()
    async with app.store.reading() as tx:
        return await tx.channels.all()
