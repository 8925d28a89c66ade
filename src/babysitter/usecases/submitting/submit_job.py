"""Submit a new job: plan it, check it, start it. Watching it is the next step, and another use case."""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import open_cluster
from babysitter.clock import Clock
from babysitter.errors import BadConfig, Unreachable
from babysitter.launch.cluster_names import cluster_file_of
from babysitter.launch.planners import planner_of
from babysitter.launch.submit_options import SubmitOptions, job_of, on_chosen_accelerator
from babysitter.launch.submit_plan import (
    SubmitPlan,
    SubmitRequest,
    launch_plan,
    plan_submission,
    shown_request,
)
from babysitter.model.ids import JobId

__all__ = ["LocalContext", "SubmitOptions", "SubmitPlan", "plan_submit", "shown_request", "submit_job"]


@dataclass(frozen=True, slots=True)
class LocalContext:
    """Where a submission is made: the folder that is shipped, the environment and home of the person."""

    folder: Path
    environ: Mapping[str, str]
    home: Path


async def plan_submit(
    options: SubmitOptions,
    cluster: ClusterSpec,
    machine: LocalContext,
    clock: Clock,
    *,
    wants_http: bool = False,
) -> SubmitPlan:
    """What would be submitted, with every finding of the checks. Changes nothing.

    Raises UserError for options that cannot be met, ExternalError if the cluster does not answer.
    """
    if (planned := planner_of(cluster)) is not None:
        return await planned(options, cluster, machine.folder, machine.environ, machine.home, clock)
    cluster, file = await asyncio.to_thread(_with_file, cluster, machine)
    job = job_of(options, now=clock.now(), token=secrets.token_hex(2))
    job, choice = await asyncio.to_thread(on_chosen_accelerator, job, options, file)
    request = SubmitRequest(
        job=job,
        cluster=cluster,
        folder=machine.folder,
        home=machine.home,
        environ=machine.environ,
        variables=options.variables,
        wants_http=wants_http,
    )
    plan = await plan_submission(request, clock)
    return replace(plan, notes=(choice, *plan.notes)) if choice else plan


async def submit_job(plan: SubmitPlan, machine: LocalContext, clock: Clock) -> JobId:
    """Start the job of a plan; its id.

    Raises SubmissionRefused if the cluster said no. Where no answer came the job is looked for by its name,
    which nobody else uses: Unreachable is raised only if it is not there, or that is not answered either.
    """
    cluster = open_cluster(plan.cluster, clock=clock, home=machine.home, working_dir=machine.folder)
    try:
        try:
            if plan.is_http:
                return await launch_plan(plan, clock, home=machine.home)
            return await cluster.writer.submit(plan.submission)
        except Unreachable:
            found = await cluster.reader.find(plan.job_id)
            if found is None:
                raise
            return found.id
    finally:
        await cluster.close()


def _with_file(cluster: ClusterSpec, machine: LocalContext) -> tuple[ClusterSpec, Path | None]:
    """The cluster, and its file if it has one. A name that only we understand is replaced by the file."""
    if cluster.config:
        return cluster, machine.folder / Path(cluster.config).expanduser()
    if not cluster.cluster:
        return cluster, None
    try:
        file = cluster_file_of(cluster.cluster, home=machine.home, working_dir=machine.folder)
    except BadConfig:
        if cluster.cluster == cluster.name:
            raise
        return cluster, None
    if file.stem == cluster.cluster:
        return cluster, file
    return replace(cluster, cluster="", config=str(file)), file
