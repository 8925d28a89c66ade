"""`babysit incidents ...`: what is remembered, what it is like, and what people say it really was."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import NotAllowed, UserError
from babysitter.model.finding import Cause
from babysitter.surfaces.cli.terminal.options import (
    Json,
    SettingsFile,
    StateDir,
    is_at_terminal,
    me,
    settings_from,
)
from babysitter.surfaces.duration_option import parse_duration

if TYPE_CHECKING:
    from babysitter.model.past_incident import Recalled

MAX_SINCE = timedelta(days=3650)
MAX_SHOWN = 1000
MAX_LINE_CHARS = 100

app = typer.Typer(
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="List remembered incidents, find similar ones, and say what they really were.",
)

Incident = Annotated[str, typer.Argument(help="Id of the incident, as `babysit incidents` shows it.")]


@app.callback()
def incidents(
    context: typer.Context,
    like: Annotated[str, typer.Option(help="Only those like this incident, the nearest first.")] = "",
    cause: Annotated[
        Cause | None, typer.Option(help="Only of this cause: as a person said, else as judged.")
    ] = None,
    since: Annotated[str, typer.Option(help="Only of this last time, e.g. 30d.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=MAX_SHOWN, help="Show at most this many.")] = 20,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """List remembered incidents, newest first; with --like the nearest first."""
    if context.invoked_subcommand is not None:
        return
    lasts = parse_duration(since, at_most=MAX_SINCE, option="--since") if since else None

    async def finding() -> "list[Recalled]":
        from babysitter.usecases.incidents.find_incidents import find_incidents
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as opened:
            begins_at = opened.clock.now() - lasts if lasts else None
            return await find_incidents(opened, like=like, cause=cause, since=begins_at, at_most=limit)

    found = asyncio.run(finding())
    if as_json:
        from babysitter.surfaces.memory_views import PastIncidentsReply

        typer.echo(PastIncidentsReply.of(found).model_dump_json())
        return
    if like and not found:
        typer.echo(f"No other incident is like {like}.")
        return
    for line in _table(found, has_likeness=bool(like)):
        typer.echo(line)


def _table(found: "list[Recalled]", *, has_likeness: bool) -> list[str]:
    """One incident in two lines: what it was and how it ended, then the line that decided."""
    from babysitter.messages.seen_before import teacher_in_words
    from babysitter.surfaces.memory_views import PastIncidentView
    from babysitter.surfaces.printable import safe

    if not found:
        return ["No incident is remembered that fits."]
    lines = []
    for recalled in found:
        view = PastIncidentView.of(recalled)
        alike = f"{recalled.likeness:>4.0%} alike  " if has_likeness else ""
        said = f"  (really, says {safe(teacher_in_words(recalled.past))})" if view.true_cause else ""
        ended = f"  {view.outcome}" if view.outcome else ""
        lines.append(f"{alike}{view.id:<16} {view.at:%Y-%m-%d}  {view.known_cause}{said}  {view.job}{ended}")
        lines += [f"    {text[:MAX_LINE_CHARS]}" for text in view.templates[:1]]
    return lines


@app.command()
def teach(
    incident: Incident,
    cause: Annotated[str, typer.Argument(help="`right`, `wrong`, or what it really was.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take back what you said.")] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Say whether the cause was right, or what it really was. Your newest word counts.

    The next card of a similar incident says it. Rules that people keep calling wrong count less
    (`babysit playbook ledger`). Needs a person at a terminal: called by a program it exits 4.
    """
    if undo == bool(cause):
        raise UserError(
            "Say `right`, `wrong` or a cause, or give --undo.",
            next_step=f"For example: babysit incidents teach {incident} host-oom",
        )
    if cause and cause not in {"right", "wrong", *Cause}:
        raise UserError(
            f"'{cause}' is not a cause.", next_step=f"One of right, wrong, {', '.join(sorted(Cause))}."
        )

    if not is_at_terminal():
        raise NotAllowed(
            "Teaching needs a person at a terminal.",
            next_step="Run this command in a terminal of your own, or use the card in Slack.",
        )

    async def teaching() -> str:
        from babysitter.model.ids import IncidentId
        from babysitter.usecases.incidents import teach_incident
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as opened:
            name = IncidentId(incident)
            if undo:
                return await teach_incident.take_back(opened, name, me())
            named = Cause(cause) if cause in set(Cause) else None
            return await teach_incident.teach(opened, name, me(), was_right=cause == "right", cause=named)

    typer.echo(asyncio.run(teaching()))
    if not undo:
        typer.echo(f"Take it back with: babysit incidents teach {incident} --undo")


@app.command("export")
def export_file(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Write the memory into a file: redacted, one JSON object per line. To share with a team."""

    async def exporting() -> int:
        from babysitter.usecases.incidents.share_incidents import export_incidents
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as opened:
            return await export_incidents(opened, file)

    count = asyncio.run(exporting())
    typer.echo(f"Wrote {count} incident{'' if count == 1 else 's'} to {file}.")


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="A file that `babysit incidents export` wrote.")],
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Remember the incidents of a file. Safe to repeat: known ones stay as they are."""

    async def importing() -> str:
        from babysitter.usecases.incidents.share_incidents import import_incidents
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as opened:
            imported = await import_incidents(opened, file)
        return f"Remembered {imported.fresh} incidents; {imported.known} were known."

    typer.echo(asyncio.run(importing()))


def learn(
    folder: Annotated[Path, typer.Argument(help="Labelled cases (*.yaml), a file or a folder.")],
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Remember labelled cases, in the format of `babysit eval`, as incidents that you have taught.

    Called by a program, without a terminal, the causes are remembered as labels and not as your word.
    """
    person = me() if is_at_terminal() else ""

    async def learning() -> str:
        from babysitter.usecases.incidents.share_incidents import keep
        from babysitter.wiring import open_app
        from babysitter.workbench.evaluate import read_cases
        from babysitter.workbench.learn_cases import learned_incidents

        cases = read_cases(folder)
        async with open_app(settings_from(settings, state_dir)) as opened:
            pasts = learned_incidents(cases, opened.playbook, at=datetime.now(UTC), by=person)
            imported = await keep(opened, pasts)
        as_labels = "" if person else " Their causes are kept as labels, not as your word: no terminal."
        return f"Remembered {imported.fresh} cases; {imported.known} were known.{as_labels}"

    from babysitter.waits import waiting_for

    with waiting_for(f"the cases of {folder} to be judged"):
        sentence = asyncio.run(learning())
    typer.echo(sentence)
