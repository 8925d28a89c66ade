"""`skills`: the instructions for coding agents, brought to where agents look."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.surfaces.cli.terminal.options import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from babysitter.usecases.agent_skills import Skill

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Skills for coding agents: list, check, install.",
)
PROJECT, PERSON = Path(".claude/skills"), Path("~/.claude/skills")


@app.command("list")
def list_skills(as_json: Json = False) -> None:
    """List the shipped skills: what each is for."""
    from babysitter.usecases.agent_skills import skills_in

    skills = skills_in()
    if as_json:
        _print(skills)
        return
    for skill in skills:
        typer.echo(f"{skill.name}: {skill.description}")


@app.command()
def check(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder of skills; default: the shipped ones.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Hold skills to the format. Exit code 2 when one breaks it."""
    from babysitter.usecases.agent_skills import skills_in

    skills = skills_in(folder)
    faults = [fault for skill in skills for fault in skill.faults]
    if as_json:
        _print(skills)
    else:
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
    from babysitter.usecases import agent_skills

    to = folder or (PERSON.expanduser() if for_me else PROJECT)
    for path in agent_skills.install(to, replace_edited=force):
        typer.echo(f"{path}")


def _print(skills: "Sequence[Skill]") -> None:
    from babysitter.surfaces.cli.terminal.json_replies import SkillsReply, SkillView

    views = [
        SkillView(
            name=skill.name,
            description=skill.description,
            folder=str(skill.folder),
            faults=list(skill.faults),
        )
        for skill in skills
    ]
    typer.echo(SkillsReply(skills=views).model_dump_json())
