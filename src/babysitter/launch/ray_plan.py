"""What `submit` is going to do on Ray: the request, its files, its faults. Nothing is sent."""

import asyncio
import json
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.environment_file import read_environment_file
from babysitter.backends.iris.submission.bundle import bundle_files
from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.backends.ray.submission.stored_job import secret_variables, with_variables
from babysitter.backends.ray.submission.submit_command import given_submission
from babysitter.backends.registry import open_cluster, parse_job_id
from babysitter.clock import Clock
from babysitter.errors import UserError
from babysitter.launch.environment_rules import job_variables
from babysitter.launch.job_name import generated_job_name
from babysitter.launch.ray_request import ACCELERATOR_SHARE
from babysitter.launch.submit_options import SubmitOptions, option_faults
from babysitter.launch.submit_plan import SubmitPlan
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.preflight.facts import Purpose
from babysitter.preflight.resources.sizes import Units, parse_size

_NOT_ON_RAY: Mapping[str, str] = {
    "user": "--user",
    "tpu": "--tpu",
    "disk": "--disk",
    "replicas": "--replicas",
    "region": "--region",
    "zone": "--zone",
    "extra": "--extra",
    "reserve": "--reserve",
    "priority": "--priority",
    "preemptible": "--preemptible",
    "max_retries": "--max-retries",
    "timeout_s": "--timeout",
    "ports": "--ports",
    "constraints": "--constraint",
    "scheduling_timeout_s": "--coscheduling-timeout",
    "scale_group": "--scale-group",
    "auto": "--auto",
}


async def plan_on_ray(
    options: SubmitOptions,
    cluster: ClusterSpec,
    folder: Path,
    environ: Mapping[str, str],
    home: Path,
    clock: Clock,
) -> SubmitPlan:
    """The plan. Raises UserError for options that jobs on Ray do not have, and for what cannot be sent.

    In the command that is kept and shown, the value of a variable that is secret stands as `$NAME`; a restart
    reads it from the environment of the service.
    """
    _refuse(options)
    file = await asyncio.to_thread(read_environment_file, folder)
    variables = job_variables(file, options.variables, environ)
    name = options.job_name or generated_job_name(options.command, clock.now(), secrets.token_hex(2))
    job = parse_job_id(cluster, name)
    argv = submit_argv(options, variables)
    command = Submission(argv, SubmissionOrigin.RESUBMIT_FLAG, workdir=str(folder))
    kept = given_submission(command, cluster.url)
    assert kept.request is not None, "a command is read as a request"
    request: dict[str, Any] = dict(kept.request)
    if variables:
        request = with_variables(request, variables)
    given = replace(
        kept, job=job, request=request, fills={}, workdir=str(folder), launch=secrets.token_hex(8)
    )
    opened = open_cluster(cluster, clock=clock, home=home, working_dir=folder)
    try:
        findings = await opened.writer.preflight(given, purpose=Purpose.SUBMIT)
    finally:
        await opened.close()
    return SubmitPlan(
        job=NewJob(name=name, command=options.command),
        cluster=cluster,
        folder=folder,
        generation="",
        argv=argv,
        files=await asyncio.to_thread(bundle_files, folder),
        findings=findings,
        given=given,
    )


def submit_argv(options: SubmitOptions, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The `ray job submit` that asks for the same; values of secret variables stand in it as `$NAME`."""
    words = ["ray", "job", "submit", "--working-dir", "."]
    if variables:
        secret = secret_variables(variables)
        shown = {name: f"${name}" if name in secret else value for name, value in variables.items()}
        words += ["--runtime-env-json", json.dumps({"env_vars": shown}, ensure_ascii=False)]
    if options.cpu is not None:
        words += ["--entrypoint-num-cpus", f"{options.cpu:g}"]
    if options.gpu:
        count, kind = _gpu(options.gpu)
        words += ["--entrypoint-num-gpus", f"{count}"]
        if kind:
            share = json.dumps({f"accelerator_type:{kind}": ACCELERATOR_SHARE})
            words += ["--entrypoint-resources", share]
    if options.memory:
        words += ["--entrypoint-memory", str(_bytes(options.memory))]
    return (*words, "--", *options.command)


def _refuse(options: SubmitOptions) -> None:
    if not options.command:
        raise UserError("Which command?", next_step="Write it after `--`: babysit submit -- python train.py")
    given = {name for name in _NOT_ON_RAY if getattr(options, name) not in (None, "", 0, ())}
    if options.preemptible is not None:
        given.add("preemptible")
    if found := ", ".join(flag for name, flag in _NOT_ON_RAY.items() if name in given):
        raise UserError(f"Jobs on Ray do not have {found}.", next_step=f"Leave out {found}.")
    if faults := list(option_faults(options)):
        raise UserError(" ".join(faults), next_step="See `babysit submit --help`.")


def _gpu(text: str) -> tuple[int, str]:
    """2 -> (2, ""); H100 -> (1, "H100"); H100x2 -> (2, "H100")."""
    if text.isdecimal():
        return int(text), ""
    kind, separator, count = text.rpartition("x")
    return (int(count), kind) if separator and count.isdecimal() else (1, text)


def _bytes(text: str) -> int:
    found = parse_size(text, Units.BINARY)
    if not found:
        raise UserError(f"--memory {shlex.quote(text)} is not a size.", next_step="Write it as 8GB.")
    return found
