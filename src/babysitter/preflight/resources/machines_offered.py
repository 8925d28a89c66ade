"""Does the cluster have machines that can hold the job?

Some controllers accept what no machine can hold, and the job waits without an end; others refuse it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from babysitter.preflight.client.client_tables import gpu_names, tpu_types
from babysitter.preflight.command_line import RunCommand, with_flag
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.offer import (
    ClusterOffer,
    Demand,
    Device,
    ScaleGroup,
    has_capacity_type,
    has_device,
    has_size,
    has_slice,
    is_in_place,
)
from babysitter.preflight.resources.sizes import Units, parse_size
from babysitter.preflight.resources.tpu_type import asked_tpus
from babysitter.preflight.run_command import run_command

ID = "not-offered"
TARGET = "unknown-peer"
DEFAULT_MEMORY, DEFAULT_DISK, DEFAULT_CPU = "1GB", "5GB", 0.5
# A task as small as this, without an accelerator, is taken for a coordinator and kept off machines that the
# provider may take back.
COORDINATOR_CPU, COORDINATOR_MEMORY_BYTES = 1.0, 4 * 1024**3

Test: TypeAlias = Callable[[ScaleGroup, Demand], bool]


def check_machines(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Some scale group has the accelerator, place, kind of machine and size that are asked for."""
    command, offer = run_command(facts), facts.offer
    if command is None or offer is None or not offer.groups or command.value("--target-cluster"):
        return
    demand = demand_of(command)
    groups = offer.groups
    for test, describe in _TESTS:
        fitting = tuple(group for group in groups if test(group, demand))
        if not fitting:
            reason, fix, corrected = describe(_Question(facts, offer, groups, demand))
            severity = PreflightSeverity.BLOCK
            if peer := _peer_with(offer, demand):
                severity, reason = PreflightSeverity.WARN, f"{reason} {peer}"
            yield PreflightFinding(ID, severity, reason, fix, corrected)
            return
        groups = fitting


def _peer_with(offer: ClusterOffer, demand: Demand) -> str:
    """Which peer has, or may have, what the cluster itself does not offer; "" without one."""
    for peer, groups in offer.peers.items():
        if any(all(test(group, demand) for test, _ in _TESTS) for group in groups or ()):
            return f"Its peer {peer} has it."
    unknown = [peer for peer, groups in offer.peers.items() if groups is None]
    return f"Its peer {unknown[0]} may have it." if unknown else ""


def check_target_cluster(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """--target-cluster names a peer of the cluster."""
    command, offer = run_command(facts), facts.offer
    target = command.value("--target-cluster") if command else ""
    if offer is None or not target or target in offer.peers:
        return
    yield PreflightFinding(
        TARGET,
        PreflightSeverity.BLOCK,
        f"The cluster {offer.name} has no peer {target}: no job can be handed to it.",
        f"Its peers: {', '.join(offer.peers) or 'none'}.",
    )


def demand_of(command: RunCommand) -> Demand:
    """What a task of this command asks for, as the client computes it."""
    memory = parse_size(command.value("--memory") or DEFAULT_MEMORY, Units.BINARY) or 0
    disk = parse_size(command.value("--disk") or DEFAULT_DISK, Units.BINARY) or 0
    cpu = _number(command.value("--cpu"), DEFAULT_CPU)
    device, count, gang = Device.CPU, 0, None
    variants: tuple[str, ...] = ()
    replicas = int(_number(command.value("--replicas"), 0))
    if tpus := asked_tpus(command):
        device, variants = Device.TPU, tpus
        known = tpu_types().get(tpus[0])
        count = known.chips if known else 0
        if known and known.machines > 1:
            gang = replicas if replicas > 1 else known.machines
    elif gpu := command.value("--gpu"):
        device = Device.GPU
        variants, count = _gpu(gpu)
        gang = replicas if replicas > 1 else None
    return Demand(
        device=device,
        variants=variants,
        device_count=count,
        cpu=cpu,
        memory_bytes=memory,
        disk_bytes=disk,
        regions=tuple(values[0] for values in command.values("--region")),
        zone=command.value("--zone"),
        preemptible=_capacity_type(command, device, cpu, memory, replicas),
        gang=gang,
    )


def _capacity_type(
    command: RunCommand, device: Device, cpu: float, memory_bytes: int, replicas: int
) -> bool | None:
    if command.has("--preemptible") or command.has("--no-preemptible"):
        last = max(
            (use for use in command.uses if "--preemptible" in use.option.names), key=lambda use: use.at
        )
        return last.name == "--preemptible"
    is_small = cpu <= COORDINATOR_CPU and memory_bytes <= COORDINATOR_MEMORY_BYTES
    return False if device is Device.CPU and is_small and replicas <= 1 else None


def _gpu(spec: str) -> tuple[tuple[str, ...], int]:
    if spec.isdigit():
        return (), int(spec)
    lower = spec.lower()
    name = next(
        (name for name in sorted(gpu_names(""), key=len, reverse=True) if lower.startswith(name.lower())), ""
    )
    rest = spec[len(name) :]
    count = int(rest[1:]) if rest[:1].lower() == "x" and rest[1:].isdigit() else 1
    return ((name,) if name else (spec,)), count


def _number(text: str, default: float) -> float:
    try:
        return float(text) if text else default
    except ValueError:
        return default  # reported as a bad value


Described: TypeAlias = tuple[str, str, tuple[str, ...]]  # reason, fix, corrected command


@dataclass(frozen=True, slots=True)
class _Question:
    """A demand that no group passes. `groups`: those that passed the tests before."""

    facts: SubmissionFacts
    offer: ClusterOffer
    groups: tuple[ScaleGroup, ...]
    demand: Demand

    @property
    def argv(self) -> tuple[str, ...]:
        return self.facts.submission.argv


def _no_device(asked: "_Question") -> Described:
    wanted = ", ".join(asked.demand.variants) or f"a {asked.demand.device.upper()}"
    offered = asked.offer.variants(asked.demand.device)
    reason = f"No scale group of {asked.offer.name} offers {wanted}."
    if not offered:
        return reason, f"The cluster has no {asked.demand.device.upper()}s; choose another cluster.", ()
    near = _nearest(asked.demand.variants[0], offered) if asked.demand.variants else ()
    fix = f"Nearest: {', '.join(near)}." if near else f"Offered: {', '.join(offered)}."
    if asked.demand.device is Device.TPU and near:
        return reason, fix, with_flag(asked.argv, "--tpu", near[0])
    return reason, fix, ()


def _no_place(asked: "_Question") -> Described:
    what = " and ".join(
        part
        for part in (
            f"region {' or '.join(asked.demand.regions)}" if asked.demand.regions else "",
            f"zone {asked.demand.zone}" if asked.demand.zone else "",
        )
        if part
    )
    having = ", ".join(asked.demand.variants)
    subject = f"No scale group of {asked.offer.name}" + (f" with {having}" if having else "")
    regions = sorted({group.region for group in asked.groups if group.region})
    zones = sorted({group.zone for group in asked.groups if group.zone})
    hint = f"It is offered in {', '.join(zones if asked.demand.zone else regions) or 'no named place'}."
    corrected: tuple[str, ...] = ()
    if len(asked.demand.regions) == 1 and not asked.demand.zone:
        if asked.demand.regions[0] in zones:
            hint = f"{asked.demand.regions[0]} is a zone: give it with --zone."
        elif near := get_close_matches(asked.demand.regions[0].lower(), regions, n=1, cutoff=0.8):
            hint = f"Did you mean {near[0]}? {hint}"
            corrected = with_flag(asked.argv, "--region", near[0])
    elif asked.demand.zone and not asked.demand.regions:
        if asked.demand.zone in regions:
            hint = f"{asked.demand.zone} is a region: give it with --region."
        elif near := get_close_matches(asked.demand.zone.lower(), zones, n=1, cutoff=0.8):
            hint = f"Did you mean {near[0]}? {hint}"
            corrected = with_flag(asked.argv, "--zone", near[0])
    return f"{subject} is in {what}.", hint, corrected


def _no_capacity_type(asked: "_Question") -> Described:
    wanted = "preemptible" if asked.demand.preemptible else "non-preemptible"
    other = "--no-preemptible" if asked.demand.preemptible else "--preemptible"
    command = run_command(asked.facts)
    by_option = command is not None and (command.has("--preemptible") or command.has("--no-preemptible"))
    because = "" if by_option else " A task this small is kept off preemptible machines."
    where = (
        f" in {', '.join((*asked.demand.regions, asked.demand.zone)).strip(', ')}"
        if asked.demand.regions or asked.demand.zone
        else ""
    )
    return f"{asked.offer.name} has no {wanted} machine for this job{where}.{because}", f"Give {other}.", ()


def _no_size(asked: "_Question") -> Described:
    parts = []
    for what, wanted, offered in (
        ("CPUs", asked.demand.cpu, _most(group.cpu for group in asked.groups)),
        ("memory", asked.demand.memory_bytes, _most(group.memory_bytes for group in asked.groups)),
        ("disk", asked.demand.disk_bytes, _most(group.disk_bytes for group in asked.groups)),
        (
            "accelerators per task",
            asked.demand.device_count,
            _most(group.device_count for group in asked.groups),
        ),
    ):
        if offered is not None and wanted > offered:
            unit = what in ("memory", "disk")
            show = _as_gb if unit else (lambda number: f"{number:g}")
            parts.append(f"{what}: asked {show(wanted)}, at most {show(offered)}")
    details = "; ".join(parts) or "no machine has all that is asked for together"
    return (
        f"No machine of {asked.offer.name} that fits otherwise is large enough ({details}).",
        "Ask for less per task.",
        (),
    )


def _no_slice(asked: "_Question") -> Described:
    sizes = ", ".join(str(size) for size in sorted({group.machines for group in asked.groups}))
    return (
        f"{asked.demand.gang} tasks do not fill slices of {sizes} machines.",
        "Give a multiple with --replicas, or leave it out.",
        (),
    )


_TESTS: tuple[tuple[Test, Callable[[_Question], Described]], ...] = (
    (has_device, _no_device),
    (is_in_place, _no_place),
    (has_capacity_type, _no_capacity_type),
    (has_slice, _no_slice),
    (has_size, _no_size),
)


def _most(numbers: Iterator[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return max(known, default=None)


def _as_gb(size_bytes: float) -> str:
    return f"{size_bytes / 1024**3:g} GB"


def _nearest(name: str, offered: tuple[str, ...]) -> tuple[str, ...]:
    family = name.rpartition("-")[0]
    same = tuple(text for text in offered if family and text.startswith(f"{family}-"))
    size = name.rpartition("-")[2]
    if same and size.isdigit():
        return tuple(
            sorted(same, key=lambda candidate: abs(int(candidate.rpartition("-")[2]) - int(size)))[:3]
        )
    return tuple(get_close_matches(name, offered, n=3, cutoff=0.4))
