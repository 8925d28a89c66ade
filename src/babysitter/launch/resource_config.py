"""What a task of a job needs: CPUs, memory, disk, an accelerator, a place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from babysitter.preflight.client.client_tables import TpuType, tpu_types

DeviceKind = Literal["cpu", "gpu", "tpu"]
SMALL_SCOPED_MEMORY_KIB, LARGE_SCOPED_MEMORY_KIB = 50_000, 98_304  # what v5 and v6e jobs are usually given


@dataclass(frozen=True, slots=True)
class CpuConfig:
    """No accelerator."""

    kind: DeviceKind = "cpu"
    variant: str = "cpu"

    def chip_count(self) -> int:
        return 0

    def vm_count(self) -> int:
        return 1

    def default_env_vars(self) -> Mapping[str, str]:
        """Variables that a task gets unless the job sets them itself."""
        return {"JAX_PLATFORMS": "cpu"}


@dataclass(frozen=True, slots=True)
class GpuConfig:
    """`count`: GPUs per task."""

    variant: str
    kind: DeviceKind = "gpu"
    count: int = 1

    def chip_count(self) -> int:
        return self.count

    def vm_count(self) -> int:
        return 1

    def default_env_vars(self) -> Mapping[str, str]:
        return {"JAX_PLATFORMS": ""}


@dataclass(frozen=True, slots=True)
class TpuConfig:
    """`variant`: the type, such as v5litepod-16. Each machine of a slice runs one task."""

    variant: str
    kind: DeviceKind = "tpu"
    topology: str | None = None

    def chip_count(self) -> int:
        """Chips per machine."""
        return tpu_type(self.variant).chips

    def vm_count(self) -> int:
        """Machines per slice."""
        return tpu_type(self.variant).machines

    def default_env_vars(self) -> Mapping[str, str]:
        variables = {"JAX_PLATFORMS": ""}
        if self.variant.startswith(("v5litepod-", "v5p-")):
            variables["LIBTPU_INIT_ARGS"] = f"--xla_tpu_scoped_vmem_limit_kib={SMALL_SCOPED_MEMORY_KIB}"
        elif self.variant.startswith("v6e-"):
            variables["LIBTPU_INIT_ARGS"] = f"--xla_tpu_scoped_vmem_limit_kib={LARGE_SCOPED_MEMORY_KIB}"
        return variables


DeviceConfig = CpuConfig | GpuConfig | TpuConfig


@dataclass(frozen=True, slots=True)
class ResourceConfig:
    """Resources of one task, and how many tasks they are for.

    `ram` and `disk`: sizes such as 4g or 16GB, read with binary units. `replicas`: tasks of the job, taken by
    `JobRequest` unless it names its own number. `device_alternatives`: further types that will do as well.
    """

    cpu: float = 1
    ram: str = "4g"
    disk: str = "16g"
    device: DeviceConfig = field(default_factory=CpuConfig)
    preemptible: bool = True
    regions: Sequence[str] | None = None
    zone: str | None = None
    replicas: int = 1
    device_alternatives: Sequence[str] | None = None
    image: str | None = None

    @staticmethod
    def with_tpu(tpu: str | Sequence[str], *, slice_count: int = 1, **resources: Any) -> "ResourceConfig":
        """Resources of tasks on TPUs: one task per machine of `slice_count` slices.

        `tpu`: a type, or several that will do, the preferred one first. Raises ValueError for an unknown
        type, and for types whose machines differ.
        """
        names = [tpu] if isinstance(tpu, str) else list(tpu)
        if not names:
            raise ValueError("with_tpu needs at least one TPU type.")
        if slice_count < 1:
            raise ValueError(f"slice_count is at least 1, not {slice_count}.")
        types = [tpu_type(name) for name in names]
        if len({(slice_type.machines, slice_type.chips) for slice_type in types}) > 1:
            shapes = ", ".join(
                f"{slice_type.name} ({slice_type.machines} x {slice_type.chips} chips)"
                for slice_type in types
            )
            raise ValueError(f"TPU types that stand for each other need the same machines: {shapes}.")
        return ResourceConfig(
            **{"cpu": 32, "ram": "128g", "disk": "50g", **resources},
            device=TpuConfig(names[0]),
            replicas=slice_count * types[0].machines,
            device_alternatives=names[1:] or None,
        )

    @staticmethod
    def with_gpu(gpu: str, count: int = 1, **resources: Any) -> "ResourceConfig":
        return ResourceConfig(device=GpuConfig(gpu, count=count), **resources)

    @staticmethod
    def with_cpu(**resources: Any) -> "ResourceConfig":
        return ResourceConfig(device=CpuConfig(), **resources)


def tpu_type(name: str) -> TpuType:
    """The TPU type of this name. Raises ValueError with the types of its family."""
    known = tpu_types()
    if name in known:
        return known[name]
    family = [text for text in known if text.partition("-")[0] == name.partition("-")[0]]
    raise ValueError(f"'{name}' is not a TPU type. Known: {', '.join(family or known)}.")
