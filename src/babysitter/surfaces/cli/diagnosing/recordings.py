"""`babysit replay` and `babysit record`: judging a recording, and making one."""

import asyncio
import json
import shlex
from datetime import timedelta
from pathlib import Path
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
    Transport,
    Url,
    cluster_from,
    settings_from,
)
from babysitter.surfaces.duration_option import parse_duration

if TYPE_CHECKING:
    from babysitter.model.observation import Observation
    from babysitter.workbench.replay import ReplayStep


MAX_RECORDING = timedelta(days=30)


def replay(
    folder: Annotated[Path, typer.Argument(help="Folder of a recording.")],
    time_scale: Annotated[
        float, typer.Option(min=0.001, max=100_000.0, help="Seconds that each recorded second counts as.")
    ] = 1.0,
    playbooks: Annotated[
        list[Path] | None,
        typer.Option("--playbooks", help="Folder with rules of your own; repeatable, later ones win."),
    ] = None,
    reasons: Annotated[
        bool, typer.Option("--reasons", help="Print the reasons of every step, also those that did not hold.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Diagnose a recording step by step, as if it happened now."""
    from babysitter.workbench.replay import as_json as to_json
    from babysitter.workbench.replay import replay_folder

    judged = replay_folder(folder, playbooks or [], time_scale=time_scale)
    if as_json:
        typer.echo(json.dumps(to_json(judged), indent=2, ensure_ascii=False))
        return
    for step in judged:
        _print_step(step, with_reasons=reasons)


def record(
    job: Annotated[str, typer.Argument(help="Full id of the job: /user/name, or an id of Ray.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write; it must be new.")],
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    config: ClusterFile = "",
    transport: Transport = "rpc",
    iris_command: Iris = "",
    every: Annotated[float, typer.Option(min=1.0, help="Seconds between two looks.")] = 10.0,
    longest: Annotated[
        str, typer.Option("--for", help="How long to record at most: seconds, or 30m, 2h, 1d.")
    ] = "1h",
    settings: SettingsFile = None,
) -> None:
    """Record what the cluster answers about a job into a folder, without secrets, until the job ends."""
    from babysitter.workbench.record import record_job

    at_most = parse_duration(longest, at_most=MAX_RECORDING, option="--for", above_zero=True)
    spec = cluster_from(
        settings_from(settings, None),
        ClusterOptions(cluster, controller_url, config, iris_command, transport, ray),
    )
    done = asyncio.run(
        record_job(job, spec, output, every_s=every, at_most_s=at_most.total_seconds(), tell=_print_look)
    )
    ended = "the job has ended" if done.has_ended else "the job goes on"
    folder = shlex.quote(str(done.folder))
    typer.echo(f"{done.looks} looks in {done.folder}; {ended}. Judge it: babysit replay {folder}")


def _print_step(step: "ReplayStep", *, with_reasons: bool) -> None:
    from babysitter.redact import redact

    blind = "  blind" if step.is_blind else ""
    typer.echo(
        f"{step.sample:<10} {step.t_s:>8.1f} s  {step.phase.value:<9}{blind}  {step.cause.value} "
        f"({step.severity.value}, {step.action.value})  {redact(step.summary)}"
    )
    for reason in step.reasons if with_reasons else ():
        typer.echo(f"    {'holds' if reason.holds else 'not  '}  {reason.name}: {redact(reason.text)}")


def _print_look(looks: int, observation: "Observation") -> None:
    tree = observation.seen_tree
    state = tree.root.state if tree is not None else "cannot be seen"
    typer.echo(f"look {looks}: {state}, {len(observation.seen_lines)} new lines", err=True)
