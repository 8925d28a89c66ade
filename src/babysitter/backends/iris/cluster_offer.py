"""What a cluster file says of machines: scale groups, pools of TPUs, places, and variables of every task."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from babysitter.errors import BadConfig
from babysitter.preflight.client.client_tables import tpu_types
from babysitter.preflight.resources.offer import PRIORITIES, ClusterOffer, Device, ScaleGroup
from babysitter.preflight.resources.sizes import Units, parse_size

_TPU_FAMILIES: Mapping[str, str] = {"v5e": "v5litepod"}  # family of a pool -> how its types are called
_PREEMPTIBLE = ("preemptible", "spot")


@dataclass(frozen=True, slots=True)
class _Amounts:
    """What one machine has; None for what the file does not say."""

    cpu: float | None
    memory_bytes: int | None
    disk_bytes: int | None


def read_offer(path: Path) -> ClusterOffer:
    """The offer of a cluster file, and of its peers whose files stand beside it.

    Raises BadConfig with every fault at once.
    """
    offer = _offer_of_file(path)
    return replace(offer, peers={name: _machines_beside(path, name) for name in offer.peers})


def _machines_beside(path: Path, peer: str) -> tuple[ScaleGroup, ...] | None:
    """The machines of a peer, None where its file is not there or cannot be read."""
    try:
        return _offer_of_file(path.parent / f"{Path(peer).name}.yaml").groups or None
    except BadConfig:
        return None


def _offer_of_file(path: Path) -> ClusterOffer:
    import yaml

    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise BadConfig(
            f"Cannot read {path}: {(fault.strerror or str(fault)).lower()}.",
            next_step="Check the path given by --config.",
        ) from fault
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        mark = getattr(fault, "problem_mark", None)
        at = f" (line {mark.line + 1})" if mark else ""
        raise BadConfig(f"{path}{at} is not proper YAML.", next_step="Correct the file.") from fault
    if not isinstance(raw, dict):
        raise BadConfig(f"{path} does not hold a mapping.", next_step="Give a cluster file of iris.")
    faults: list[str] = []
    offer = offer_of(raw, path.stem, faults)
    if faults:
        raise BadConfig(f"{path}: {'; '.join(faults)}.", next_step="Correct the file.")
    return offer


def offer_of(raw: Mapping[str, object], name: str, faults: list[str]) -> ClusterOffer:
    """The offer of a parsed cluster file; what is wrong with it goes to `faults`."""
    groups = [
        group
        for group_name, body in _entries(raw, "scale_groups", faults)
        for group in _groups(str(group_name), body, raw, faults)
    ]
    for pool_name, body in _entries(raw, "tpu_pools", faults):
        groups += _pool(str(pool_name), body, faults)
    controller, platform = _mapping(raw.get("controller")), _mapping(raw.get("platform"))
    task_env = _mapping(_mapping(raw.get("defaults")).get("task_env"))
    return ClusterOffer(
        name=str(raw.get("name") or name),
        groups=tuple(groups),
        is_local="local" in controller or ("local" in platform and not controller),
        peers=dict.fromkeys(map(str, _mapping(raw.get("peers")))),
        task_env={str(key): "" if value is None else str(value) for key, value in task_env.items()},
        priorities=_priorities(raw.get("user_budgets")),
        default_priority=_priority(_mapping(raw.get("user_budget_defaults")).get("max_band")),
        has_logins=bool(raw.get("auth")),
    )


def _priorities(tiers: object) -> dict[str, str]:
    """The highest priority of every user that is listed."""
    found: dict[str, str] = {}
    for tier in tiers if isinstance(tiers, list) else ():
        users = _mapping(tier).get("user_ids")
        for user in users if isinstance(users, list) else ():
            found[str(user)] = _priority(_mapping(tier).get("max_band"))
    return found


def _priority(band: object) -> str:
    name = str(band or "").lower().removeprefix("priority_band_")
    return name if name in PRIORITIES else "interactive"


def _groups(
    name: str, body: Mapping[str, object], raw: Mapping[str, object], faults: list[str]
) -> Iterator[ScaleGroup]:
    resources = _mapping(body.get("resources"))
    # Older files say `accelerator_type` and `accelerator_variant` of the group itself.
    kind = (
        str(resources.get("device_type") or body.get("accelerator_type") or "cpu")
        .lower()
        .removeprefix("accelerator_type_")
    )
    if kind not in {device.value for device in Device}:
        faults.append(f"scale_groups.{name}.resources.device_type is '{kind}', not cpu, tpu or gpu")
        return
    device = Device(kind)
    has_device = device is not Device.CPU
    named = resources.get("device_variant") or body.get("accelerator_variant")
    variant = str(named or "") if has_device else ""
    where = f"scale_groups.{name}"
    amounts = _amounts(resources, where, faults)
    for region, zone in _places(body, raw):
        yield ScaleGroup(
            name=name,
            device=device,
            variant=variant,
            device_count=_whole(resources, "device_count", where, faults)
            if device is not Device.CPU
            else None,
            machines=_whole(body, "num_vms", where, faults) or 1,
            region=region,
            zone=zone,
            is_preemptible=_is_preemptible(resources),
            cpu=amounts.cpu,
            memory_bytes=amounts.memory_bytes,
            disk_bytes=amounts.disk_bytes,
        )


def _pool(name: str, body: Mapping[str, object], faults: list[str]) -> Iterator[ScaleGroup]:
    family, where = str(body.get("family") or ""), f"tpu_pools.{name}"
    zones = body.get("zones")
    if not family or not isinstance(zones, list) or not zones:
        faults.append(f"{where} needs `family` and a list `zones`")
        return
    resources = _mapping(body.get("resources"))
    amounts = _amounts(resources, where, faults)
    for size in _mapping(body.get("sizes")):
        variant = f"{_TPU_FAMILIES.get(family, family)}-{size}"
        tpu = tpu_types().get(variant)
        for zone in zones:
            yield ScaleGroup(
                name=f"{name}-{size}",
                device=Device.TPU,
                variant=variant,
                device_count=tpu.chips if tpu else None,
                machines=tpu.machines if tpu else 1,
                region=_region_of(str(zone)),
                zone=str(zone),
                is_preemptible=_is_preemptible(resources),
                cpu=amounts.cpu,
                memory_bytes=amounts.memory_bytes,
                disk_bytes=amounts.disk_bytes,
            )


def _places(body: Mapping[str, object], raw: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Region and zone of every copy of a group."""
    attributes = _mapping(_mapping(body.get("worker")).get("attributes"))
    template = _mapping(body.get("slice_template"))
    zones = body.get("zones")
    if isinstance(zones, list) and zones:
        for zone in zones:
            yield _region_of(str(zone)), str(zone)
        return
    platform = _mapping(raw.get("platform"))
    zone = str(attributes.get("zone") or _mapping(template.get("gcp")).get("zone") or "")
    region = str(
        attributes.get("region")
        or (_region_of(zone) if zone else "")
        or _mapping(template.get("coreweave")).get("region")
        or _mapping(platform.get("coreweave")).get("region")
        or ""
    )
    yield region, zone


def _region_of(zone: str) -> str:
    """us-central2-b -> us-central2."""
    head, dash, tail = zone.rpartition("-")
    return head if dash and len(tail) == 1 else zone


def _amounts(resources: Mapping[str, object], where: str, faults: list[str]) -> _Amounts:
    cpu = resources.get("cpu")
    if cpu is not None and not isinstance(cpu, int | float):
        faults.append(f"{where}.resources.cpu is not a number")
        cpu = None
    return _Amounts(
        cpu=float(cpu) if isinstance(cpu, int | float) else None,
        memory_bytes=_bytes(resources, "ram", where, faults),
        disk_bytes=_bytes(resources, "disk", where, faults),
    )


def _bytes(resources: Mapping[str, object], key: str, where: str, faults: list[str]) -> int | None:
    value = resources.get(key)
    if value is None:
        return None
    size = parse_size(str(value), Units.BINARY)
    if size is None:
        faults.append(f"{where}.resources.{key} is '{value}', not a size such as 64GB")
    return size


def _whole(body: Mapping[str, object], key: str, where: str, faults: list[str]) -> int | None:
    value = body.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    faults.append(f"{where}.{key} is not a whole number")
    return None


def _is_preemptible(resources: Mapping[str, object]) -> bool:
    kind = str(resources.get("capacity_type") or "").lower().removeprefix("capacity_type_")
    return kind in _PREEMPTIBLE


def _entries(
    raw: Mapping[str, object], key: str, faults: list[str]
) -> Iterator[tuple[object, Mapping[str, object]]]:
    section = raw.get(key)
    if section is None:
        return
    if not isinstance(section, dict):
        faults.append(f"`{key}` should be a mapping")
        return
    for name, body in section.items():
        if isinstance(body, dict):
            yield name, body
        else:
            faults.append(f"{key}.{name} should be a mapping")


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
