"""A job that does not exist yet, in the words of Iris; turned into a command or into a launch request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class ExistingJobPolicy(StrEnum):
    """What becomes of a job that has the name already. REPLACE_ENDED is what the client sends."""

    REPLACE_ENDED = "EXISTING_JOB_POLICY_UNSPECIFIED"
    REFUSE = "EXISTING_JOB_POLICY_ERROR"
    ADOPT_RUNNING = "EXISTING_JOB_POLICY_KEEP"


@dataclass(frozen=True, slots=True)
class NewJob:
    """Everything that can be said about a new job. "" and None: not given, the generation's default holds.

    `name`: last segment of the id. `tpus`: types that will do, the preferred one first. `gpu`: NAME,
    NAMExCOUNT or COUNT. `memory`, `disk`: sizes. `replicas` None: as many as the TPU type has machines.
    `constraints`: worker attributes that must be equal. `scheduling_timeout_s`: how long all tasks may wait
    for machines. `workdir_files`: written beside the program. `parent`: id of the job that starts this one
    as its child, and `inherited_constraints` what holds for it, as that job was given them.
    `is_small_pinned`: pin small CPU jobs to machines that stay.
    """

    name: str
    command: tuple[str, ...]
    user: str = ""
    workdir_files: Mapping[str, bytes] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    pip_packages: tuple[str, ...] = ()
    tpus: tuple[str, ...] = ()
    gpu: str = ""
    cpu: float | None = None
    memory: str = ""
    disk: str = ""
    replicas: int | None = None
    regions: tuple[str, ...] = ()
    zone: str = ""
    preemptible: bool | None = None
    is_small_pinned: bool = True
    reserve: tuple[str, ...] = ()
    priority: str = ""
    max_retries: int = 0
    max_preemption_retries: int | None = None
    timeout_s: int = 0
    ports: tuple[str, ...] = ()
    constraints: tuple[tuple[str, str], ...] = ()
    scheduling_timeout_s: int = 0
    inherited_constraints: tuple[Mapping[str, object], ...] = ()
    parent: str = ""
    image: str = ""
    existing_job_policy: ExistingJobPolicy = ExistingJobPolicy.REFUSE

    @property
    def job_id(self) -> str:
        return f"{self.parent or '/' + self.user}/{self.name}"

    @property
    def http_only(self) -> tuple[str, ...]:
        """Options in use that no generation's `job run` has."""
        given: Sequence[tuple[str, object]] = (
            ("--ports", self.ports),
            ("--constraint", self.constraints),
            ("--coscheduling-timeout", self.scheduling_timeout_s),
        )
        return tuple(name for name, value in given if value)
