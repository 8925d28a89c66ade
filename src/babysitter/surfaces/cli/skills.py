"""`skills`: the instructions for coding agents, brought to where agents look."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Skills for coding agents: list, check, install.")
PROJECT, PERSON = Path(".claude/skills"), Path("~/.claude/skills")


@app.command("list")
def list_skills() -> None:
    """List the shipped skills: what each is for."""
    from babysitter.service.skills import skills_in

    for each in skills_in():
        typer.echo(f"{each.name}: {each.description}")


@app.command()
def check(
    folder: Annotated[Path | None, typer.Argument(help="A folder of skills; ours when left out.")] = None,
) -> None:
    """Hold skills to the format. Exit code 2 when one breaks it."""
    from babysitter.service.skills import skills_in

    skills = skills_in(folder)
    faults = [fault for each in skills for fault in each.faults]
    for fault in faults:
        typer.echo(fault)
    typer.echo(f"{len(skills)} skills, {len(faults)} faults.")
    if faults or not skills:
        raise typer.Exit(2)


@app.command()
def install(
    folder: Annotated[
        Path | None, typer.Option("--dir", help=f"Where the agent looks; {PROJECT} here when left out.")
    ] = None,
    for_me: Annotated[bool, typer.Option("--user", help=f"Into {PERSON}, for all projects.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace skills that were edited there.")] = False,
) -> None:
    """Copy the skills to where coding agents look for them."""
    from babysitter.service import skills

    to = folder or (PERSON.expanduser() if for_me else PROJECT)
    for each in skills.install(to, replace_edited=force):
        typer.echo(f"{each}")
