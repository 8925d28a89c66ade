"""From settings to everything that runs, in one place. Tests go through the same door.

A new notifier is a row in `_NOTIFIERS`.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from babysitter.backends.open import open_cluster
from babysitter.clock import Clock, SystemClock
from babysitter.config import Settings, secret
from babysitter.notify.base import Notifier
from babysitter.service.clusters import Clusters, Opener, configured_clusters
from babysitter.service.hall import Hall
from babysitter.service.replicas import Tenure
from babysitter.store.open import default_state_folder, open_store


@asynccontextmanager
async def open_hall(
    settings: Settings,
    *,
    clock: Clock | None = None,
    world: Clock | None = None,
    notifiers: Sequence[Notifier] = (),
    opener: Opener | None = None,
) -> AsyncIterator[Hall]:
    """Everything, open; closed again at the end. Contacts no cluster and no notifier by itself.

    `notifiers`: further ones, beside those of the settings. `opener`: what opens clusters, where they are
    no real ones. Raises UserError or BadConfig.
    """
    clock = clock or SystemClock()
    world = world or clock
    folder = state_folder_of(settings)
    specs = configured_clusters(settings)
    configured = [each for make in _NOTIFIERS if (each := make(settings, world)) is not None]
    database = settings.database_url.get_secret_value() if settings.database_url else None
    store = await open_store(database or folder)
    hall = Hall(
        settings=settings,
        state_folder=folder,
        store=store,
        clock=clock,
        world=world,
        clusters=Clusters(specs, store, opener or partial(open_cluster, clock=clock)),
        tenure=Tenure(store, world, lock_folder=None if database else folder),
        notifiers=(*configured, *notifiers),
        policy=settings.as_policy(),
    )
    try:
        yield hall
    finally:
        for notifier in hall.notifiers:
            await notifier.close()
        await hall.clusters.close()
        await store.close()


def state_folder_of(settings: Settings) -> Path:
    """Where everything is kept."""
    return settings.state_dir.expanduser() if settings.state_dir else default_state_folder()


def terminal_notifier(stream: TextIO) -> Notifier:
    """Tells a terminal, or a file."""
    from babysitter.notify.console import ConsoleNotifier

    return ConsoleNotifier(stream)


def _slack(settings: Settings, world: Clock) -> Notifier | None:  # noqa: ARG001
    slack = settings.slack
    token = secret(slack.bot_token, slack.bot_token_file, what="Slack bot token")
    if not token:
        return None
    from babysitter.notify.slack import SlackNotifier, open_client

    client = open_client(token, base_url=slack.api_url)
    return SlackNotifier(client, slack.channel, on_call=slack.on_call)


def _webhook(settings: Settings, world: Clock) -> Notifier | None:
    if not settings.webhook.url:
        return None
    from babysitter.notify.webhook import WebhookNotifier

    key = secret(settings.webhook.secret, settings.webhook.secret_file, what="webhook secret")
    return WebhookNotifier(settings.webhook.url, key, world)


_NOTIFIERS: tuple[Callable[[Settings, Clock], Notifier | None], ...] = (_slack, _webhook)
