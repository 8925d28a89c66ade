"""`open`: where a job is seen in its cluster's dashboard."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    Iris,
    Json,
    Ray,
    SettingsFile,
    StateDir,
    Url,
    settings_from,
)
from babysitter.surfaces.cli.watching.watched_cluster import cluster_of_job
from babysitter.waits import hidden_waits, waiting_for

if TYPE_CHECKING:
    from babysitter.engine.cluster_pool import ClusterSpec


def open_page(
    job: Annotated[str, typer.Argument(help="Full id of the job: /user/name, or an id of Ray.")],
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Print the address of a job's page in the dashboard of its cluster.

    Where the controller is reached through a tunnel, the tunnel stays open until Ctrl+C.
    """
    chosen = settings_from(settings, state_dir)
    spec = cluster_of_job(chosen, job, ClusterOptions(cluster, controller_url, config, iris_command, ray=ray))
    asyncio.run(_open(spec, job, as_json=as_json))


async def _open(spec: "ClusterSpec", job: str, *, as_json: bool) -> None:
    from contextlib import AsyncExitStack

    from babysitter.clock import SystemClock
    from babysitter.surfaces.cli.submitting.submit_reply import OpenReply
    from babysitter.usecases.looking.open_job_page import opened_job_page

    async with AsyncExitStack() as stack:
        with waiting_for("the way to the dashboard"):
            page = await stack.enter_async_context(opened_job_page(spec, job, SystemClock()))
        reply = OpenReply(job=job, url=page.url, through_tunnel=page.through_tunnel)
        typer.echo(reply.model_dump_json() if as_json else page.url)
        if page.through_tunnel:
            typer.echo("The tunnel to it is open until Ctrl+C.", err=True)
            with hidden_waits():
                await asyncio.Event().wait()
