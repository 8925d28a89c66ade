"""Run a command on this machine as a job, without a cluster."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.environment_file import read_environment_file
from babysitter.errors import UserError
from babysitter.launch import Entrypoint, EnvironmentConfig, JobRequest, JobStatus, LocalClient, LocalLimits
from babysitter.launch.environment_rules import job_variables
from babysitter.launch.job_name import command_stem
from babysitter.launch.submit_options import SubmitOptions
from babysitter.preflight.resources.sizes import Units, parse_size


@dataclass(frozen=True, slots=True)
class LocalEnd:
    """How the job ended. `reason`: a sentence where it did not succeed."""

    status: JobStatus
    reason: str = ""


def ignored_options(options: SubmitOptions) -> tuple[str, ...]:
    """The options in use that mean nothing on this machine."""
    given: tuple[tuple[str, object], ...] = (
        ("--tpu", options.tpu),
        ("--gpu", options.gpu),
        ("--cpu", options.cpu),
        ("--disk", options.disk),
        ("--replicas", options.replicas),
        ("--region", options.region),
        ("--zone", options.zone),
        ("--extra", options.extra),
        ("--reserve", options.reserve),
        ("--priority", options.priority),
        ("--preemptible", options.preemptible is not None),
        ("--ports", options.ports),
        ("--constraint", options.constraints),
        ("--coscheduling-timeout", options.scheduling_timeout_s),
        ("--scale-group", options.scale_group),
        ("--auto", options.auto),
        ("--user", options.user),
    )
    return tuple(name for name, value in given if value)


async def run_local_job(
    options: SubmitOptions, folder: Path, environ: Mapping[str, str], on_line: Callable[[str], None]
) -> LocalEnd:
    """Run the command to its end, each of its lines handed to `on_line`. Cancelling this stops it.

    Of the options, the variables, --max-retries, --timeout and --memory hold here; the memory is measured and
    a job that takes more is killed. Raises UserError for a command that cannot be started.
    """
    if not options.command:
        raise UserError("Which command?", next_step="babysit submit --local -- python -c \"print('smoke')\"")
    variables = job_variables(read_environment_file(folder), options.variables, environ)
    memory = parse_size(options.memory, Units.BINARY) if options.memory else None
    if options.memory and memory is None:
        raise UserError(f"--memory {options.memory} is not a size.", next_step="Write for example 8GB.")
    limits = LocalLimits(memory_bytes=memory, timeout_s=options.timeout_s or None)
    client = LocalClient(limits, on_line=on_line, environ=environ)
    job = client.submit(
        JobRequest(
            name=options.job_name or command_stem(options.command),
            entrypoint=Entrypoint.from_binary(options.command[0], options.command[1:]),
            environment=EnvironmentConfig(
                workspace=str(folder), env_vars={"PYTHONUNBUFFERED": "1", **variables}
            ),
            max_retries_failure=options.max_retries,
        )
    )
    try:
        status = await asyncio.to_thread(job.wait, raise_on_failure=False)
    except asyncio.CancelledError:
        await asyncio.to_thread(job.terminate)
        raise
    return LocalEnd(status, job.reason)
