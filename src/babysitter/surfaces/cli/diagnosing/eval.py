"""`babysit eval`: the diagnosis measured on labelled cases, by rules alone or with a second opinion."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import (
    Advise,
    Exchange,
    Json,
    Playbooks,
    SettingsFile,
    advice_settings,
)
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.workbench.compare_advice import AdviceComparison
    from babysitter.workbench.evaluate import EvaluationReport

MAX_REASONS = 5  # cases without an opinion that are named


def evaluate(
    cases: Annotated[Path, typer.Argument(help="Folder or file of labelled cases (*.yaml).")],
    predictions: Annotated[
        Path | None, typer.Option(help="Write one JSON line per case: id, cause, action, text.")
    ] = None,
    playbooks: Playbooks = None,
    show_wrong: Annotated[
        bool, typer.Option("--wrong", help="List the cases that were judged wrongly.")
    ] = False,
    advise: Advise = False,
    advisor_exchange: Exchange = None,
    settings: SettingsFile = None,
    as_json: Json = False,
) -> None:
    """Measure the diagnosis on labelled cases.

    Cause, strict: how often it is the labelled cause. Lenient: that, or a cause that the label also accepts.
    Action: how often the labelled action is advised. False alarms: benign cases that are reported. Missed:
    fatal cases that are not. Leaked secrets: secrets of the cases that are printed.

    fixtures/diagnosis.yaml has examples of cases.
    """
    from babysitter.playbook.load import load
    from babysitter.shipped import shipped
    from babysitter.workbench import evaluate as service

    if predictions is not None:
        _write(predictions, "", mode="a")  # a place that cannot be written is refused now, not after minutes
    with waiting_for("the diagnosis of every case"):
        report = service.evaluate(service.read_cases(cases), load([shipped(), *(playbooks or [])]))
    comparison = None
    if advise or advisor_exchange is not None:
        with waiting_for("the second opinion on every case"):
            comparison = asyncio.run(_compared(report, settings, advisor_exchange))
        report = comparison.advised
    if predictions is not None:
        lines = [json.dumps(case.prediction, ensure_ascii=False) for case in report.graded]
        _write(predictions, "\n".join(lines) + "\n")
    if as_json:
        figures = service.as_json(report)
        if comparison is not None:
            from babysitter.workbench.compare_advice import comparison_json

            figures["advice"] = comparison_json(comparison)
        typer.echo(json.dumps(figures, indent=2, ensure_ascii=False))
        return
    if comparison is not None:
        _print_comparison(comparison)
    _print_report(report, show_wrong=show_wrong)


def _write(path: Path, text: str, *, mode: Literal["a", "w"] = "w") -> None:
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise UserError(
            f"{path} cannot be written: {fault.strerror}.", next_step="Name another file with --predictions."
        ) from fault


async def _compared(
    report: "EvaluationReport", settings: SettingsFile, exchange: Path | None
) -> "AdviceComparison":
    """The same cases with a second opinion, within its share of the day."""
    from babysitter.usecases.incidents.second_opinion import command_advisor
    from babysitter.workbench.compare_advice import compare

    chosen = advice_settings(settings, exchange)
    async with command_advisor(chosen, exchange, is_evaluation=True) as advisor:
        return await compare(report, advisor)


def _print_comparison(comparison: "AdviceComparison") -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from babysitter.surfaces.cli.terminal.output_console import console

    before, after = comparison.rules, comparison.advised
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("", "rules alone", "with a second opinion"):
        table.add_column(heading)
    for name, one, other in (
        ("cause, strict", before.strict, after.strict),
        ("cause, lenient", before.lenient, after.lenient),
        ("action", before.action, after.action),
        ("false alarms in benign cases", before.false_alarms, after.false_alarms),
        ("missed fatal cases", before.missed_fatal, after.missed_fatal),
    ):
        table.add_row(name, str(one), str(other))
    screen = console()
    screen.print(table)
    cases, cost = max(1, len(before.graded)), comparison.usage.cost_usd
    ways = ", ".join(f"{name} {count}" for name, count in comparison.weighings.items())
    rows = [
        ("opinions", f"{comparison.opinions}: {ways}"),
        ("actions made worse", ", ".join(comparison.worse_actions) or "none"),
        ("untrue quotes dropped", str(comparison.dropped_quotes)),
        ("a question, tokens", f"about {comparison.question_tokens // cases:,}"),
        ("cost per case", "price not known" if cost is None else f"{cost / cases:.4f} USD"),
    ]
    for name, value in rows:
        screen.print(Text(f"{name:<30}{value}"))
    for case, reason in list(comparison.without.items())[:MAX_REASONS]:
        screen.print(Text(f"{case}: no opinion: {reason}"))
    if len(comparison.without) > MAX_REASONS:
        screen.print(Text(f"and {len(comparison.without) - MAX_REASONS} more cases without an opinion"))


def _print_report(report: "EvaluationReport", *, show_wrong: bool) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from babysitter.surfaces.cli.terminal.output_console import console

    screen = console()
    rows = [
        ("cases", str(len(report.graded))),
        ("cause, strict", str(report.strict)),
        ("cause, lenient", str(report.lenient)),
        ("action", str(report.action)),
        ("false alarms in benign cases", str(report.false_alarms)),
        ("missed fatal cases", str(report.missed_fatal)),
        ("leaked secrets", str(report.leaked)),
    ]
    for name, value in rows:
        screen.print(Text(f"{name:<30}{value}"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("cause", "strict", "lenient", "said instead"):
        table.add_column(heading)
    for cause, (strict, lenient, instead) in report.per_cause.items():
        table.add_row(cause, str(strict), str(lenient), instead)
    screen.print(table)
    levels = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("confidence", "mean", "right"):
        levels.add_column(heading)
    for level, mean, right in report.calibration:
        levels.add_row(level, f"{mean:.2f}", str(right))
    screen.print(levels)
    for case in report.graded if show_wrong else ():
        if not case.is_lenient or case.is_false_alarm or case.is_missed_fatal:
            label = case.case.label
            said = f"{case.cause.value}/{case.action.value}"
            screen.print(
                Text(f"{case.case.id}: said {said}, labelled {label.cause.value}/{label.action.value}")
            )
