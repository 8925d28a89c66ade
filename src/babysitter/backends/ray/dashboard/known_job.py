"""A job of a Ray cluster with its actors, as one look found them."""

from dataclasses import dataclass

from babysitter.backends.ray.dashboard import ray_answers
from babysitter.backends.ray.log_files.log_reader import JobLogFile
from babysitter.backends.ray.log_files.log_text import worker_file
from babysitter.model.ids import JobId, TaskId


@dataclass(frozen=True, slots=True)
class KnownJob:
    """`id`: the one of its two ids that was asked for."""

    id: JobId
    raw: ray_answers.RayJob
    actors: tuple[ray_answers.RayActor, ...] = ()

    @property
    def node_ids(self) -> frozenset[str]:
        return frozenset(actor.node_id for actor in self.actors if actor.node_id)

    def is_of_actor(self, name: str) -> bool:
        """Whether the log file of a worker is of one of these actors."""
        found = worker_file(name)
        return found is not None and any(actor.pid == found.pid for actor in self.actors)

    @property
    def has_places(self) -> bool:
        """Whether it has actors, and none of them waits for a place."""
        waiting = ("PENDING_CREATION", "DEPENDENCIES_UNREADY")
        return bool(self.actors) and not any(actor.state in waiting for actor in self.actors)


def file_of(name: str, node_id: str, agent: str, known: KnownJob) -> JobLogFile:
    """The file of a worker: an actor's by its pid, else of a process without a present actor."""
    found = worker_file(name)
    assert found is not None, "listed as one"
    stream = "stderr" if found.stream == "err" else "stdout"
    for actor in known.actors:
        if actor.pid == found.pid and actor.node_id == node_id:
            task, attempt = actor.task_id(known.id), actor.num_restarts or 0
            return JobLogFile(node_id, agent, name, task, stream, attempt, found.pid)
    task = TaskId(f"{known.id}/worker-{found.pid}")
    return JobLogFile(node_id, agent, name, task, stream, pid=found.pid)
