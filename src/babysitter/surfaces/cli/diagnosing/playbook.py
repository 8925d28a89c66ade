"""`babysit playbook ...`: list, check and try the rules, and begin a new one."""

import asyncio
import json
import re
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.surfaces.cli.diagnosing.log_input import read_text
from babysitter.surfaces.cli.terminal.options import Exchange, SettingsFile, StateDir, settings_from
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.usecases.incidents.request_opinion import OpinionForDraft
    from babysitter.usecases.incidents.rule_precision import RuleRecord

_ID_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="List, check and test the rules.",
)

Paths = Annotated[
    list[Path] | None, typer.Argument(help="Playbook files or folders of your own, beside the shipped ones.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("list")
def list_rules(
    paths: Paths = None,
    cause: Annotated[str, typer.Option(help="Only rules of this cause.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the rules in force: id, severity, cause, where they are written."""
    from babysitter.workbench.playbook_tools import lint

    playbook, _ = lint(paths or [])
    placed = [located for located in playbook.placed if not cause or located.rule.cause.value == cause]
    if as_json:
        rules = [
            {
                "id": located.rule.id,
                "cause": located.rule.cause.value,
                "severity": located.rule.severity.value,
                "action": located.rule.action.kind.value,
                "retry": located.rule.retry.value,
                "confidence": located.rule.confidence,
                "consequence": located.rule.consequence,
                "place": str(located.place),
            }
            for located in placed
        ]
        typer.echo(json.dumps({"schema_version": 1, "rules": rules}, indent=2))
        return
    for located in placed:
        rule = located.rule
        typer.echo(f"{rule.id:<48} {rule.severity.value:<9} {rule.cause.value:<24} {located.place}")
    typer.echo(f"{len(placed)} rules.")


@app.command()
def lint(paths: Paths = None, as_json: AsJson = False) -> None:
    """Check playbooks: every fault of every file, with its line. Exit code 2 when there is one."""
    from babysitter.workbench.playbook_tools import lint

    with waiting_for("the rules to be checked"):
        playbook, faults = lint(paths or [])
    if as_json:
        told = [
            {
                "file": str(fault.place.path),
                "line": fault.place.line,
                "column": fault.place.column,
                "fault": fault.sentence,
            }
            for fault in faults
        ]
        typer.echo(json.dumps({"schema_version": 1, "rules": len(playbook.rules), "faults": told}, indent=2))
    else:
        for fault in faults:
            typer.echo(str(fault))
        typer.echo(f"{len(playbook.rules)} rules, {len(faults)} {'fault' if len(faults) == 1 else 'faults'}.")
    if faults:
        raise typer.Exit(2)


@app.command("test")
def try_all(paths: Paths = None, as_json: AsJson = False) -> None:
    """Try every specimen, example and scenario of these files, or of all. Exit code 2 when one fails."""
    from babysitter.workbench.playbook_tools import trial

    started = time.perf_counter()
    with waiting_for("every specimen and example to be tried"):
        report = trial(paths or [])
    took_s = time.perf_counter() - started
    if as_json:
        failed = [{"name": test_result.name, "trouble": test_result.trouble} for test_result in report.failed]
        shown = {"schema_version": 1, "tried": len(report.outcomes), "failed": failed}
        typer.echo(json.dumps(shown, indent=2))
    else:
        for outcome in report.failed:
            typer.echo(f"{outcome.name}: {outcome.trouble}")
        typer.echo(f"{len(report.outcomes)} tried, {len(report.failed)} failed, {took_s:.1f} s.")
    if report.failed:
        raise typer.Exit(2)


@app.command("new")
def new(
    line: Annotated[str, typer.Argument(help="A log file and the line in it: run.log:120.")] = "",
    from_incident: Annotated[
        str, typer.Option("--from", help="An incident's id, or a job: its newest incident.")
    ] = "",
    name: Annotated[str, typer.Option(help="Name of the signature, e.g. store-in-backup.")] = "",
    program: Annotated[str, typer.Option(help="The program that prints the line.")] = "own",
    cause: Annotated[Cause, typer.Option(help="What the line means.")] = Cause.UNKNOWN,
    to: Annotated[Path, typer.Option(help="Folder to write into.")] = Path(),
    advise: Annotated[
        bool, typer.Option("--advise", help="With --from: draft it from a second opinion on the incident.")
    ] = False,
    advisor_exchange: Exchange = None,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Draft a signature from a line of a log, or from an incident that nothing explained.

    With --advise its lines are the true quotes of a second opinion. It is shown only if it passes lint and
    its own specimens, and is never written where rules are in force.
    """
    from babysitter.workbench.playbook_tools import draft

    _check_names(program, name)
    if bool(line) == bool(from_incident):
        raise UserError("Name one line, or one incident.", next_step="Use FILE:LINE, or --from INCIDENT.")
    path = to / f"{program}.yaml"
    if advise or advisor_exchange is not None:
        if not from_incident:
            raise UserError("--advise needs an incident.", next_step="Use --from INCIDENT.")
        chosen = settings_from(settings, state_dir)
        _draft_advised(from_incident, chosen, path, advisor_exchange, name=name, program=program)
        return
    lines = (
        asyncio.run(_kept(from_incident, settings_from(settings, state_dir)))
        if from_incident
        else _line(line)
    )
    fresh = draft(lines, name, program=program, cause=cause)
    if path.exists():
        typer.echo(f"{path} exists already. Put this below its `says`:")
        typer.echo(fresh.partition("says:\n")[2].rstrip())
        return
    _write(path, fresh)
    typer.echo(f"Wrote {path}.")
    folder = shlex.quote(str(to))
    typer.echo(
        f"Complete source, explain and advice. `babysit playbook lint {folder}` names what is missing,"
    )
    typer.echo(f"`babysit playbook test {folder}` tries it.")


def _check_names(program: str, name: str) -> None:
    """Raise UserError for a program or name that cannot be part of a signature's id."""
    for option, value in (("--program", program), ("--name", name)):
        if value and not _ID_PART.fullmatch(value):
            raise UserError(
                f"{option} '{value}' is not a name: use letters, digits, '-' and '_'.",
                next_step="For example --program features --name in-backup.",
            )


def _write(path: Path, text: str) -> None:
    """Write a draft, in a new folder where needed. Raises UserError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise UserError(
            f"{path} cannot be written: {fault.strerror}.", next_step="Name another folder with --to."
        ) from fault


def _draft_advised(
    incident: str, settings: "Settings", path: Path, exchange: Path | None, *, name: str, program: str
) -> None:
    """Show a draft from a second opinion, and write it where it is not in force."""
    from babysitter.surfaces.printable import safe_lines
    from babysitter.usecases.incidents.request_opinion import opinion_for_draft
    from babysitter.wiring import open_app
    from babysitter.workbench.opinion_draft import draft_from_opinion, refuse_folder_in_force

    refuse_folder_in_force(path.parent, settings.playbooks)

    async def asking() -> "OpinionForDraft":
        async with open_app(settings) as opened:
            return await opinion_for_draft(opened, incident, exchange)

    found = asyncio.run(asking())
    with waiting_for("the draft to be tried"):
        fresh = draft_from_opinion(found.opinion, found.log, found.incident, program=program, name=name)
    typer.echo(safe_lines(fresh.rstrip()))
    if path.exists():
        typer.echo(f"{path} exists already; nothing was written.")
        return
    _write(path, fresh)
    typer.echo(f"Wrote {path}. It passes lint and its specimens, and is not in force:")
    typer.echo("read it, correct it, and name its folder in `playbooks` of the settings.")


@app.command("ledger")
def ledger(
    by_signature: Annotated[
        bool, typer.Option("--by-signature", help="Add up what the rules of each signature were.")
    ] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: AsJson = False,
) -> None:
    """Show how often each rule was right, as people said, and which rules count as hints for it."""
    from babysitter.usecases.incidents.explain import record_line

    records = asyncio.run(_records(settings_from(settings, state_dir), by_signature=by_signature))
    if as_json:
        rows = [
            {
                "rule": record.rule,
                "incidents": record.incidents,
                "right": record.right,
                "wrong": record.wrong,
                "precision": record.precision,
                "demoted": record.demoted,
            }
            for record in records
        ]
        typer.echo(json.dumps({"schema_version": 1, "by_signature": by_signature, "records": rows}, indent=2))
        return
    for record in records:
        typer.echo(record_line(record))
    if not records:
        typer.echo("No incident that a rule found is remembered yet: `babysit incidents` lists all.")


async def _records(settings: "Settings", *, by_signature: bool) -> "list[RuleRecord]":
    from babysitter.usecases.incidents import rule_precision
    from babysitter.wiring import open_app

    async with open_app(settings) as opened:
        records = await rule_precision.rule_ledger(opened)
        return rule_precision.by_signature(records, opened.playbook) if by_signature else records


def _line(place: str) -> list[str]:
    """The line that `FILE:LINE` names. Raises UserError."""
    file, _, number = place.rpartition(":")
    if not file or not number.isdigit():
        raise UserError(f"'{place}' does not name a line.", next_step="Write FILE:LINE, such as run.log:120.")
    lines = read_text([Path(file)]).splitlines()
    if not 0 < int(number) <= len(lines):
        raise UserError(f"{file} has {len(lines)} lines.", next_step="Lines count from 1.")
    return [lines[int(number) - 1]]


async def _kept(incident: str, settings: "Settings") -> list[str]:
    from babysitter.usecases.looking.stored_evidence import incident_log
    from babysitter.wiring import open_app

    async with open_app(settings) as opened:
        lines, _ = await incident_log(opened, incident, JobState.FAILED)
        return lines
