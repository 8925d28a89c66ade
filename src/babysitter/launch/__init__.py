"""Starting jobs from Python: describe a job, submit it to a client, wait for it.

    from babysitter.launch import Entrypoint, JobRequest, ResourceConfig, current_client

    job = current_client().submit(
        JobRequest(
            name="train",
            entrypoint=Entrypoint.from_callable(main, args=[config]),
            resources=ResourceConfig.with_tpu("v5litepod-16"),
        )
    )
    job.wait()

Everything here blocks. Tests use `FakeClient`, which records requests and starts nothing.
"""

from babysitter.launch.clients.current_client import current_client, set_current_client
from babysitter.launch.clients.fake_client import FakeClient, FakeJobHandle
from babysitter.launch.clients.iris_client import IrisClient
from babysitter.launch.clients.job_handle import Client, JobAlreadyExists, JobFailed, JobHandle, wait_all
from babysitter.launch.clients.local_client import LocalClient, LocalJobHandle
from babysitter.launch.clients.process_group import LocalLimits
from babysitter.launch.clients.ray_client import RayClient
from babysitter.launch.job_request import (
    BinaryEntrypoint,
    CallableEntrypoint,
    Entrypoint,
    EnvironmentConfig,
    JobRequest,
    JobStatus,
    create_environment,
)
from babysitter.launch.resource_config import (
    CpuConfig,
    DeviceConfig,
    GpuConfig,
    ResourceConfig,
    TpuConfig,
)

__all__ = [
    "BinaryEntrypoint",
    "CallableEntrypoint",
    "Client",
    "CpuConfig",
    "DeviceConfig",
    "Entrypoint",
    "EnvironmentConfig",
    "FakeClient",
    "FakeJobHandle",
    "GpuConfig",
    "IrisClient",
    "JobAlreadyExists",
    "JobFailed",
    "JobHandle",
    "JobRequest",
    "JobStatus",
    "LocalClient",
    "LocalJobHandle",
    "LocalLimits",
    "RayClient",
    "ResourceConfig",
    "TpuConfig",
    "create_environment",
    "current_client",
    "set_current_client",
    "wait_all",
]
