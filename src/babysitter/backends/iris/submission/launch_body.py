"""The body of LaunchJob for a new job, field by field what the client of the generation sends."""

import base64
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.backends.iris.submission.setup_commands import setup_commands, setup_scripts
from babysitter.errors import UserError
from babysitter.preflight.client.client_tables import gpu_names, tpu_types
from babysitter.preflight.resources.sizes import Units, parse_size

DEFAULT_MEMORY, DEFAULT_DISK = "1GB", "5GB"
DEFAULT_CPU: Mapping[str, float] = {"april": 0.5, "may": 0.1, "august": 0.1}
LEAST_ACCELERATOR_MILLICORES: Mapping[str, int] = {"april": 32_000, "may": 32_000, "august": 4_000}
DEFAULT_PREEMPTION_RETRIES = 1000
# Jobs up to this size are taken for ones that only start others: they go to machines that stay.
SMALL_MILLICORES, SMALL_MEMORY_BYTES = 1000, 4 * 1024**3
_VERBOSE_SETUP = "IRIS_DEBUG_UV_SYNC"

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """`generation`: april, may, august. `bundle`: the packed folder, or `bundle_id` of a stored one."""

    generation: str
    client_date: str = ""
    bundle: bytes = b""
    bundle_id: str = ""
    python_version: str = f"{sys.version_info.major}.{sys.version_info.minor}"


def launch_body(job: NewJob, context: LaunchContext) -> Json:
    """The whole body. Raises UserError that names the option at fault."""
    if not job.command:
        raise UserError("No command to run.", next_step="Give it after `--`.")
    resources = _resources(job, context.generation)
    replicas = _replicas(job)
    body: Json = {
        "name": job.job_id,
        "entrypoint": _entrypoint(job, context),
        "resources": resources,
        "environment": _environment(job, context),
        "replicas": replicas,
        "maxRetriesFailure": job.max_retries,
        "maxRetriesPreemption": DEFAULT_PREEMPTION_RETRIES
        if job.max_preemption_retries is None
        else job.max_preemption_retries,
        "existingJobPolicy": job.existing_job_policy.value,
    }
    if constraints := _constraints(job, resources, replicas):
        body["constraints"] = constraints
    if group := _coscheduled_by(job, replicas, context.generation):
        body["coscheduling"] = {"groupBy": group}
    if job.ports:
        body["ports"] = list(job.ports)
    if job.timeout_s:
        body["timeout"] = _duration(job.timeout_s)
    if job.scheduling_timeout_s:
        body["schedulingTimeout"] = _duration(job.scheduling_timeout_s)
    if job.reserve:
        _check_reserve(job, context.generation)
        body["reservation"] = {"entries": _reservation(job.reserve, context.generation)}
    if job.priority:
        body["priorityBand"] = f"PRIORITY_BAND_{job.priority.upper()}"
    if job.image:
        body["taskImage"] = job.image
    if context.bundle_id:
        body["bundleId"] = context.bundle_id
    elif context.bundle:
        body["bundleBlob"] = base64.b64encode(context.bundle).decode()
    if context.client_date and context.generation != "april":
        body["clientRevisionDate"] = context.client_date
    return body


def _entrypoint(job: NewJob, context: LaunchContext) -> Json:
    if context.generation == "august":
        setup = setup_scripts(
            extras=job.extras, pip_packages=job.pip_packages, python_version=context.python_version
        )
    else:
        setup = setup_commands(
            extras=job.extras,
            pip_packages=job.pip_packages,
            python_version=context.python_version,
            is_verbose=bool(job.variables.get(_VERBOSE_SETUP)),
        )
    entrypoint: Json = {"setupCommands": list(setup), "runCommand": {"argv": list(job.command)}}
    if job.workdir_files:
        files = {name: base64.b64encode(data).decode() for name, data in job.workdir_files.items()}
        entrypoint["workdirFiles"] = files
    return entrypoint


def _environment(job: NewJob, context: LaunchContext) -> Json:
    environment: Json = {"envVars": dict(job.variables)}
    if context.generation == "august":  # has the setup scripts in place of what they are made of
        environment["setupScripts"] = list(
            setup_scripts(
                extras=job.extras, pip_packages=job.pip_packages, python_version=context.python_version
            )
        )
        return environment
    if job.extras:
        environment["extras"] = list(job.extras)
    if job.pip_packages:
        environment["pipPackages"] = list(job.pip_packages)
    environment["pythonVersion"] = context.python_version
    return environment


def _resources(job: NewJob, generation: str) -> Json:
    device = _device(job, generation)
    cpu = DEFAULT_CPU[generation] if job.cpu is None else job.cpu
    millicores = int(cpu * 1000)
    if device:
        millicores = max(millicores, LEAST_ACCELERATOR_MILLICORES[generation])
    resources: Json = {
        "cpuMillicores": millicores,
        "memoryBytes": str(_bytes(job.memory or DEFAULT_MEMORY, "--memory")),
        "diskBytes": str(_bytes(job.disk or DEFAULT_DISK, "--disk")),
    }
    if device:
        resources["device"] = device
    return resources


def _device(job: NewJob, generation: str) -> Json:
    if job.tpus and job.gpu:
        raise UserError("--tpu and --gpu exclude each other.", next_step="Give one of them.")
    if job.tpus:
        known = [tpu_types()[name] for name in job.tpus if name in tpu_types()]
        if len({tpu.machines for tpu in known}) > 1:
            raise UserError(
                f"The TPU types {', '.join(job.tpus)} have different numbers of machines.",
                next_step="Name types that stand for each other, such as v6e-4,v5litepod-4.",
            )
        tpu = tpu_types().get(job.tpus[0])
        return {"tpu": {"variant": job.tpus[0], "count": tpu.chips if tpu else 0}}
    return {"gpu": _gpu(job.gpu, generation)} if job.gpu else {}


def _gpu(text: str, generation: str) -> Json:
    """NAME, NAMExCOUNT or COUNT, as the client reads it."""
    name, is_given, count = text.rpartition("x")
    if text.isdigit():
        name, count = "", text
    elif not (is_given and count.isdigit()):
        name, count = text, "1"
    known = {gpu_name.lower(): gpu_name for gpu_name in gpu_names(generation)}
    if (name and name.lower() not in known) or int(count) < 1:
        raise UserError(
            f"'{text}' is not a GPU that this cluster's client knows.",
            next_step=f"Write NAME, NAMExCOUNT or COUNT; known names: {', '.join(known.values())}.",
        )
    gpu: Json = {"count": int(count)}
    return {"variant": known[name.lower()], **gpu} if name else gpu


def _replicas(job: NewJob) -> int:
    tpu = tpu_types().get(job.tpus[0]) if job.tpus else None
    machines = tpu.machines if tpu else 1
    replicas = machines if job.replicas is None or (job.replicas == 1 and machines > 1) else job.replicas
    if replicas < 1:
        raise UserError(f"--replicas is at least 1, not {replicas}.")
    if replicas % machines:
        raise UserError(
            f"--replicas {replicas} does not fill whole slices: {job.tpus[0]} has {machines} machines each.",
            next_step=f"Give a multiple of {machines}, or leave --replicas out.",
        )
    return replicas


def _coscheduled_by(job: NewJob, replicas: int, generation: str) -> str:
    if job.tpus:
        tpu = tpu_types().get(job.tpus[0])
        return "tpu-name" if tpu and tpu.machines > 1 else ""
    if not job.gpu or replicas < 2:
        return ""
    if generation == "august":
        raise UserError(
            "Gangs of GPU tasks cannot be launched over HTTP in this generation.",
            next_step="Leave out the options that need HTTP, so that the iris command submits.",
        )
    return "pool"


def _constraints(job: NewJob, resources: Mapping[str, object], replicas: int) -> list[Json]:
    found: list[Json] = []
    if job.regions:
        found.append(_one_of("region", job.regions))
    if job.zone:
        found.append(_equal("zone", job.zone))
    if len(job.tpus) > 1:
        found.append(_one_of("device-variant", job.tpus))
    is_small = (
        job.is_small_pinned
        and "device" not in resources
        and replicas == 1
        and int(str(resources["cpuMillicores"])) <= SMALL_MILLICORES
        and int(str(resources["memoryBytes"])) <= SMALL_MEMORY_BYTES
    )
    if job.preemptible is not None:
        found.append(_equal("preemptible", str(job.preemptible), is_wish=job.preemptible))
    elif is_small:
        found.append(_equal("preemptible", "false"))
    found += [_equal(key, value) for key, value in job.constraints]
    own = {str(constraint["key"]) for constraint in found}
    return found + [
        dict(constraint) for constraint in job.inherited_constraints if str(constraint.get("key")) not in own
    ]


def _equal(key: str, value: str, *, is_wish: bool = False) -> Json:
    """Values are compared in lower case."""
    return {
        "key": key,
        "op": "CONSTRAINT_OP_EQ",
        "value": {"stringValue": value.strip().lower()},
        "mode": "CONSTRAINT_MODE_PREFERRED" if is_wish else "CONSTRAINT_MODE_REQUIRED",
    }


def _one_of(key: str, values: Sequence[str]) -> Json:
    if len(values) == 1:
        return _equal(key, values[0])
    return {
        "key": key,
        "op": "CONSTRAINT_OP_IN",
        "values": [{"stringValue": value.strip().lower()} for value in values],
        "mode": "CONSTRAINT_MODE_REQUIRED",
    }


def _check_reserve(job: NewJob, generation: str) -> None:
    if generation == "may" and (job.regions or job.zone):
        raise UserError(
            "--reserve chooses the place by itself in this generation.",
            next_step="Leave out --region and --zone, or --reserve.",
        )


def _reservation(reserve: Sequence[str], generation: str) -> list[Json]:
    """[COUNT:]DEVICE of each, as many entries as machines."""
    if generation == "august":
        raise UserError(
            "--reserve cannot be sent over HTTP in this generation.",
            next_step="Leave out the options that need HTTP, so that the iris command submits.",
        )
    entries: list[Json] = []
    for spec in reserve:
        count, is_counted, device = spec.rpartition(":")
        if is_counted and (not count.isdigit() or int(count) < 1):
            raise UserError(f"--reserve {spec} is not [COUNT:]DEVICE.", next_step="Write --reserve 4:H100x8.")
        tpu = tpu_types().get(device)
        wanted: Json = (
            {"tpu": {"variant": device, "count": tpu.chips}} if tpu else {"gpu": _gpu(device, generation)}
        )
        resources = {"cpuMillicores": LEAST_ACCELERATOR_MILLICORES[generation], "device": wanted}
        entries += [{"resources": resources}] * (int(count) if is_counted else 1)
    return entries


def _duration(seconds: int) -> Json:
    return {"milliseconds": str(seconds * 1000)}


def _bytes(text: str, option: str) -> int:
    size = parse_size(text, Units.BINARY)
    if size is None:
        raise UserError(f"{option} {text} is not a size.", next_step="Write for example 8GB or 512MB.")
    return size
