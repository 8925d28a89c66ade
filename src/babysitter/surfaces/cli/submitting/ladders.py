"""`babysit ladder ...`: run jobs in order, each only if the one before passed."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.submitting.variable_words import CommandWithVariables, split_variable
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
    cluster_from,
    cluster_if_named,
    me,
    settings_from,
)
from babysitter.waits import hidden_waits

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.ladder import LadderProgress
    from babysitter.usecases.ladders.run_ladder import LadderRequest

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Run jobs in order, each only if the one before passed.",
)

STOPPED = 1
LadderFile = Annotated[Path, typer.Argument(metavar="FILE", help="A ladder file.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write the report to this file.")]


@app.command("run", cls=CommandWithVariables)
def run(
    file: LadderFile,
    values: Annotated[
        list[str], typer.Option("--set", metavar="NAME=VALUE", help="A value of the file; repeatable.")
    ] = [],  # noqa: B006 - typer copies it
    variables: Annotated[
        list[str],
        typer.Option("-e", "--env", metavar="KEY [VALUE]", help="Set a variable of the step that runs next."),
    ] = [],  # noqa: B006
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Begin a new run at the first step.")
    ] = False,
    logs: Annotated[
        bool, typer.Option("--logs", help="Print what the jobs and their children write.")
    ] = False,
    output: Output = None,
    cluster: Cluster = "",
    controller_url: Url = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    ray: Ray = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Submit, watch and judge each step before the next; stop at the first that does not pass.

    Called again, it goes on: with the step that was cut off, without submitting it twice, or with another
    attempt at the step that did not pass. Values and variables given once stay given. It ends with a report
    in Markdown on standard output; --json prints the whole state at every change instead, a line each.

    Exit codes: 0 every step has passed, 1 a step has not.
    """
    from babysitter.usecases.ladders.run_ladder import LadderRequest, needs_cluster

    _check_output(output)
    chosen = settings_from(settings, state_dir)
    opened = cluster_from if needs_cluster(file) else cluster_if_named
    spec = opened(chosen, ClusterOptions(cluster, controller_url, config, iris_command, ray=ray))
    request = LadderRequest(
        file=file,
        by=me(),
        cluster=spec,
        values=dict(_pair(value) for value in values),
        variables=tuple(_variable(variable) for variable in variables),
        from_start=from_start,
    )
    progress = asyncio.run(
        _run(chosen, settings, request, as_json=as_json, prints_lines=logs and not as_json)
    )
    if output is not None or not as_json:
        _write_report(progress, output)
    raise typer.Exit(0 if progress.run.ended_at is not None else STOPPED)


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="Which shipped ladder.")] = "smoke-cpu-tpu",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Another file than NAME.yaml in this folder.")
    ] = None,
) -> None:
    """Copy a shipped ladder file here, to be edited."""
    from babysitter.usecases.ladders.run_ladder import copy_ladder

    target = output or Path(f"{name}.yaml")
    copy_ladder(name, target)
    typer.echo(f"Wrote {target}. Edit it, then: babysit ladder lint {target}")


@app.command()
def lint(file: LadderFile) -> None:
    """Check a ladder file: every fault with its line. Exit code 2 when there is one."""
    from babysitter.usecases.ladders.run_ladder import check_ladder

    ladder = check_ladder(file)
    missing = [name for name, value in ladder.values.items() if value is None]
    typer.echo(f"{file}: {len(ladder.steps)} steps: {', '.join(step.name for step in ladder.steps)}.")
    if missing:
        typer.echo(f"To be given: {' '.join(f'--set {name}=VALUE' for name in missing)}")


@app.command()
def status(
    name: Annotated[str, typer.Argument(help="A ladder, by the name in its file; default: all.")] = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Show how far the newest run of a ladder is."""
    from babysitter.messages.ladder_report import next_steps, step_words
    from babysitter.surfaces.cli.terminal.json_replies import LaddersReply, ladder_view

    found = asyncio.run(_stored(settings_from(settings, state_dir), name))
    if as_json:
        typer.echo(LaddersReply(ladders=[ladder_view(progress) for progress in found]).model_dump_json())
        return
    if not found:
        typer.echo("No ladder has run here. See: babysit ladder run --help")
    for progress in found:
        typer.echo(f"{progress.run.ladder} (run {progress.run.id} of {progress.run.file})")
        for step in progress.run.steps:
            typer.echo(f"  {step:<24} {step_words(step, progress.attempts)}")
        for sentence in next_steps(progress.run, progress.attempts):
            typer.echo(f"  next: {sentence}")


@app.command()
def report(
    name: Annotated[str, typer.Argument(help="A ladder, by the name in its file.")],
    output: Output = None,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Write the newest run of a ladder as a debugging log in Markdown."""
    (found,) = asyncio.run(_stored(settings_from(settings, state_dir), name))
    _write_report(found, output)


async def _stored(settings: "Settings", name: str) -> "list[LadderProgress]":
    from babysitter.usecases.ladders.run_ladder import ladder_progress, ladder_runs
    from babysitter.wiring import open_app

    async with open_app(settings) as opened:
        return [await ladder_progress(opened, name)] if name else list(await ladder_runs(opened))


async def _run(
    settings: "Settings",
    settings_file: Path | None,
    request: "LadderRequest",
    *,
    as_json: bool,
    prints_lines: bool,
) -> "LadderProgress":
    from babysitter.surfaces.cli.serving.serve import while_served
    from babysitter.surfaces.cli.submitting.ladder_progress import ProgressPrinter
    from babysitter.surfaces.cli.watching.start import when_interrupted
    from babysitter.usecases.ladders.run_ladder import prepared_ladder, run_ladder
    from babysitter.usecases.submitting.submit_job import LocalContext
    from babysitter.wiring import open_app

    machine = LocalContext(folder=Path.cwd(), environ=dict(os.environ), home=Path.home())
    async with open_app(settings) as opened:
        await prepared_ladder(opened, request)  # refuse a wrong file before a service is started for it
        printer = ProgressPrinter(opened, request.cluster, as_json=as_json, prints_lines=prints_lines)
        work = run_ladder(opened, request, machine, printer.show)
        try:
            with (
                hidden_waits(),
                when_interrupted(f"What was submitted goes on. To go on: babysit ladder run {request.file}"),
            ):
                # Steps of this machine need no service.
                _, progress = await (while_served(opened, settings_file, work) if request.cluster else work)
        finally:
            await printer.close()
    return progress


def _check_output(output: Path | None) -> None:
    """Refuse a place for the report before hours of jobs, not after them."""
    if output is None:
        return
    why = "is a directory" if output.is_dir() else "" if output.parent.is_dir() else "no such folder"
    if why:
        raise UserError(f"{output} cannot be written: {why}.", next_step="Name another file with -o.")


def _write_report(progress: "LadderProgress", output: Path | None) -> None:
    from babysitter.messages.ladder_report import ladder_report
    from babysitter.private_files import write_private

    text = ladder_report(progress.run, progress.attempts)
    if output is None:
        typer.echo(text)
        return
    try:
        write_private(output, text)
    except OSError as fault:
        raise UserError(
            f"{output} cannot be written: {fault.strerror}.", next_step="Name another file."
        ) from fault
    typer.echo(f"The report is in {output}.", err=True)


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UserError(f"--set {text} is not NAME=VALUE.", next_step="Write for example --set steps=100.")
    return name, value


def _variable(text: str) -> tuple[str, str]:
    words = split_variable(text)
    if not words[0] or "=" in words[0] or len(words) > 2:
        raise UserError(
            f"-e {' '.join(words)} is not KEY VALUE.", next_step="Write for example -e WORKERS 1."
        )
    return words[0], words[1] if len(words) == 2 else ""
