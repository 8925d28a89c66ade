"""`logs`: what a job and its children print."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

import typer

from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    Iris,
    Ray,
    SettingsFile,
    StateDir,
    Transport,
    Url,
    settings_from,
)
from babysitter.surfaces.cli.watching.watched_cluster import cluster_of_job

MAX_SINCE = timedelta(days=30)


def logs(
    job: Annotated[str, typer.Argument(help="Full id of the job: /user/name, or an id of Ray.")],
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on until the job ends.")] = False,
    task: Annotated[str, typer.Option(help="One task only: its number, or its id.")] = "",
    since: Annotated[str, typer.Option(help="Only lines of this last time, e.g. 30m.")] = "",
    grep: Annotated[str, typer.Option(help="Only lines with this text.")] = "",
    lines: Annotated[int, typer.Option(min=1, max=100_000, help="How many of the newest lines.")] = 1000,
    children: Annotated[
        bool,
        typer.Option(
            "--include-children-logs/--no-include-children-logs", help="Lines of child jobs too (default)."
        ),
    ] = True,
    raw: Annotated[
        bool, typer.Option("--raw", help="Only the text of every line, poll noise included.")
    ] = False,
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    transport: Transport = "rpc",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Print what a job and its children wrote, each line with its time and task. Secrets are taken out.

    Lines that only report polling are left out; --raw keeps them.
    """
    from babysitter.clock import SystemClock
    from babysitter.engine.cluster_pool import parse_job_id
    from babysitter.surfaces.duration_option import parse_duration
    from babysitter.usecases.looking.job_logs import LogsRequest, show_logs

    chosen = settings_from(settings, state_dir)
    spec = cluster_of_job(
        chosen, job, ClusterOptions(cluster, controller_url, config, iris_command, transport, ray)
    )
    request = LogsRequest(
        job=parse_job_id(spec, job),
        task=task,
        since=parse_duration(since, at_most=MAX_SINCE, option="--since") if since else None,
        containing=grep,
        lines=lines,
        include_children=children,
        is_raw=raw,
    )
    asyncio.run(show_logs(request, spec, SystemClock(), print_lines, follows=follow))


def print_lines(lines: Sequence[str]) -> None:
    for line in lines:
        typer.echo(line)
