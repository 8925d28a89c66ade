"""From settings to everything that runs, in one place. Tests go through the same door.

A new notifier is a row in `_NOTIFIERS`.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from babysitter.backends.registry import open_cluster
from babysitter.clock import Clock, SystemClock
from babysitter.config import Settings, secret
from babysitter.engine.app import App
from babysitter.engine.cluster_pool import ClusterPool, Opener, configured_clusters
from babysitter.engine.leadership import Leadership
from babysitter.engine.service_log import configure_log_unless_done
from babysitter.engine.storage_health import StorageHealth
from babysitter.errors import BadConfig
from babysitter.notify.notifier import Notifier
from babysitter.private_files import restrict_state
from babysitter.store.store import open_store
from babysitter.usecases.state_folder import state_folder


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    clock: Clock | None = None,
    wall_clock: Clock | None = None,
    notifiers: Sequence[Notifier] = (),
    opener: Opener | None = None,
) -> AsyncIterator[App]:
    """Everything, open; closed again at the end. Contacts no cluster and no notifier by itself.

    `notifiers`: further ones, beside those of the settings. `opener`: what opens clusters, where they are
    no real ones. Raises UserError or BadConfig.
    """
    configure_log_unless_done()
    clock = clock or SystemClock()
    wall_clock = wall_clock or clock
    folder = state_folder_of(settings)
    specs = configured_clusters(settings)
    configured = [notifier for make in _NOTIFIERS for notifier in make(settings, wall_clock)]
    database = settings.database_url.get_secret_value() if settings.database_url else None
    storage = StorageHealth(wall_clock)
    if database:  # evidence and the service's own files are here all the same
        restrict_state(folder)
    store = await open_store(database or folder, storage.note)
    app = App(
        settings=settings,
        state_folder=folder,
        store=store,
        clock=clock,
        wall_clock=wall_clock,
        clusters=ClusterPool(specs, store, opener or partial(open_cluster, clock=clock)),
        leadership=Leadership(store, wall_clock, lock_folder=None if database else folder),
        notifiers=(*configured, *notifiers),
        policy=settings.as_policy(),
        storage=storage,
    )
    try:
        yield app
    finally:
        for notifier in app.notifiers:
            await notifier.close()
        await app.clusters.close()
        await store.close()


def state_folder_of(settings: Settings) -> Path:
    """Where everything is kept."""
    return state_folder(settings.state_dir)


def local_notifiers(
    settings: Settings, clock: Clock, environment: Mapping[str, str], stream: TextIO | None
) -> tuple[Notifier, ...]:
    """Notifiers of this machine: the stream (a terminal or a log), and the desktop.

    For the process that serves; `stream` None = its output belongs to a program.
    """
    from babysitter.notify.console import ConsoleNotifier, alert_of
    from babysitter.notify.desktop import DesktopNotifier, find_desktop

    wishes = settings.notify
    desktop = find_desktop(environment) if wishes.desktop else None
    found: list[Notifier] = []
    if stream is not None:
        pops_up = wishes.desktop and desktop is None
        alert = alert_of(environment, is_terminal=stream.isatty(), rings=wishes.bell, pops_up=pops_up)
        found.append(ConsoleNotifier(stream, alert))
    if desktop is not None:
        found.append(DesktopNotifier(desktop, clock))
    return tuple(found)


def _slack(settings: Settings, wall_clock: Clock) -> tuple[Notifier, ...]:  # noqa: ARG001
    slack = settings.slack
    token = secret(slack.bot_token, slack.bot_token_file, what="Slack bot token")
    if not token:
        return ()
    from babysitter.slack.posting import SlackNotifier, open_client

    client = open_client(token, base_url=slack.api_url)
    return (SlackNotifier(client, slack.channel, on_call=slack.on_call),)


def _webhook(settings: Settings, wall_clock: Clock) -> tuple[Notifier, ...]:
    if not settings.webhook.url:
        return ()
    from babysitter.notify.webhook import WebhookNotifier

    key = secret(settings.webhook.secret, settings.webhook.secret_file, what="webhook secret")
    return (WebhookNotifier(settings.webhook.url, key, wall_clock),)


def _apprise(settings: Settings, wall_clock: Clock) -> tuple[Notifier, ...]:  # noqa: ARG001
    from babysitter.notify.apprise import AppriseNotifier, is_installed

    urls = settings.notify.apprise
    if urls and not is_installed():
        raise BadConfig(
            "The settings name notify.apprise, and the package `apprise` is not installed.",
            next_step="Run `pip install 'babysitter[apprise]'`, or take notify.apprise out.",
        )
    return tuple(
        AppriseNotifier(url.get_secret_value(), number=number) for number, url in enumerate(urls, start=1)
    )


_NOTIFIERS: tuple[Callable[[Settings, Clock], tuple[Notifier, ...]], ...] = (_slack, _webhook, _apprise)
