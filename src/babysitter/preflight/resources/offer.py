"""What machines a cluster offers, and which of them can hold a task."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Device(StrEnum):
    CPU = "cpu"
    TPU = "tpu"
    GPU = "gpu"


@dataclass(frozen=True, slots=True)
class ScaleGroup:
    """Machines of one kind in one place.

    `variant`: v5litepod-16, H100; "" for CPUs. `device_count`: chips or GPUs per machine. `machines`: per
    slice. None for an amount that the file does not say.
    """

    name: str
    device: Device = Device.CPU
    variant: str = ""
    device_count: int | None = None
    machines: int = 1
    cpu: float | None = None
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    region: str = ""
    zone: str = ""
    is_preemptible: bool = False


PRIORITIES = ("production", "interactive", "batch")  # the highest first


@dataclass(frozen=True, slots=True)
class ClusterOffer:
    """`task_env`: what the cluster sets in every task.

    `peers`: clusters that jobs may be handed to, with their machines; None for one whose file is not known.
    `priorities`: the highest one of a user; `default_priority`: of everybody else. `has_logins`: the cluster
    decides who the user is.
    """

    name: str
    groups: tuple[ScaleGroup, ...]
    is_local: bool = False
    peers: Mapping[str, tuple[ScaleGroup, ...] | None] = field(default_factory=dict)
    task_env: Mapping[str, str] = field(default_factory=dict)
    priorities: Mapping[str, str] = field(default_factory=dict)
    default_priority: str = "interactive"
    has_logins: bool = False

    def variants(self, device: Device) -> tuple[str, ...]:
        """The types of accelerators on offer, sorted."""
        return tuple(sorted({group.variant for group in self.groups if group.device is device}))


@dataclass(frozen=True, slots=True)
class Demand:
    """What one task of a job asks for. Empty = anything will do.

    `variants`: any of them. `gang`: tasks that must share slices, None for independent ones.
    """

    device: Device = Device.CPU
    variants: tuple[str, ...] = ()
    device_count: int = 0
    cpu: float = 0
    memory_bytes: int = 0
    disk_bytes: int = 0
    regions: tuple[str, ...] = ()
    zone: str = ""
    preemptible: bool | None = None
    gang: int | None = None


def has_device(group: ScaleGroup, demand: Demand) -> bool:
    """Whether the machines have the accelerator; a task without one runs anywhere."""
    if demand.device is Device.CPU:
        return True
    wanted = {variant.lower() for variant in demand.variants}
    return group.device is demand.device and (not wanted or group.variant.lower() in wanted)


def is_in_place(group: ScaleGroup, demand: Demand) -> bool:
    """Whether the machines are in a region and zone that the task accepts."""
    in_region = not demand.regions or group.region.lower() in {region.lower() for region in demand.regions}
    return in_region and (not demand.zone or group.zone.lower() == demand.zone.lower())


def has_capacity_type(group: ScaleGroup, demand: Demand) -> bool:
    return demand.preemptible is None or group.is_preemptible is demand.preemptible


def has_size(group: ScaleGroup, demand: Demand) -> bool:
    """Whether one machine holds one task."""
    pairs = (
        (group.cpu, demand.cpu),
        (group.memory_bytes, demand.memory_bytes),
        (group.disk_bytes, demand.disk_bytes),
        (group.device_count if demand.device_count else None, demand.device_count),
    )
    return all(offered is None or wanted <= offered for offered, wanted in pairs)


def has_slice(group: ScaleGroup, demand: Demand) -> bool:
    """Whether the tasks of a gang fill whole slices."""
    return demand.gang is None or group.machines < 1 or demand.gang % group.machines == 0
