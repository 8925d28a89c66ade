"""`babysit record`: looks at a job again and again, and keeps every answer for a replay."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from babysitter.backends.backend import ClusterReader
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.connection.connect import open_line
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.ray.dashboard.open_ray import open_ray
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.recorded_answers import RecordingRayTransport
from babysitter.backends.recording.recorder import RecordingFolder, RecordingTransport
from babysitter.backends.registry import parse_job_id
from babysitter.clock import Clock, SystemClock
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.engine.observe import observe
from babysitter.errors import BadConfig
from babysitter.model.ids import JobId, WatchId
from babysitter.model.observation import Observation, Want
from babysitter.model.watch import Watch

FULL_LOOK_EVERY = 3  # looks; the others leave out thread dumps


@dataclass(frozen=True, slots=True)
class RecordingSummary:
    """What was written: how many looks, and whether the job had ended."""

    folder: Path
    looks: int
    has_ended: bool


async def record_job(
    job: str,
    spec: ClusterSpec,
    folder: Path,
    *,
    every_s: float,
    at_most_s: float,
    tell: Callable[[int, Observation], None],
) -> RecordingSummary:
    """Record a job of a live cluster.

    Raises UserError for what is no full job id, an unknown job, or a folder that cannot be written.
    """
    root = parse_job_id(spec, job)
    clock = SystemClock()
    writer = RecordingFolder(folder, root, clock)
    reader = recording_reader(spec, writer, clock)
    try:
        return await record(
            root, reader, writer, folder, clock, every_s=every_s, at_most_s=at_most_s, tell=tell
        )
    finally:
        await reader.close()


def recording_reader(spec: ClusterSpec, folder: RecordingFolder, clock: Clock) -> ClusterReader:
    """Eyes on the spec's cluster that keep every answer. Raises BadConfig; contacts nobody."""
    if spec.backend == "ray":
        transport = RecordingRayTransport(open_ray(spec, home=Path.home()), folder, clock)
        return RayReader(transport, clock=clock)
    if spec.backend != "iris":
        raise BadConfig(f"Jobs of the backend '{spec.backend}' cannot be recorded.")
    line = open_line(spec, clock=clock, home=Path.home(), working_dir=Path.cwd())
    return IrisReader(RecordingTransport(line, folder, clock), iris=spec.iris_command, clock=clock)


async def record(
    root: JobId,
    reader: ClusterReader,
    folder: RecordingFolder,
    path: Path,
    clock: Clock,
    *,
    every_s: float,
    at_most_s: float,
    tell: Callable[[int, Observation], None] = lambda looks, observation: None,  # noqa: ARG005
) -> RecordingSummary:
    """Look every `every_s` seconds until the job ends or `at_most_s` have passed.

    Raises NoSuchJob for an unknown job; losing sight of the cluster is part of the recording.
    """
    started_at = clock.now()
    watch = _watch(root, clock)
    looks, has_ended = 0, False
    while not has_ended and (clock.now() - started_at).total_seconds() <= at_most_s:
        looks += 1
        due_at = clock.now() + timedelta(seconds=every_s)
        folder.begin(f"s{looks:02d}")
        observation = await observe(_wanting(watch, looks), reader, clock)
        watch = replace(watch, memory=update_memory(watch.memory, observation))
        tell(looks, observation)
        tree = observation.seen_tree
        has_ended = tree is not None and tree.root.state.is_terminal
        if not has_ended:
            await clock.sleep_until(due_at)
    state = watch.memory.root_state
    folder.finish(generation=watch.memory.generation, final_state=str(state) if state else "not seen")
    return RecordingSummary(path, looks, has_ended)


def _watch(root: JobId, clock: Clock) -> Watch:
    now = clock.now()
    return Watch(WatchId("record"), root, root, cluster="", kind="auto", created_at=now, due_at=now)


def _wanting(watch: Watch, looks: int) -> Watch:
    """The watch, wanting what makes the recording worth replaying; dumps only now and then."""
    wants = {Want.TASKS}
    if looks % FULL_LOOK_EVERY == 1:
        wants |= {Want.COORDINATOR_DUMP, Want.ROOT_DUMP, Want.WORKER_DUMPS}
    return replace(watch, memory=replace(watch.memory, wants=frozenset(wants)))
