"""What Ray's autoscaler says to every driver of the cluster, and whose request it speaks of.

A request that no node can hold is printed in the log of each job that runs, whoever asked for it.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.backends.ray.dashboard.cluster_view import RayClusterView
from babysitter.clock import Clock
from babysitter.errors import ExternalError
from babysitter.model.log import LogBatch

REMEMBERED = timedelta(minutes=10)
Resources = tuple[tuple[str, float], ...]  # sorted by name
_UNMET = re.compile(r"\(autoscaler [^)]*\).{0,80}can fulfill resource request (?P<asked>\{[^}]{0,400}\})")
_AMOUNT = re.compile(r"'(?P<name>[^']+)': (?P<amount>\d+(?:\.\d+)?(?:e[+-]?\d+)?)")


def unmet_request(text: str) -> Resources | None:
    """The resources that no node can hold, of a line of the autoscaler; None for any other line."""
    found = _UNMET.search(text) if "(autoscaler" in text else None
    if found is None:
        return None
    return _sorted({match["name"]: float(match["amount"]) for match in _AMOUNT.finditer(found["asked"])})


def is_of_others(asked: Resources, own: Collection[Resources], others: Collection[Resources]) -> bool:
    """Whether another job asked for it and this one did not. What tasks ask for is not known: they stay."""
    return asked in others and asked not in own


class AutoscalerLines:
    """Leaves out what the autoscaler says of other jobs. Remembers for a while whose a request is."""

    def __init__(self, view: RayClusterView, clock: Clock) -> None:
        self._view = view
        self._clock = clock
        self._others: dict[tuple[str, Resources], datetime] = {}  # until when it is not asked again

    async def without_others(self, batch: LogBatch, job_hex: str | None) -> LogBatch:
        """The batch without requests of other jobs. Two questions, only for a request that is new."""
        asked = {
            place: found for place, line in enumerate(batch.lines) if (found := unmet_request(line.text))
        }
        dropped = await self._of_others(job_hex or "", frozenset(asked.values())) if asked else frozenset()
        lines = (line for place, line in enumerate(batch.lines) if asked.get(place) not in dropped)
        return replace(batch, lines=tuple(lines)) if dropped else batch

    async def _of_others(self, job_hex: str, asked: frozenset[Resources]) -> frozenset[Resources]:
        now = self._clock.now()
        known = {found for found in asked if self._others.get((job_hex, found), now) > now}
        if asked - known:
            try:
                own, others = await _requests(job_hex, self._view)
            except ExternalError:  # the lines are known all the same
                return frozenset(known)
            new = {found for found in asked - known if is_of_others(found, own, others)}
            lasting = {key: until for key, until in self._others.items() if until > now}
            self._others = lasting | {(job_hex, found): now + REMEMBERED for found in new}
            known |= new
        return frozenset(known)


async def _requests(job_hex: str, view: RayClusterView) -> tuple[set[Resources], set[Resources]]:
    """What this job and the others ever asked for in placement groups, or wait for with actors."""
    own: set[Resources] = set()
    others: set[Resources] = set()
    for group in await view.placement_groups():
        found = own if group.creator_job_id == job_hex else others
        found |= {_sorted(bundle.unit_resources) for bundle in group.bundles}
    for actor in await view.pending_actors():
        (own if actor.job_id == job_hex else others).add(_sorted(actor.required_resources or {}))
    return own, others


def _sorted(resources: Mapping[str, float]) -> Resources:
    return tuple(sorted((name, float(amount)) for name, amount in resources.items()))
