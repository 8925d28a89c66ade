"""`diagnose`, `explain`, `report`: looking, changing nothing."""

import asyncio
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.diagnosing.log_input import read_text
from babysitter.surfaces.cli.diagnosing.opinion_view import print_opinion
from babysitter.surfaces.cli.terminal.options import (
    Advise,
    Against,
    Cluster,
    ClusterFile,
    ClusterOptions,
    DriverLog,
    Exchange,
    Iris,
    Json,
    OfCluster,
    Ray,
    RaySession,
    SettingsFile,
    Ssh,
    StateDir,
    Transport,
    Url,
    session_from,
    settings_from,
)
from babysitter.surfaces.cli.watching.watched_cluster import cluster_of_job
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.model.opinion import Combined
    from babysitter.usecases.looking.diagnose_job import Looked


def diagnose(
    job: Annotated[str, typer.Argument(help="Full id of the job: /user/name, or an id of Ray.")] = "",
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    ray_session: RaySession = None,
    ssh: Ssh = "",
    log: DriverLog = None,
    config: ClusterFile = "",
    iris_command: Iris = "",
    transport: Transport = "rpc",
    second_look: Annotated[
        bool | None,
        typer.Option(
            "--second-look/--no-second-look",
            help="Look again after 20 s if that decides; default: yes at a terminal, no with --json.",
        ),
    ] = None,
    against: Against = None,
    advise: Advise = False,
    advisor_exchange: Exchange = None,
    settings: SettingsFile = None,
    as_json: Json = False,
) -> None:
    """Look at a job once and print what is wrong. Only reads, and stores nothing.

    For a log file use `babysit classify`.
    """
    from babysitter.surfaces.diagnose_reply import reply_of
    from babysitter.surfaces.views import DiagnoseReply
    from babysitter.usecases.incidents.find_incidents import sentence_from_memory
    from babysitter.usecases.looking.diagnose_job import diagnose_once

    chosen = settings_from(settings, None)
    session = session_from(ray_session, log, [job] if job else None, must_run=False, ssh=ssh)
    given = ClusterOptions(cluster, controller_url, config, iris_command, transport, ray)
    if session is not None:
        spec, job = session
    else:
        try:
            spec = cluster_of_job(chosen, job, given)
        except UserError as fault:
            if Path(job).is_file():
                raise UserError(
                    f"{job} is a file, not the id of a job.", next_step=f"Run `babysit classify {job}`."
                ) from fault
            raise
    is_patient = sys.stdout.isatty() and not as_json if second_look is None else second_look
    good = [read_text([path]) for path in against or []]
    if advise or advisor_exchange is not None:
        from babysitter.usecases.incidents.second_opinion import open_advisor

        open_advisor(chosen, advisor_exchange)  # refused before the look where nobody is named
    with waiting_for(f"a look at {job}"):
        looked = asyncio.run(diagnose_once(job, spec, chosen, is_patient=is_patient, against=good))
        seen = asyncio.run(sentence_from_memory(chosen, looked.verdict, looked.observation))
    combined = None
    if advise or advisor_exchange is not None:
        with waiting_for("the second opinion"):
            combined = asyncio.run(_advised(looked, chosen, advisor_exchange))
    reply = replace(reply_of(DiagnoseReply, job, looked, combined), seen_before=seen)
    if as_json:
        typer.echo(reply.model_dump_json())
        return
    from rich.text import Text

    from babysitter.messages.demotion_words import demotion_lines
    from babysitter.surfaces.cli.diagnosing.diagnosis_screen import first_screen
    from babysitter.surfaces.cli.terminal import terminal_view
    from babysitter.surfaces.printable import safe

    console = terminal_view.console()
    print_opinion(combined, console)
    is_well = reply.diagnosis.severity == "benign"
    console.print(first_screen(reply.diagnosis, [] if is_well else reply.quoted, reply.followed))
    for line in demotion_lines(looked.verdict.reasons):
        console.print(safe(line), markup=False)
    if reply.seen_before:
        console.print(Text.assemble(("Seen before: ", "bold"), reply.seen_before))
    if reply.outlook:
        console.print(Text("Progress:", style="bold"))
        console.print(terminal_view.outlook_block(reply.outlook, now=datetime.now(UTC)))


async def _advised(looked: "Looked", settings: "Settings", exchange: Path | None) -> "Combined":
    from babysitter.usecases.incidents.second_opinion import advise_on_look, command_advisor

    async with command_advisor(settings, exchange) as advisor:
        return (await advise_on_look(advisor, looked)).combined


def explain(
    job: Annotated[str, typer.Argument(help="Job id or watch id.")],
    why_not: Annotated[
        str,
        typer.Option(help="Explain why a suspicion (zombie, stuck) or a cause (host-oom) was not reported."),
    ] = "",
    all_reasons: Annotated[bool, typer.Option("--all", help="List every reason with its values.")] = False,
    cluster: OfCluster = "",
    advice: Annotated[
        bool, typer.Option("--advice", help="Print the second opinions on its incidents in full.")
    ] = False,
    advise: Annotated[
        bool,
        typer.Option("--advise", help="Ask for a second opinion on its newest incident, unless it has one."),
    ] = False,
    advisor_exchange: Exchange = None,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Explain the last verdict on a watched job: what speaks for it, against it, and what would change it."""
    from babysitter.surfaces.printable import safe

    async def explaining() -> str:
        from babysitter.surfaces.diagnosis_view import ReasonView
        from babysitter.surfaces.opinion_views import OpinionView
        from babysitter.surfaces.views import ExplainReply
        from babysitter.usecases.incidents.explain import advice_lines, as_lines
        from babysitter.usecases.incidents.explain import explain as explain_watch
        from babysitter.usecases.watching.manage_watches import find_watch
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as app:
            watch = await find_watch(app, job, cluster=cluster)
            if advise or advisor_exchange is not None:
                from babysitter.usecases.incidents.request_opinion import advise_now

                lines = await advise_now(app, watch, advisor_exchange)
                if not as_json:
                    return "\n".join(map(safe, lines))
            if advice:
                return "\n".join(map(safe, await advice_lines(app, watch)))
            found = await explain_watch(app, watch.id, why_not=why_not)
        if as_json:
            reply = ExplainReply(
                job=found.watch.root,
                phase=found.watch.phase,
                cause=found.verdict.cause if found.verdict else "unknown",
                reasons=[ReasonView.of(reason) for reason in found.reasons],
                opinion=OpinionView.of(found.opinion),
            )
            return reply.model_dump_json()
        return "\n".join(map(safe, as_lines(found, is_whole=all_reasons)))

    typer.echo(asyncio.run(explaining()))


def report(
    job: Annotated[str, typer.Argument(help="Job id or watch id.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; default: the terminal.")
    ] = None,
    cluster: OfCluster = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Write the timeline of a job as Markdown."""

    async def reporting() -> str:
        from babysitter.usecases.incidents.report import report as report_watch
        from babysitter.usecases.watching.manage_watches import find_watch
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as app:
            watch = await find_watch(app, job, cluster=cluster)
            text = await report_watch(app, watch.id)
        if not as_json:
            return text
        from babysitter.surfaces.cli.terminal.json_replies import ReportReply

        return ReportReply(job=watch.root, watch=watch.id, phase=watch.phase, markdown=text).model_dump_json()

    from babysitter.private_files import write_private

    text = asyncio.run(reporting())
    if output is None:
        typer.echo(text)
        return
    try:
        write_private(output, text)
    except OSError as fault:
        raise UserError(
            f"{output} cannot be written: {fault.strerror}.", next_step="Name another file."
        ) from fault
    typer.echo(f"The report is in {output}.")
