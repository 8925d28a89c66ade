"""`submit`: start a job, then watch it."""

import asyncio
import json
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.surfaces.cli.submitting.submitted_watch import Waiting, start_watched
from babysitter.surfaces.cli.submitting.variable_words import split_variable
from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    Iris,
    Json,
    Ray,
    SettingsFile,
    StateDir,
    Url,
    cluster_from,
    settings_from,
)
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.engine.cluster_pool import ClusterSpec
    from babysitter.surfaces.cli.submitting.submit_reply import SubmitReply
    from babysitter.usecases.submitting.submit_job import LocalContext, SubmitOptions, SubmitPlan

REFUSED = 1
NOT_SUBMITTED = "Not submitted: correct what is marked BLOCK."
SHOWN_FILES = 20


def submit(
    context: typer.Context,
    variables: Annotated[
        list[str],
        typer.Option(
            "-e",
            "--env-vars",
            "--env_vars",
            "--env",
            metavar="KEY [VALUE]",
            help="Set a variable; repeatable.",
        ),
    ] = [],  # noqa: B006 - typer copies it
    tpu: Annotated[
        list[str], typer.Option(metavar="TYPE", help="TPU type; several that will do with commas.")
    ] = [],  # noqa: B006
    gpu: Annotated[str, typer.Option(help="NAME, NAMExCOUNT or COUNT.")] = "",
    cpu: Annotated[float | None, typer.Option(help="CPUs per task.")] = None,
    memory: Annotated[str, typer.Option(help="Memory per task, such as 8GB.")] = "",
    disk: Annotated[str, typer.Option(help="Disk per task, such as 64GB.")] = "",
    scale_group: Annotated[
        str, typer.Option(help="A scale group of the cluster file, for its accelerator.")
    ] = "",
    auto: Annotated[
        bool, typer.Option("--auto", help="The smallest TPU that the cluster file offers.")
    ] = False,
    region: Annotated[
        list[str], typer.Option(metavar="NAME", help="Only machines of this region; repeatable.")
    ] = [],  # noqa: B006
    zone: Annotated[str, typer.Option(help="Only machines of this zone.")] = "",
    constraint: Annotated[
        list[str],
        typer.Option(
            "--constraint", "--constraints", metavar="KEY=VALUE", help="Only machines with this value."
        ),
    ] = [],  # noqa: B006
    preemptible: Annotated[
        bool | None, typer.Option("--preemptible/--no-preemptible", help="Machines that may be taken away.")
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(help="Tasks; default: as many as the TPU has machines.")
    ] = None,
    coscheduling_timeout: Annotated[
        int, typer.Option(help="Seconds that the tasks may wait for machines, 0 = no limit.")
    ] = 0,
    reserve: Annotated[
        list[str], typer.Option(metavar="[COUNT:]DEVICE", help="What to reserve; repeatable.")
    ] = [],  # noqa: B006
    priority: Annotated[str, typer.Option(help="production, interactive or batch.")] = "",
    extra: Annotated[
        list[str], typer.Option(metavar="NAME", help="An extra of the project; repeatable.")
    ] = [],  # noqa: B006
    ports: Annotated[list[str], typer.Option(metavar="NAME", help="Named ports; several with commas.")] = [],  # noqa: B006
    max_retries: Annotated[int, typer.Option(help="More attempts of a task that failed.")] = 0,
    timeout: Annotated[int, typer.Option(help="Seconds until a task is killed, 0 = never.")] = 0,
    job_name: Annotated[str, typer.Option(help="Name of the job; default: made from the command.")] = "",
    user: Annotated[str, typer.Option(help="Whose job it is; default: yours.")] = "",
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Stay until the job has ended (default).")
    ] = True,
    watch: Annotated[bool, typer.Option("--watch/--no-watch", help="Watch the job (default).")] = True,
    children: Annotated[
        bool,
        typer.Option(
            "--include-children-logs/--no-include-children-logs",
            help="Print lines of child jobs too (default).",
        ),
    ] = True,
    local: Annotated[bool, typer.Option("--local", help="Run the command on this machine instead.")] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Send the request over HTTP, not by the command.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show request and bundle; submit nothing.")
    ] = False,
    owner: Annotated[str, typer.Option(help="Who may approve: a Slack user id or user@host.")] = "",
    cluster: Cluster = "",
    controller_url: Url = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    ray: Ray = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
    only_check: Annotated[bool, typer.Option("--only-check", hidden=True)] = False,
) -> None:
    """Check a job, submit it from this folder, and watch it. While it runs, its lines are printed.

    The job goes through your iris command; options that the command lacks go over HTTP. Ctrl+C leaves the
    job and the watch alone.

    Exit codes while waiting: 0 the job succeeded, 1 failed or refused, 10 stopped by a person, 11 can never
    be scheduled, 12 lost its machines. With --no-wait: 0 accepted, 1 refused.
    """
    from babysitter.usecases.submitting.submit_job import LocalContext, SubmitOptions

    options = SubmitOptions(
        command=tuple(context.args),
        variables=tuple(split_variable(variable) for variable in variables),
        job_name=job_name,
        user=user,
        tpu=tuple(tpu),
        gpu=gpu,
        cpu=cpu,
        memory=memory,
        disk=disk,
        replicas=replicas,
        region=tuple(region),
        zone=zone,
        extra=tuple(extra),
        reserve=tuple(reserve),
        priority=priority,
        preemptible=preemptible,
        max_retries=max_retries,
        timeout_s=timeout,
        ports=tuple(ports),
        constraints=tuple(constraint),
        scheduling_timeout_s=coscheduling_timeout,
        scale_group=scale_group,
        auto=auto,
    )
    here = LocalContext(folder=Path.cwd(), environ=dict(os.environ), home=Path.home())
    if local:
        raise typer.Exit(asyncio.run(_run_here(options, here)))
    chosen = settings_from(settings, state_dir)
    spec = cluster_from(chosen, ClusterOptions(cluster, controller_url, config, iris_command, ray=ray))
    plan = asyncio.run(_plan(options, spec, here, wants_http=http))
    if only_check:
        raise typer.Exit(_checked(plan, as_json=as_json))
    reply = _reply(plan) if as_json else None
    if reply is None:
        _show_plan(plan)
    if any(finding.blocks for finding in plan.findings):
        typer.echo(reply.model_dump_json() if reply else NOT_SUBMITTED, err=reply is None)
        raise typer.Exit(REFUSED)
    if dry_run:
        shown = _shown_dry_run(plan)
        typer.echo(replace(reply, dry_run=shown).model_dump_json() if reply else shown)
        return
    submission = _submit(plan, here, reply)
    if watch:
        waiting = Waiting(waits=wait, children=children, reply=reply)
        raise typer.Exit(asyncio.run(start_watched(chosen, settings, plan, submission, owner, waiting)))
    job = asyncio.run(submission)
    if reply:
        typer.echo(replace(reply, job=job).model_dump_json())
        return
    typer.echo(job if not wait else f"Submitted {job}. It is not watched: babysit start {shlex.quote(job)}")


def _reply(plan: "SubmitPlan") -> "SubmitReply":
    """What `--json` prints of the plan; `job` is empty until it is submitted."""
    from babysitter.redact import redact
    from babysitter.surfaces.cli.submitting.submit_reply import SubmitFindingView, SubmitReply
    from babysitter.usecases.submitting.check_command import finding_view

    return SubmitReply(
        verdict="blocked" if any(finding.blocks for finding in plan.findings) else "ok",
        cluster=plan.cluster.name,
        generation=plan.generation,
        findings=[SubmitFindingView.of(finding_view(finding)) for finding in plan.findings],
        notes=[redact(note) for note in plan.notes],
    )


def _checked(plan: "SubmitPlan", *, as_json: bool) -> int:
    """Print what the checks found, as `preflight` does; its exit code."""
    from babysitter.surfaces.cli.submitting.preflight import shown_findings
    from babysitter.usecases.submitting.check_command import PreflightReply, finding_view

    is_blocked = any(finding.blocks for finding in plan.findings)
    reply = PreflightReply(
        verdict="blocked" if is_blocked else "ok",
        generation=plan.generation,
        findings=[finding_view(finding) for finding in plan.findings],
    )
    typer.echo(reply.model_dump_json() if as_json else shown_findings(reply))
    return REFUSED if is_blocked else 0


async def _plan(
    options: "SubmitOptions", spec: "ClusterSpec", here: "LocalContext", *, wants_http: bool
) -> "SubmitPlan":
    from babysitter.clock import SystemClock
    from babysitter.usecases.submitting.submit_job import plan_submit

    with waiting_for("the checks of the submission"):
        return await plan_submit(options, spec, here, SystemClock(), wants_http=wants_http)


async def _submit(plan: "SubmitPlan", here: "LocalContext", reply: "SubmitReply | None") -> str:
    """The id of the started job. A refusal ends the command with 1."""
    from babysitter.clock import SystemClock
    from babysitter.errors import SubmissionRefused
    from babysitter.redact import redact
    from babysitter.usecases.submitting.submit_job import submit_job

    try:
        with waiting_for("the cluster to accept the job"):
            return await submit_job(plan, here, SystemClock())
    except SubmissionRefused as refused:
        if reply is not None:
            notes = [*reply.notes, redact(str(refused))]
            typer.echo(replace(reply, verdict="refused", notes=notes).model_dump_json())
        typer.echo(f"babysit: {redact(str(refused))}", err=True)
        raise typer.Exit(REFUSED) from refused


def _show_plan(plan: "SubmitPlan") -> None:
    """What the checks found, and what was done to the request, on standard error."""
    from babysitter.redact import redact

    marks = {"block": "BLOCK", "warn": "warn", "info": "info"}
    for finding in plan.findings:
        typer.echo(f"{marks[finding.severity.value]}  {finding.id}: {redact(finding.reason)}", err=True)
        if finding.fix:
            typer.echo(f"       {redact(finding.fix)}", err=True)
    for note in plan.notes:
        typer.echo(redact(note), err=True)


def _shown_dry_run(plan: "SubmitPlan") -> str:
    from babysitter.usecases.submitting.submit_job import shown_request

    request = shown_request(plan)
    shown = request if isinstance(request, str) else json.dumps(request, indent=1, ensure_ascii=False)
    names = [path.relative_to(plan.folder).as_posix() for path in plan.files]
    size = f"{len(plan.bundle):,} bytes packed" if plan.bundle else f"{plan.files_bytes:,} bytes, not packed"
    more = [f"  ... and {len(names) - SHOWN_FILES} more"] if len(names) > SHOWN_FILES else []
    bundle = [f"Bundle: {len(names)} files, {size}", *(f"  {name}" for name in names[:SHOWN_FILES]), *more]
    way = "LaunchJob over HTTP" if plan.is_http else "Command"
    if plan.given is not None:
        way = "Over HTTP, as"
    return "\n".join([f"Job: {plan.job_id}", f"{way}: {shown}", *bundle, "Nothing was submitted."])


async def _run_here(options: "SubmitOptions", here: "LocalContext") -> int:
    """Run the command on this machine, its lines printed as they come."""
    from babysitter.surfaces.cli.watching.start import when_interrupted
    from babysitter.usecases.submitting.run_local_job import ignored_options, run_local_job

    if ignored := ignored_options(options):
        typer.echo(f"Without effect on this machine: {', '.join(ignored)}.", err=True)
    with when_interrupted("The job was stopped: it ran in this process's care."):
        end = await run_local_job(options, here.folder, here.environ, lambda line: typer.echo(line))
    if end.reason:
        typer.echo(end.reason, err=True)
    return 0 if not end.reason else REFUSED
