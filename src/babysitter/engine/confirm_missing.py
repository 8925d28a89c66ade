"""Confirms that a job is gone, and finds the other watched jobs that went missing with it."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.backends.backend import ClusterReader
from babysitter.engine.observe import blind_observation
from babysitter.errors import ExternalError
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone
from babysitter.model.watch import Neighbour, Watch

TOGETHER_WITHIN = timedelta(minutes=5)  # the longest time between two checks of a waiting job


async def confirm_gone(
    observation: Observation,
    gone: Gone,
    watch: Watch,
    reader: ClusterReader,
    neighbours: Collection[Neighbour],
) -> Observation:
    """Ask once more for the job, together with the other watched jobs of the cluster, in one request.

    The observation is blind when the cluster cannot be asked, or contradicts itself.
    """
    beside = [neighbour for neighbour in neighbours if neighbour.phase not in (Phase.FINISHED, Phase.ACTING)]
    try:
        known = await reader.states((watch.root, *(neighbour.root for neighbour in beside)))
    except ExternalError as fault:
        return blind_observation(watch, observation.taken_at, fault.sentence)
    if watch.root in known:
        reason = f"The cluster lists {watch.root} in one answer and denies it in another."
        return blind_observation(watch, observation.taken_at, reason)
    since = watch.memory.gone_since or gone.at
    missing = tuple(
        neighbour.root
        for neighbour in beside
        if neighbour.root not in known and _is_together(neighbour, since, gone.at)
    )
    found = replace(gone, missing=(watch.root, *missing), watched=1 + len(beside))
    return replace(observation, tree=found)


def _is_together(neighbour: Neighbour, since: datetime, now: datetime) -> bool:
    """Whether a neighbour's job went missing at about the same time."""
    return abs((neighbour.gone_since or now) - since) <= TOGETHER_WITHIN
