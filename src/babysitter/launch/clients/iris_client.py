"""Runs jobs on an Iris cluster, over HTTP. Blocking: its requests run in a thread of its own."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.submission.bundle import bundle_files
from babysitter.backends.iris.submission.job_launcher import open_launcher
from babysitter.backends.iris.submission.new_job import ExistingJobPolicy, NewJob
from babysitter.backends.iris.submission.workspace_zip import pack_workspace
from babysitter.backends.registry import spec_from_options
from babysitter.clock import SystemClock
from babysitter.errors import SubmissionRefused, UserError
from babysitter.launch.callable_payload import TASK_COMMAND, callable_files
from babysitter.launch.clients.call_thread import CallThread
from babysitter.launch.clients.cluster_job_handle import ClusterJobHandle
from babysitter.launch.clients.job_handle import JobAlreadyExists
from babysitter.launch.environment_rules import with_standard_variables
from babysitter.launch.job_request import JobRequest
from babysitter.launch.resource_config import GpuConfig, TpuConfig
from babysitter.model.ids import JobId


@dataclass(frozen=True, slots=True)
class ParentJob:
    """The Iris job that this process is a task of, and what its children inherit."""

    job_id: str
    controller_url: str
    bundle_id: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    pip_packages: tuple[str, ...] = ()
    constraints: tuple[Mapping[str, object], ...] = ()


class IrisClient:
    """Implements `Client`.

    `workspace`: the folder that is shipped with a job whose environment names none; None = the current one.
    `parent`: jobs become children of it, and run with its bundle.
    """

    def __init__(
        self,
        cluster: ClusterSpec,
        *,
        workspace: Path | None = None,
        user: str = "",
        parent: ParentJob | None = None,
    ) -> None:
        self._workspace = workspace
        self._user = user
        self._parent = parent
        self._calls = CallThread()
        self._launcher = open_launcher(cluster, clock=SystemClock())

    @classmethod
    def remote(
        cls, controller_url: str, *, workspace: Path | None = None, client_revision_date: str = ""
    ) -> "IrisClient":
        """A client of the controller at this address.

        `client_revision_date` (YYYY-MM-DD): of the iris client that launches are accounted to, where the
        `iris` command is not installed; clusters refuse root jobs of old clients.
        """
        spec = ClusterSpec(name="launch", url=controller_url, client_revision_date=client_revision_date)
        return cls(spec, workspace=workspace)

    @classmethod
    def from_cluster(
        cls, *, cluster: str = "", config: str = "", workspace: Path | None = None
    ) -> "IrisClient":
        """A client of a named cluster, or of the one that a cluster file describes."""
        return cls(spec_from_options(cluster=cluster, config=config), workspace=workspace)

    def submit(self, request: JobRequest, adopt_existing: bool = True) -> ClusterJobHandle:
        policy = ExistingJobPolicy.ADOPT_RUNNING if adopt_existing else ExistingJobPolicy.REFUSE
        asked = new_job_of(request, policy, user=self._user, parent=self._parent)
        job = self._calls.result(partial(self._launcher.owned, asked))
        bundle_id = self._parent.bundle_id if self._parent else ""
        bundle = b"" if bundle_id else self._bundle(request)
        try:
            job_id = self._calls.result(
                partial(self._launcher.launch, job, bundle=bundle, bundle_id=bundle_id)
            )
        except SubmissionRefused as refused:
            if "already exists" in refused.sentence:
                existing = ClusterJobHandle(JobId(job.job_id), self._launcher, self._calls)
                raise JobAlreadyExists(request.name, existing) from refused
            raise
        return ClusterJobHandle(job_id, self._launcher, self._calls)

    def shutdown(self, wait: bool = True) -> None:  # noqa: ARG002 - jobs of a cluster go on without us
        """Close the connections. Jobs go on."""
        self._calls.close(self._launcher.close)

    def _bundle(self, request: JobRequest) -> bytes:
        named = request.environment.workspace if request.environment else None
        folder = Path(named) if named else self._workspace or Path.cwd()
        generation = self._calls.result(self._launcher.generation)
        return pack_workspace(folder, bundle_files(folder, generation=generation))


def new_job_of(
    request: JobRequest, policy: ExistingJobPolicy, *, user: str = "", parent: ParentJob | None = None
) -> NewJob:
    """The request in the words of the cluster. Raises UserError for a call that cannot be pickled."""
    resources, environment = request.resources, request.environment
    entry = request.entrypoint
    if entry.callable_entrypoint is not None:
        command: Sequence[str] = TASK_COMMAND
        files = callable_files(entry.callable_entrypoint)
    else:
        assert entry.binary_entrypoint is not None, "an entrypoint is one of the two"
        command, files = entry.binary_entrypoint.argv, {}
    device = resources.device
    own = dict(environment.env_vars) if environment else {}
    inherited = parent.variables if parent else {}
    variables = {**device.default_env_vars(), **inherited, **own}
    alternatives = tuple(resources.device_alternatives or ())
    return NewJob(
        name=request.name,
        command=tuple(command),
        user=user,
        parent=parent.job_id if parent else "",
        workdir_files=files,
        variables=with_standard_variables(variables, os.environ, is_command=False),
        extras=tuple(environment.extras if environment else ()) or (parent.extras if parent else ()),
        pip_packages=tuple(environment.pip_packages if environment else ())
        or (parent.pip_packages if parent else ()),
        tpus=(device.variant, *alternatives) if isinstance(device, TpuConfig) else (),
        gpu=f"{device.variant}x{device.count}" if isinstance(device, GpuConfig) else "",
        cpu=resources.cpu,
        memory=resources.ram,
        disk=resources.disk,
        replicas=request.replicas,
        regions=tuple(resources.regions or ()),
        zone=resources.zone or "",
        preemptible=None if resources.preemptible else False,
        is_small_pinned=False,
        inherited_constraints=parent.constraints if parent else (),
        max_retries=request.max_retries_failure,
        max_preemption_retries=request.max_retries_preemption,
        image=resources.image or (environment.docker_image if environment else None) or "",
        existing_job_policy=policy,
    )


def parent_job(environ: Mapping[str, str]) -> ParentJob | None:
    """The Iris job that a process with this environment is a task of; None outside of one.

    Raises UserError where the environment says so but cannot be read.
    """
    task, url = environ.get("IRIS_TASK_ID", ""), environ.get("IRIS_CONTROLLER_ADDRESS", "")
    if not task or not url:
        return None
    job, _, number = task.partition(":")[0].rpartition("/")
    if not job.startswith("/") or not number.isdigit():
        raise UserError(f"IRIS_TASK_ID is '{task}', which is not the id of a task.")
    try:
        constraints = list(json.loads(environ.get("IRIS_JOB_CONSTRAINTS") or "[]"))
        variables = {str(k): str(v) for k, v in json.loads(environ.get("IRIS_JOB_ENV") or "{}").items()}
        extras = tuple(map(str, json.loads(environ.get("IRIS_JOB_EXTRAS") or "[]")))
        pip_packages = tuple(map(str, json.loads(environ.get("IRIS_JOB_PIP_PACKAGES") or "[]")))
    except (ValueError, AttributeError, TypeError) as fault:
        raise UserError(f"The IRIS_JOB_* variables of {job} cannot be read: {fault}.") from fault
    region = environ.get("IRIS_WORKER_REGION", "")
    if region and not any(constraint.get("key") == "region" for constraint in constraints):
        constraints.append({"key": "region", "op": "CONSTRAINT_OP_EQ", "value": {"stringValue": region}})
    return ParentJob(
        job_id=job,
        controller_url=url if "://" in url else f"http://{url}",
        bundle_id=environ.get("IRIS_BUNDLE_ID", ""),
        variables=variables,
        extras=extras,
        pip_packages=pip_packages,
        constraints=tuple(constraints),
    )
