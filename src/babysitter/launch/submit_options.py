"""The options of `submit`, and the job that they describe."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from babysitter.backends.iris.cluster_offer import read_offer
from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.errors import UserError
from babysitter.launch.accelerator_choice import with_auto, with_scale_group
from babysitter.launch.job_name import generated_job_name

_PORT = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_MOST = 2**31 - 1  # the request holds 32 bits
_NAME = re.compile(r"[^/\s]+")


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """As typed; "", 0, None and () = not given. `ports`, `tpu` and `region` also take commas."""

    command: tuple[str, ...]
    variables: tuple[tuple[str, ...], ...] = ()
    job_name: str = ""
    user: str = ""
    tpu: tuple[str, ...] = ()
    gpu: str = ""
    cpu: float | None = None
    memory: str = ""
    disk: str = ""
    replicas: int | None = None
    region: tuple[str, ...] = ()
    zone: str = ""
    extra: tuple[str, ...] = ()
    reserve: tuple[str, ...] = ()
    priority: str = ""
    preemptible: bool | None = None
    max_retries: int = 0
    timeout_s: int = 0
    ports: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    scheduling_timeout_s: int = 0
    scale_group: str = ""
    auto: bool = False


def job_of(options: SubmitOptions, *, now: datetime, token: str) -> NewJob:
    """The job. Its name is generated from the command where none is given, `token` making it unique.

    Raises UserError that names every option at fault.
    """
    if not options.command:
        raise UserError("Which command?", next_step="Write it after `--`: babysit submit -- python train.py")
    faults = list(option_faults(options))
    if faults:
        raise UserError(" ".join(faults), next_step="See `babysit submit --help`.")
    return NewJob(
        name=options.job_name or generated_job_name(options.command, now, token),
        command=options.command,
        user=options.user,
        tpus=_several(options.tpu),
        gpu=options.gpu,
        cpu=options.cpu,
        memory=options.memory,
        disk=options.disk,
        replicas=options.replicas,
        regions=_several(options.region),
        zone=options.zone,
        extras=options.extra,
        reserve=options.reserve,
        priority=options.priority,
        preemptible=options.preemptible,
        max_retries=options.max_retries,
        timeout_s=options.timeout_s,
        ports=_several(options.ports),
        constraints=tuple(_pair(constraint) for constraint in options.constraints),
        scheduling_timeout_s=options.scheduling_timeout_s,
    )


def on_chosen_accelerator(job: NewJob, options: SubmitOptions, file: Path | None) -> tuple[NewJob, str]:
    """The job on what --scale-group or --auto stand for in this cluster file, and a sentence about it."""
    if not options.scale_group and not options.auto:
        return job, ""
    if options.scale_group and options.auto:
        raise UserError("--scale-group and --auto exclude each other.", next_step="Give one of them.")
    offer = read_offer(file) if file is not None else None
    if options.auto:
        return with_auto(job, offer)
    return with_scale_group(job, options.scale_group, offer)


def option_faults(options: SubmitOptions) -> Sequence[str]:
    """A sentence for each option whose value cannot be used anywhere."""
    faults = []
    if options.job_name and not _NAME.fullmatch(options.job_name):
        faults.append(f"--job-name '{options.job_name}' is not one word without '/'.")
    least = (
        ("--replicas", options.replicas, 1),
        ("--max-retries", options.max_retries, 0),
        ("--timeout", options.timeout_s, 0),
        ("--coscheduling-timeout", options.scheduling_timeout_s, 0),
        ("--cpu", options.cpu, 0),
    )
    faults += [
        f"{name} is at least {low}, not {value}." for name, value, low in least if (value or low) < low
    ]
    faults += [
        f"{name} is a number up to {_MOST}, not {value}."
        for name, value, _ in least
        if value is not None and not value <= _MOST  # NaN is not, either
    ]
    if options.replicas == 0:
        faults.append("--replicas is at least 1, not 0.")
    faults += [
        f"--constraint {constraint} is not KEY=VALUE."
        for constraint in options.constraints
        if not _pair(constraint)[1]
    ]
    ports = _several(options.ports)
    faults += [f"--ports {port} is not a name of a port." for port in ports if not _PORT.fullmatch(port)]
    if len(set(ports)) < len(ports):
        faults.append("--ports names a port twice.")
    return faults


def _several(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return (key.strip(), value.strip()) if key.strip() else ("", "")
