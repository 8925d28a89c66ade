"""`doctor` and `init`: is everything set up, and a file to set it up with."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    Iris,
    Json,
    Ray,
    SettingsFile,
    StateDir,
    Transport,
    Url,
    cluster_if_named,
    settings_from,
)
from babysitter.waits import waiting_for


def doctor(
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    transport: Transport = "rpc",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Test the set-up: rules, state folder, service, channels, cluster. Exits 1 if one does not work."""
    from babysitter.surfaces.cli.terminal.json_replies import CheckView, DoctorReply
    from babysitter.usecases.doctor import examine_setup

    chosen = settings_from(settings, state_dir)
    spec = cluster_if_named(
        chosen, ClusterOptions(cluster, controller_url, config, iris_command, transport, ray)
    )
    with waiting_for("every part of the set-up to answer"):
        checks = asyncio.run(examine_setup(chosen, spec))
    works = all(check.ok for check in checks)
    if as_json:
        views = [CheckView(**asdict(check)) for check in checks]
        typer.echo(DoctorReply(ok=works, checks=views).model_dump_json())
    for check in () if as_json else checks:
        typer.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}")
        if check.next_step and not check.ok:
            typer.echo(f"      {check.next_step}")
    if not works:
        raise typer.Exit(1)


def init(
    file: Annotated[
        Path | None, typer.Argument(help="File to write; default: ~/.config/babysit/config.yaml.")
    ] = None,
) -> None:
    """Write a settings file with every setting and its default as comments."""
    import os

    from babysitter.config import default_config_folder, render_commented_defaults
    from babysitter.private_files import write_private

    path = file or default_config_folder(os.environ) / "config.yaml"
    if path.exists():
        raise UserError(f"{path} exists already.", next_step="Move it away, or name another file.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, render_commented_defaults())
    except OSError as fault:
        raise UserError(
            f"{path} cannot be written: {fault.strerror}.", next_step="Name another file."
        ) from fault
    typer.echo(f"Written: {path}. Every setting is in it, commented out, with its default.")
