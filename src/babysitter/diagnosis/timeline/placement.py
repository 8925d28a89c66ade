"""Reads why a job is not placed: will it be, and if never, which setting is in the way? Pure.

A pending reason of Iris has two parts, the scheduler's and the autoscaler's:

    Scheduler: Insufficient memory (need 3000.0GB, available 991.0GB) - 1 worker(s)

    Autoscaler: Unsatisfied autoscaler demand: insufficient_resources: memory: need 3221225472000, ...

The scheduler speaks of the machines that run now. The autoscaler speaks of the machines that could be had, so
only it knows that a job can never be placed. Its words are the same in April and May 2026 (recorded); August
refuses most such jobs when they are submitted.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from babysitter.lazy_regex import lazy_regex

GIGABYTE = 1024**3  # as Iris counts


class Placement(StrEnum):
    """Whether a job will be placed, by its pending reason."""

    NEVER = "never"  # no group of machines can ever take it
    WAITS = "waits"  # for machines that exist, or are being made
    UNSAID = "unsaid"  # a reason that does not say
    UNKNOWN = "unknown"  # no reason yet


@dataclass(frozen=True, slots=True)
class PlacementReason:
    """`setting`: the option of `iris job run`, or a constraint's name. `asked`, `offered`: its values."""

    placement: Placement
    setting: str = ""
    asked: str = ""
    offered: str = ""
    is_amount: bool = False  # less of it would do
    may_join: bool = False  # machines that can hold it may still join

    def advice(self, name: str, *, is_root: bool) -> str:
        """What is in the way, and what to change: the option of the command, or what the program asks for."""
        if self.may_join:
            return (
                f"The nodes that have joined can never hold {self.setting} of {name}, "
                f"which needs {self.asked}. Check that every worker node has joined."
            )
        if self.is_amount:
            change = f"Set {self.setting} to" if is_root else "Let the program ask for"
            return (
                f"{name} asks for {self.asked}, and no group of machines offers more than {self.offered}. "
                f"{change} at most {self.offered}, or ask the operator for larger machines."
            )
        if not self.asked:
            return f"No group of machines matches the constraints of {name}. Change its constraints."
        offered = f" (offered: {self.offered})" if self.offered else ""
        return (
            f"{name} asks for {self.setting} {self.asked}, which no group of machines offers. "
            f"Change {self.setting}{offered}."
        )


def waits_for_group(pending_reason: str) -> bool:
    """Whether a program that runs waits for a placement group of Ray that was never placed so far."""
    return bool(_GROUP_WAITS.match(pending_reason))


def read_placement(pending_reason: str) -> PlacementReason:
    """What a pending reason means; only the autoscaler's part decides."""
    text = pending_reason.strip()
    if text in ("", "Pending scheduler feedback"):
        return PlacementReason(Placement.UNKNOWN)
    if group := _GROUP_WAITS.match(text):
        if group["how"] != "INFEASIBLE":
            return PlacementReason(Placement.WAITS)
        return PlacementReason(Placement.NEVER, group["what"], group["needs"], may_join=True)
    _, _, autoscaler = text.partition("\n\nAutoscaler: ")
    if not autoscaler:
        return PlacementReason(Placement.WAITS if _SCHEDULER.match(text) else Placement.UNSAID)
    demand = autoscaler.removeprefix("Unsatisfied autoscaler demand: ")
    if demand == autoscaler or demand.startswith(("tier_blocked:", "no_capacity:")):
        return PlacementReason(Placement.WAITS)
    for pattern, read in _NEVER:
        if found := pattern.match(demand):
            return read(found)
    return PlacementReason(Placement.UNSAID)


def _amount(found: re.Match[str]) -> PlacementReason:
    """One resource is too large for every group; the group that offers most of it is the one to name."""
    kind, asked = found["kind"], int(found["need"])
    amounts = _AMOUNTS.finditer(found.string)
    offered = max(int(amount["available"]) for amount in amounts if amount["kind"] == kind)
    return PlacementReason(
        Placement.NEVER, f"--{kind}", _shown(kind, asked), _shown(kind, offered), is_amount=True
    )


def _shown(kind: str, amount: int) -> str:
    if kind == "cpu":
        return f"{amount / 1000:g} cores"
    return f"{amount / GIGABYTE:g} GB" if kind in ("memory", "disk") else f"{amount}"


def _device(found: re.Match[str]) -> PlacementReason:
    return PlacementReason(Placement.NEVER, f"--{found['kind']}", found["variant"], found["available"])


def _preemptible(found: re.Match[str]) -> PlacementReason:
    return PlacementReason(Placement.NEVER, "preemptible", "false" if found["non"] else "true")


def _place(found: re.Match[str]) -> PlacementReason:
    return PlacementReason(Placement.NEVER, f"--{found['kind']}", found["place"], found["meant"] or "")


def _gang(found: re.Match[str]) -> PlacementReason:
    return PlacementReason(Placement.NEVER, "--replicas", found["tasks"], found["groups"])


def _constraints(found: re.Match[str]) -> PlacementReason:
    return PlacementReason(Placement.NEVER, "constraints", "", found["available"])


_GROUP_WAITS = lazy_regex(
    r"(?P<what>placement group '[^']*') is PENDING \((?P<how>\w*)\), needs (?P<needs>[^;\n]*)"
)
_SCHEDULER = lazy_regex(
    r"(?:Scheduler: )?(?:Insufficient (?:CPU|memory|GPUs|TPUs) \(need |Coscheduling: need |"
    r"Worker at building |Waiting for build slots|No workers? (?:match|has)|Schedulable |"
    r"No schedulable tasks)"
)
_AMOUNTS = lazy_regex(r"(?P<kind>cpu|memory|disk|gpu|tpu): need (?P<need>\d+), available (?P<available>\d+)")
_NEVER: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], PlacementReason]], ...] = (
    (lazy_regex(rf"insufficient_resources: {_AMOUNTS.pattern}"), _amount),
    (
        lazy_regex(
            r"no_matching_group: no scaling group provides device (?P<kind>\w+):(?P<variant>\S+) "
            r"\(available: (?P<available>[^)]*)\)"
        ),
        _device,
    ),
    (lazy_regex(r"no_matching_group: no (?P<non>non-)?preemptible group provides device "), _preemptible),
    (
        lazy_regex(
            r"no_matching_group: no groups in (?P<kind>zone|region) (?P<place>[^;\n]+)"
            r"(?:;.*?did you mean (?P<meant>[^?\n]+)\?)?"
        ),
        _place,
    ),
    (
        lazy_regex(
            r"coschedule_mismatch: job needs (?P<tasks>\d+) tasks coscheduled but no matching group has "
            r"num_vms=\d+ \((?P<groups>[^)]*)\)"
        ),
        _gang,
    ),
    (
        lazy_regex(
            r"no_matching_group: no scaling group matches constraints"
            r"(?: \(available: (?P<available>[^)]*)\))?"
        ),
        _constraints,
    ),
)
