"""A job request in the words of Ray. Pure, but for the pickling of a function."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from babysitter.errors import UserError
from babysitter.launch.callable_payload import RUNNER_FILE, callable_files
from babysitter.launch.job_request import JobRequest
from babysitter.launch.resource_config import GpuConfig, ResourceConfig, TpuConfig
from babysitter.preflight.resources.sizes import Units, parse_size

ACCELERATOR_SHARE = 0.001  # Ray's convention: so much of `accelerator_type:NAME` names a kind of node


@dataclass(frozen=True, slots=True)
class RayRequest:
    """`body`: without an id and without the job's files. `files`: to be sent with those of the folder."""

    body: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)


def ray_request_of(request: JobRequest) -> RayRequest:
    """The request. Raises UserError that names what Ray cannot do, and for a call that cannot be pickled."""
    if faults := list(_faults(request)):
        raise UserError(
            f"On Ray {'; '.join(faults)}.", next_step="Leave that out, or choose another cluster."
        )
    entry, files = request.entrypoint, dict[str, bytes]()
    if entry.callable_entrypoint is not None:
        files = dict(callable_files(entry.callable_entrypoint, unpickler="ray.cloudpickle as cloudpickle"))
        command = f"python -u {RUNNER_FILE}"
    else:
        assert entry.binary_entrypoint is not None, "an entrypoint is one of the two"
        command = shlex.join(entry.binary_entrypoint.argv)
    environment = request.environment
    own = dict(environment.env_vars) if environment else {}
    variables = {**request.resources.device.default_env_vars(), **own}
    runtime: dict[str, Any] = {"env_vars": variables} if variables else {}
    if environment and environment.pip_packages:
        runtime["pip"] = list(environment.pip_packages)
    body: dict[str, Any] = {"entrypoint": command, **entrypoint_resources(request.resources)}
    return RayRequest({**body, "runtime_env": runtime} if runtime else body, files)


def entrypoint_resources(resources: ResourceConfig) -> dict[str, Any]:
    """What is reserved for the entrypoint; actors and tasks of the job ask for their own."""
    found: dict[str, Any] = {"entrypoint_num_cpus": resources.cpu}
    if memory := parse_size(resources.ram, Units.BINARY):
        found["entrypoint_memory"] = memory
    device = resources.device
    if isinstance(device, GpuConfig):
        found["entrypoint_num_gpus"] = device.count
        if device.variant:
            found["entrypoint_resources"] = {f"accelerator_type:{device.variant}": ACCELERATOR_SHARE}
    if isinstance(device, TpuConfig):
        found["entrypoint_resources"] = {"TPU": device.chip_count()}
    return found


def _faults(request: JobRequest) -> list[str]:
    """What the request wants and a submission to Ray cannot say."""
    environment, resources = request.environment, request.resources
    wants = {
        "a job has one entrypoint, not several replicas": (request.replicas or 1) > 1,
        "jobs are not tried again: leave max_retries_failure out": request.max_retries_failure > 0,
        "regions and zones are not known": bool(resources.regions or resources.zone),
        "jobs run in the image of their node": bool(
            resources.image or (environment and environment.docker_image)
        ),
        "extras are not installed: name pip_packages": bool(environment and environment.extras),
    }
    return [words for words, is_wanted in wants.items() if is_wanted]
