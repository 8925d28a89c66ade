"""`preflight`: check a submission before it is made."""

import asyncio
import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.submitting.preflight_words import is_iris_line
from babysitter.surfaces.cli.terminal.options import Json, settings_from
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.usecases.submitting.check_command import PreflightReply


def preflight(
    context: typer.Context,
    generation: Annotated[
        Literal["april", "may", "august"] | None,
        typer.Option(help="Generation of client and controller, where no controller is asked."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Path of an Iris cluster file: it says which machines there are.")
    ] = None,
    controller_url: Annotated[str, typer.Option(help="Address of an Iris controller, to ask it too.")] = "",
    purpose: Annotated[
        Literal["submit", "resubmit"], typer.Option(help="A new job, or the successor of a stopped one.")
    ] = "submit",
    line: Annotated[str, typer.Option(help="The command as typed, before the shell expands variables.")] = "",
    as_json: Json = False,
    submit_words: Annotated[str, typer.Option("--submit-words", hidden=True)] = "",
) -> None:
    """Check an `iris job run` command in this folder and environment, without running it.

    Or a job as `babysit submit` takes it: babysit preflight --cluster NAME --memory 8GB -- python x.py,
    with every option of submit.

    Exit code 0: it may be submitted, perhaps with warnings. 1: it would be refused, or the job would fail.
    """
    from babysitter.usecases.submitting.check_command import CommandToCheck, check_command

    if submit_words:
        raise typer.Exit(_check_submit(json.loads(submit_words)))
    argv = tuple(context.args)
    if not argv and line:
        argv = _words(line)
    places = {"--config": str(config or ""), "--controller-url": controller_url}
    given = [word for name, value in places.items() if value for word in (name, value)]
    if argv and not is_iris_line(argv) and (given or settings_from(None, None).default_cluster):
        raise typer.Exit(_check_submit([*given, *(["--json"] if as_json else []), "--", *argv]))
    if not argv:
        raise UserError(
            "Which command?", next_step="babysit preflight -- iris --cluster NAME job run -- python x.py"
        )
    command = CommandToCheck(
        argv=argv,
        line=line,
        generation=generation or "",
        config=config,
        controller_url=controller_url,
        purpose=purpose,
        folder=Path.cwd(),
        environ=dict(os.environ),
        home=Path.home(),
    )
    with waiting_for("the checks"):
        reply = asyncio.run(check_command(command))
    typer.echo(reply.model_dump_json() if as_json else shown_findings(reply))
    if reply.verdict == "blocked":
        raise typer.Exit(1)


def _check_submit(words: list[str]) -> int:
    """Check what `submit` would do with these words; the exit code."""
    from babysitter.surfaces.cli.commands import load

    result = load("submit").main(
        ["--only-check", *words], prog_name="babysit preflight", standalone_mode=False
    )
    return result if isinstance(result, int) else 0


def _words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(os.path.expandvars(line)))
    except ValueError as fault:
        raise UserError(f"--line cannot be read: {fault}.", next_step="Quote it as in a shell.") from fault


def shown_findings(reply: "PreflightReply") -> str:
    """The findings for people, and the verdict."""
    words = {"block": "BLOCK", "warn": "warn ", "info": "info "}
    lines = []
    for finding in reply.findings:
        lines.append(f"{words[finding.severity]}  {finding.id}: {finding.reason}")
        if finding.fix:
            lines.append(f"       {finding.fix}")
        if finding.command:
            lines.append(f"       {shlex.join(finding.command)}")
    end = "Blocked: correct what is marked BLOCK." if reply.verdict == "blocked" else "It may be submitted."
    return "\n".join([*lines, end])
