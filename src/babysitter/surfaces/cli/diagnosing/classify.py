"""`babysit classify`: the diagnosis offline, on log files."""

import gc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.surfaces.cli.diagnosing.log_input import not_a_log, read_standard_input, read_text
from babysitter.surfaces.cli.terminal.options import (
    Advise,
    Against,
    Exchange,
    Json,
    Playbooks,
    SettingsFile,
    advice_settings,
)
from babysitter.waits import waiting_for

MAX_LOG_AGE_S = 10 * 365 * 86_400

if TYPE_CHECKING:
    from collections.abc import Mapping

    from babysitter.model.ids import RuleId
    from babysitter.model.opinion import Combined
    from babysitter.surfaces.diagnosis_view import DiagnosisView, QuotedLineView
    from babysitter.usecases.looking.classify_text import Examined


def classify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            readable=False,  # typer's own refusal has no next step
            help="Log files (also .gz, .zst) or Ray session folders; - or none: read standard input.",
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="Kind of job: zephyr, plain, training or ray; default: any.")
    ] = "",
    threads: Annotated[
        list[Path] | None, typer.Option(help="File with a thread dump (py-spy); repeatable.")
    ] = None,
    state: Annotated[
        JobState | None,
        typer.Option(help="State of the job. Give it if you know it: the verdict gets surer."),
    ] = None,
    exit_code: Annotated[int | None, typer.Option(help="Exit code of the task.")] = None,
    error: Annotated[str, typer.Option(help="Error field of the job or task.")] = "",
    pending_reason: Annotated[str, typer.Option(help="Reason of the cluster why the job waits.")] = "",
    last_log_age: Annotated[
        float | None, typer.Option(help="Seconds since the newest line was printed.")
    ] = None,
    why_not: Annotated[
        Cause | None,
        typer.Option(metavar="CAUSE", help="Print instead why this cause was not found, e.g. host-oom."),
    ] = None,
    against: Against = None,
    advise: Advise = False,
    advisor_exchange: Exchange = None,
    playbooks: Playbooks = None,
    settings: SettingsFile = None,
    as_json: Json = False,
) -> None:
    """Find the cause of a failure in log files, offline.

    Prints the cause, the lines that prove it, and what to do.
    """
    gc.disable()  # modules and rules live until the command ends: the collector would search them for nothing
    from babysitter.playbook.load import load
    from babysitter.shipped import shipped
    from babysitter.usecases.looking.classify_text import (
        examine,
        good_runs_of,
        kind_of_document,
        lines_around,
        missing,
    )

    if last_log_age is not None and not 0 <= last_log_age <= MAX_LOG_AGE_S:
        raise UserError(
            f"--last-log-age {last_log_age:g} is not an age.", next_step="Give seconds, such as 900."
        )
    with waiting_for("the rules to be read, which takes seconds the first time"):
        rules = load([shipped(), *(playbooks or [])]).for_job("", kind)
    gc.freeze()
    gc.enable()
    facts = JobFacts(
        state=state,
        exit_code=exit_code,
        error=error,
        pending_reason=pending_reason,
        last_line_age_s=last_log_age,
    )
    names = [path for path in files or [] if str(path) != "-"]
    dumps = [read_text([thread]) for thread in threads or []]
    good = good_runs_of([read_text([path]) for path in against or []])
    demoted = _demoted(settings)
    folder = None
    if any(path.is_dir() for path in names):
        from babysitter.usecases.looking.classify_folder import examine_folder

        with waiting_for("the folder to be read"):
            folder = examine_folder(names, rules, facts, dumps=dumps, good=good, demoted=demoted)
        text, source, facts, examined = folder.text, folder.folder.name, folder.facts, folder.examined
        if not as_json:
            typer.echo(f"Read from {source}: {folder.folder.summary}.", err=True)
    else:
        is_enough_without = bool(threads or error or pending_reason)
        text = read_text(names) if names else read_standard_input(may_be_empty=is_enough_without)
        source = names[0].name if len(names) == 1 else "log"
        if facts == JobFacts() and not dumps and (document := kind_of_document(text)):
            raise not_a_log(source if names else "Standard input", document)
        with waiting_for(f"the diagnosis of {len(text):,} characters"):
            examined = examine(text, rules, facts, source=source, dumps=dumps, good=good, demoted=demoted)
    if why_not is not None:
        examined = replace(examined, reasons=missing(text, rules, why_not, facts, dumps=dumps))
    if why_not is not None and not as_json:
        _print_reasons(examined)
        return
    combined = None
    if advise or advisor_exchange is not None:
        import asyncio

        from babysitter.usecases.incidents.second_opinion import advise_on_text, command_advisor

        async def advised() -> "Combined":
            async with command_advisor(
                advice_settings(settings, advisor_exchange), advisor_exchange
            ) as advisor:
                return (await advise_on_text(advisor, text, facts, examined, dumps=dumps)).combined

        with waiting_for("the second opinion"):
            combined = asyncio.run(advised())
    from babysitter.messages.demotion_words import demotion_lines
    from babysitter.messages.first_screen import WhatFollowed, followed_words, quote_evidence
    from babysitter.surfaces.cli.diagnosing.diagnosis_screen import first_screen
    from babysitter.surfaces.cli.terminal.output_console import console
    from babysitter.surfaces.diagnosis_view import DiagnosisView, QuotedLineView
    from babysitter.surfaces.printable import safe, safe_lines

    diagnosis = examined.diagnosis
    around = () if folder is not None else lines_around(text, diagnosis.evidence, source=source)
    quoted = folder.quoted if folder is not None else quote_evidence(diagnosis, around)
    followed = followed_words(diagnosis, WhatFollowed.of_facts(facts, examined.verdict.reasons), quoted)
    shown = (
        DiagnosisView.of(diagnosis),
        [QuotedLineView.of(quoted_line) for quoted_line in quoted],
        safe_lines(followed),
    )
    if as_json:
        _print_json(source, examined, combined, *shown)
        return
    screen = console()
    if combined is not None:
        from babysitter.surfaces.cli.diagnosing.opinion_view import print_opinion

        print_opinion(combined, screen)
    screen.print(first_screen(*shown))
    for line in demotion_lines(examined.verdict.reasons):
        screen.print(safe(line), markup=False)
    if startup := examined.verdict.outlook.startup:
        from rich.text import Text

        screen.print(Text.assemble(("Start-up: ", "bold"), safe(startup)))


def _demoted(settings: Path | None) -> "Mapping[RuleId, str]":
    """Rules that people keep calling wrong. Settings that cannot be read are no reason not to classify."""
    from babysitter.surfaces.cli.terminal.options import quick_state_folder
    from babysitter.usecases.incidents.quick_demotions import may_have_demotions

    folder = quick_state_folder(settings, None)
    if folder is not None and not may_have_demotions(folder):
        return {}
    import asyncio

    from babysitter.config import load_settings
    from babysitter.errors import BadConfig
    from babysitter.usecases.incidents.stored_demotions import stored_demotions

    try:
        return asyncio.run(stored_demotions(load_settings(settings)))
    except BadConfig as fault:
        typer.echo(f"What people said of rules is left out: {fault.sentence}", err=True)
        return {}


def _print_json(
    source: str,
    examined: "Examined",
    combined: "Combined | None",
    diagnosis: "DiagnosisView",
    quoted: "list[QuotedLineView]",
    followed: str,
) -> None:
    from babysitter.surfaces.diagnosis_view import ReasonView
    from babysitter.surfaces.opinion_views import OpinionView
    from babysitter.surfaces.views import DiagnoseReply, OutlookView

    reply = DiagnoseReply(
        job=source,
        diagnosis=diagnosis,
        outlook=OutlookView.of(examined.verdict.outlook) if examined.verdict.outlook.startup else None,
        reasons=[ReasonView.of(reason) for reason in examined.reasons],
        quoted=quoted,
        followed=followed,
        opinion=OpinionView.of(combined),
    )
    typer.echo(reply.model_dump_json())


def _print_reasons(examined: "Examined") -> None:
    from babysitter.surfaces.printable import safe

    for reason in examined.reasons:
        typer.echo(f"{'yes' if reason.holds else 'no '}  {safe(reason.name)}: {safe(reason.text)}")
