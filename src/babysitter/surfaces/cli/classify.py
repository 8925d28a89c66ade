"""`babysit classify` and `babysit eval`: the diagnosis offline, on files and on labelled cases."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.surfaces.cli.log_input import read_standard_input, read_text
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.usecases.classify_text import Examined
    from babysitter.workbench.evaluate import EvaluationReport

Playbooks = Annotated[
    list[Path] | None, typer.Option("--playbooks", help="Further folders of rules; later ones win.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def classify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Log files, also .gz and .zst; - or nothing reads standard input."),
    ] = None,
    kind: Annotated[str, typer.Option(help="Kind of job (zephyr, plain, training, ray); empty = any.")] = "",
    threads: Annotated[list[Path] | None, typer.Option(help="A thread dump as text (py-spy).")] = None,
    state: Annotated[JobState | None, typer.Option(help="The job's state, as the cluster says.")] = None,
    exit_code: Annotated[int | None, typer.Option(help="Exit code of the task.")] = None,
    error: Annotated[str, typer.Option(help="Error field of the job or task.")] = "",
    pending_reason: Annotated[str, typer.Option(help="Why it is not placed, as the cluster says.")] = "",
    last_log_age: Annotated[float | None, typer.Option(help="Age of the newest line in seconds.")] = None,
    why_not: Annotated[
        Cause | None, typer.Option(help="Say instead why this cause was not found: which demands failed.")
    ] = None,
    playbooks: Playbooks = None,
    as_json: Json = False,
) -> None:
    """Find the cause in log files, offline: cause first, then the lines that prove it, then what to do."""
    from babysitter.playbook.load import load
    from babysitter.shipped import shipped
    from babysitter.usecases.classify_text import examine, missing

    with waiting_for("the rules to be read, which takes seconds the first time"):
        rules = load([shipped(), *(playbooks or [])]).for_job("", kind)
    facts = JobFacts(
        state=state,
        exit_code=exit_code,
        error=error,
        pending_reason=pending_reason,
        last_line_age_s=last_log_age,
    )
    names = [path for path in files or [] if str(path) != "-"]
    is_enough_without = bool(threads or error or pending_reason)
    text = read_text(names) if names else read_standard_input(may_be_empty=is_enough_without)
    source = names[0].name if len(names) == 1 else "log"
    dumps = [read_text([each]) for each in threads or []]
    with waiting_for(f"the diagnosis of {len(text):,} characters"):
        examined = examine(text, rules, facts, source=source, dumps=dumps)
        if why_not is not None:
            examined = replace(examined, reasons=missing(text, rules, why_not, facts, dumps=dumps))
    if why_not is not None and not as_json:
        _print_reasons(examined)
        return
    if as_json:
        _print_json(source, examined)
    else:
        _print_words(examined)


def evaluate(
    cases: Annotated[Path, typer.Argument(help="Folder (or file) of labelled cases.")],
    predictions: Annotated[
        Path | None, typer.Option(help="Write one JSON line per case: id, cause, action, text.")
    ] = None,
    playbooks: Playbooks = None,
    show_wrong: Annotated[
        bool, typer.Option("--wrong", help="List the cases that were judged wrongly.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure the diagnosis on labelled cases: accuracy, false alarms, missed fatal ones, leaked secrets."""
    from babysitter.playbook.load import load
    from babysitter.shipped import shipped
    from babysitter.workbench import evaluate as service

    with waiting_for("the diagnosis of every case"):
        report = service.evaluate(service.read_cases(cases), load([shipped(), *(playbooks or [])]))
    if predictions is not None:
        lines = [json.dumps(each.prediction, ensure_ascii=False) for each in report.graded]
        predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(service.as_json(report), indent=2, ensure_ascii=False))
        return
    _print_report(report, show_wrong=show_wrong)


def _print_json(source: str, examined: "Examined") -> None:
    from babysitter.surfaces.views import DiagnoseReply, DiagnosisView, ReasonView

    reply = DiagnoseReply(
        job=source,
        diagnosis=DiagnosisView.of(examined.diagnosis),
        reasons=[ReasonView.of(each) for each in examined.reasons],
    )
    typer.echo(reply.model_dump_json())


def _print_reasons(examined: "Examined") -> None:
    from babysitter.surfaces.printable import safe

    for reason in examined.reasons:
        typer.echo(f"{'yes' if reason.holds else 'no '}  {safe(reason.name)}: {safe(reason.text)}")


def _print_words(examined: "Examined") -> None:
    from rich.text import Text

    from babysitter.surfaces.cli.terminal_view import console, diagnosis_block, evidence_lines
    from babysitter.surfaces.printable import safe
    from babysitter.surfaces.views import DiagnosisView
    from babysitter.usecases.classify_text import advice_of

    view = DiagnosisView.of(examined.diagnosis)
    screen = console()
    screen.print(diagnosis_block(view))
    if view.cascade:
        screen.print(Text("What followed:", style="dim"))
        for line in evidence_lines(view.cascade[:3]):
            screen.print(line)
    screen.print(
        Text.assemble(("What to do: ", "bold"), safe(advice_of(examined.diagnosis, examined.findings)))
    )


def _print_report(report: "EvaluationReport", *, show_wrong: bool) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from babysitter.surfaces.cli.terminal_view import console

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
    for each in report.graded if show_wrong else ():
        if not each.is_lenient or each.is_false_alarm or each.is_missed_fatal:
            label = each.case.label
            said = f"{each.cause.value}/{each.action.value}"
            screen.print(
                Text(f"{each.case.id}: said {said}, labelled {label.cause.value}/{label.action.value}")
            )
