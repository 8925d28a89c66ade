"""A job of a Ray cluster with its actors, as one look found them."""

from dataclasses import dataclass

from babysitter.backends.ray import ray_answers
from babysitter.model.ids import JobId


@dataclass(frozen=True, slots=True)
class KnownJob:
    """`id`: the one of its two ids that was asked for."""

    id: JobId
    raw: ray_answers.RayJob
    actors: tuple[ray_answers.RayActor, ...] = ()

    @property
    def node_ids(self) -> frozenset[str]:
        return frozenset(actor.node_id for actor in self.actors if actor.node_id)

    @property
    def has_places(self) -> bool:
        """Whether it has actors, and none of them waits for a place."""
        waiting = ("PENDING_CREATION", "DEPENDENCIES_UNREADY")
        return bool(self.actors) and not any(actor.state in waiting for actor in self.actors)
