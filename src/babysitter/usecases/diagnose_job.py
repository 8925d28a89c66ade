"""One look at a job, without a watch and without a trace: for `diagnose`."""

from dataclasses import replace

from babysitter.backends.backend import ClusterReader
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import open_cluster, parse_job_id, unknown_job
from babysitter.clock import Clock, SystemClock
from babysitter.config import Settings
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.observe import observe
from babysitter.errors import NoSuchJob
from babysitter.model.ids import JobId, WatchId
from babysitter.model.limits import Limits
from babysitter.model.observation import Want
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Watch
from babysitter.playbook.load import load
from babysitter.shipped import shipped
from babysitter.waits import waiting_for

LOOKS = 2  # the second takes the dumps that the first asked for


async def diagnose_once(
    job: str, spec: ClusterSpec, settings: Settings, clock: Clock | None = None
) -> Verdict:
    """What can be said of a job right now. Raises NoSuchJob, or a WorldError only for a wrong set-up."""
    clock = clock or SystemClock()
    root = parse_job_id(spec, job)  # refused before the rules are read, which may take seconds
    with waiting_for("the rules to be read, which takes seconds the first time"):
        playbook = load([shipped(), *(path.expanduser() for path in settings.playbooks)])
    cluster = open_cluster(spec, clock=clock)
    try:
        return await look_with(cluster.reader, root, spec, playbook, settings.limits, clock)
    finally:
        await cluster.close()


async def look_with(
    reader: ClusterReader, root: JobId, spec: ClusterSpec, playbook: Playbook, limits: Limits, clock: Clock
) -> Verdict:
    """The same with a reader that is open already."""
    now = clock.now()
    if await reader.find(root) is None:
        raise unknown_job(spec, root)
    watch = Watch(WatchId("once"), root, root, spec.name, "auto", now, now, limits=limits)
    verdict = None
    for _ in range(LOOKS):
        verdict = judge(watch, await observe(watch, reader, clock), playbook)
        watch = replace(watch, memory=verdict.memory)
        if not verdict.wants & {Want.COORDINATOR_DUMP, Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.OLDER_LINES}:
            break
        if verdict.gone is not None:
            raise NoSuchJob(verdict.gone.reason)
    assert verdict is not None
    return verdict
