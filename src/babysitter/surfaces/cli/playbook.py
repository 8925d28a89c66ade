"""`babysit playbook ...`: list, check and try the rules, and begin a new one."""

import asyncio
import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.surfaces.cli.options import SettingsFile, StateDir, settings_from
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.config import Settings

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
    placed = [each for each in playbook.placed if not cause or each.rule.cause.value == cause]
    if as_json:
        rules = [
            {
                "id": each.rule.id,
                "cause": each.rule.cause.value,
                "severity": each.rule.severity.value,
                "action": each.rule.action.kind.value,
                "retry": each.rule.retry.value,
                "confidence": each.rule.confidence,
                "consequence": each.rule.consequence,
                "place": str(each.place),
            }
            for each in placed
        ]
        typer.echo(json.dumps({"schema_version": 1, "rules": rules}, indent=2))
        return
    for each in placed:
        rule = each.rule
        typer.echo(f"{rule.id:<48} {rule.severity.value:<9} {rule.cause.value:<24} {each.place}")
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
        typer.echo(f"{len(playbook.rules)} rules, {len(faults)} faults.")
    if faults:
        raise typer.Exit(2)


@app.command("test")
def try_all(
    paths: Paths = None,
    show_coverage: Annotated[
        bool, typer.Option("--coverage", help="Also say what each rule leaves unsaid.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Try every example of every rule, and every scenario. Exit code 2 when one fails."""
    from babysitter.workbench.playbook_tools import trial

    started = time.perf_counter()
    with waiting_for("every example of every rule to be tried"):
        report = trial(paths or [])
    took_s = time.perf_counter() - started
    thin = [each for each in report.coverage if each.missing]
    if as_json:
        shown: dict[str, object] = {
            "schema_version": 1,
            "tried": len(report.outcomes),
            "failed": [{"name": each.name, "trouble": each.trouble} for each in report.failed],
        }
        if show_coverage:
            shown["coverage"] = [
                {
                    "rule": each.rule,
                    "match": each.matching,
                    "no_match": each.not_matching,
                    "missing": list(each.missing),
                }
                for each in report.coverage
            ]
        typer.echo(json.dumps(shown, indent=2))
    else:
        for outcome in report.failed:
            typer.echo(f"{outcome.name}: {outcome.trouble}")
        if show_coverage:
            for each in thin:
                typer.echo(f"{each.rule}: says nothing of {', '.join(each.missing)}")
            typer.echo(f"{len(report.coverage) - len(thin)} of {len(report.coverage)} rules are complete.")
        typer.echo(f"{len(report.outcomes)} tried, {len(report.failed)} failed, {took_s:.1f} s.")
    if report.failed:
        raise typer.Exit(2)


@app.command("from-incident")
def from_incident(
    incident: Annotated[str, typer.Argument(help="Its id, its job, or its log as a text file.")],
    name: Annotated[str, typer.Option(help="Name of the rule, e.g. feature-store-in-backup.")],
    playbook: Annotated[str, typer.Option(help="Name of the playbook.")] = "own",
    cause: Annotated[Cause, typer.Option(help="What it really was.")] = Cause.UNKNOWN,
    state: Annotated[JobState, typer.Option(help="State of the job, where a file does not say.")] = (
        JobState.FAILED
    ),
    to: Annotated[Path, typer.Option(help="Folder to write into.")] = Path(),
    settings: SettingsFile = None,
    state_dir: StateDir = None,
) -> None:
    """Begin a rule from an incident that nobody understood: a rule to complete, and its scenario."""
    from babysitter.workbench.playbook_tools import stub

    log = Path(incident)
    if log.is_file():
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    else:
        lines, state = asyncio.run(_kept(incident, settings_from(settings, state_dir), state))
    fresh = stub(lines, name, playbook=playbook, cause=cause, state=state)
    rule_file, scenario_file = to / f"{playbook}.yaml", to / f"{playbook}.test.yaml"
    for path in (rule_file, scenario_file):
        if path.exists():
            raise UserError(f"{path} exists already.", next_step="Choose another --playbook or --to.")
    to.mkdir(parents=True, exist_ok=True)
    rule_file.write_text(fresh.rule, encoding="utf-8")
    scenario_file.write_text(fresh.scenario, encoding="utf-8")
    typer.echo(f"Wrote {rule_file} and {scenario_file}.")
    typer.echo(f"Complete the rule, then run `babysit playbook test {shlex.quote(str(to))}`.")


async def _kept(incident: str, settings: "Settings", state: JobState) -> tuple[list[str], JobState]:
    from babysitter.usecases.stored_evidence import incident_log
    from babysitter.wiring import open_app

    async with open_app(settings) as opened:
        return await incident_log(opened, incident, state)
