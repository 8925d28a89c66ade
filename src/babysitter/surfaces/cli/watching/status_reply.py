"""What `status` and `list` show, read the short way where that is possible."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from babysitter.errors import Unreachable
from babysitter.surfaces.advisor_spend_view import AdvisorSpendView
from babysitter.surfaces.cli.terminal.options import SettingsFile, StateDir, quick_state_folder, settings_from
from babysitter.surfaces.needs import neediest_first
from babysitter.surfaces.views import ServiceView, StatusReply, WatchView
from babysitter.surfaces.watch_view import watch_view

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.usecases.watching.watch_status import WatchStatus


def status_reply(
    file: SettingsFile, state_dir: StateDir, name: str = "", cluster: str = "", *, with_stopped: bool = False
) -> StatusReply:
    """How the watches stand: one of this name, or all. Raises NoSuchWatch, Unreachable, BadConfig."""
    folder = quick_state_folder(file, state_dir)
    if folder is not None:
        from babysitter.usecases.watching.quick_status import read_status

        quick = read_status(folder, name, cluster, with_stopped=with_stopped, now=datetime.now(UTC))
        if quick is not None:
            service = ServiceView(
                runs=quick.is_served,
                troubles=quick.troubles,
                channels=list(quick.channels),
                advisor=AdvisorSpendView.of(quick.advisor),
            )
            return StatusReply(watches=_views(quick.standings), service=service)
    import asyncio

    settings = settings_from(file, state_dir)
    return asyncio.run(_from_store(settings, name, cluster, with_stopped=with_stopped))


def _views(standings: "Sequence[WatchStatus]") -> list[WatchView]:
    return neediest_first([watch_view(standing) for standing in standings])


async def _from_store(settings: "Settings", name: str, cluster: str, *, with_stopped: bool) -> StatusReply:
    from babysitter.engine.status_file import sign_of_life
    from babysitter.wiring import state_folder_of

    try:
        return await _read_store(settings, name, cluster, with_stopped=with_stopped)
    except Unreachable as fault:
        sign = sign_of_life(state_folder_of(settings), now=datetime.now(UTC))
        raise Unreachable(fault.sentence, next_step=f"{fault.next_step} {sign}".strip()) from fault


async def _read_store(settings: "Settings", name: str, cluster: str, *, with_stopped: bool) -> StatusReply:
    from babysitter.engine.status_file import service_troubles
    from babysitter.surfaces.notified_channels import channels_of
    from babysitter.usecases.service_stats import advisor_day
    from babysitter.usecases.watching.manage_watches import all_watch_statuses, find_watch, watch_status
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        if name:
            shown = [await watch_status(app, (await find_watch(app, name, cluster=cluster)).id)]
        else:
            shown = list(await all_watch_statuses(app, with_stopped=with_stopped))
        service = ServiceView(
            runs=await app.leadership.somebody_serves(),
            troubles=await service_troubles(app),
            channels=list(await channels_of(app, began_here=False)),
            advisor=AdvisorSpendView.of(await advisor_day(app)),
        )
    return StatusReply(watches=_views(shown), service=service)
