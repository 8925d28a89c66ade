"""The cluster of a job that is watched already: its options need not be given again."""

import asyncio
from typing import TYPE_CHECKING

from babysitter.errors import BabysitError
from babysitter.surfaces.cli.terminal.options import ClusterOptions, cluster_from, is_cluster_named

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.cluster_pool import ClusterSpec


def cluster_of_job(settings: "Settings", job: str, given: ClusterOptions) -> "ClusterSpec":
    """The cluster that these options mean; without any and without a default, that of the job's watch."""
    is_plain = not given.iris and given.transport == "rpc"
    if is_plain and not is_cluster_named(settings, given):
        watched = asyncio.run(_watched_cluster(settings, job))
        if watched is not None:
            return watched
    return cluster_from(settings, given)


async def _watched_cluster(settings: "Settings", job: str) -> "ClusterSpec | None":
    """None where one watch of this job cannot be found."""
    from babysitter.usecases.watching.manage_watches import find_watch
    from babysitter.wiring import open_app

    try:
        async with open_app(settings) as app:
            return await app.clusters.spec((await find_watch(app, job)).cluster)
    except BabysitError:
        return None
