"""Placement groups of a Ray cluster, and why they wait. Pure; unknown fields are ignored."""

from collections.abc import Sequence

import msgspec


class PlacementBundle(msgspec.Struct, frozen=True):
    unit_resources: dict[str, float] = {}
    node_id: str | None = None


class PlacementStats(msgspec.Struct, frozen=True):
    scheduling_state: str | None = None


class PlacementGroup(msgspec.Struct, frozen=True):
    placement_group_id: str
    name: str | None = None
    creator_job_id: str | None = None
    state: str = ""
    bundles: list[PlacementBundle] = []
    stats: PlacementStats | None = None


def waiting_text(groups: Sequence[PlacementGroup], job_hex: str) -> str:
    """The placement groups of a job that are not placed, and what they ask for; "" when there are none."""
    waits = []
    for group in groups:
        if group.creator_job_id != job_hex or group.state not in ("PENDING", "RESCHEDULING"):
            continue
        asked: dict[str, float] = {}
        for bundle in group.bundles:
            for name, amount in bundle.unit_resources.items():
                asked[name] = asked.get(name, 0.0) + amount
        needs = ", ".join(f"{amount:g} {name}" for name, amount in asked.items())
        how = (group.stats.scheduling_state if group.stats else None) or group.state
        name = group.name or group.placement_group_id[:8]
        waits.append(f"placement group '{name}' is {group.state} ({how}), needs {needs}")
    return "; ".join(waits)
