"""One look at a job, without a watch and without a trace: for `diagnose`."""

from babysitter.backends.open import ClusterSpec, open_cluster
from babysitter.classify.load import load, shipped
from babysitter.clock import Clock, SystemClock
from babysitter.config import Settings
from babysitter.errors import NoSuchJob
from babysitter.model.ids import WatchId
from babysitter.model.observation import Want
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Watch
from babysitter.service.judge import judge
from babysitter.service.observe import observe
from babysitter.service.watching import job_id

LOOKS = 2  # the second takes the dumps that the first asked for


async def look_once(job: str, spec: ClusterSpec, settings: Settings, clock: Clock | None = None) -> Verdict:
    """What can be said of a job right now. Raises NoSuchJob, or a WorldError only for a wrong set-up."""
    clock = clock or SystemClock()
    root, now = job_id(job), clock.now()
    playbook = load([shipped(), *(path.expanduser() for path in settings.playbooks)])
    watch = Watch(WatchId("once"), root, root, spec.name, "auto", now, now, limits=settings.limits)
    cluster = open_cluster(spec, clock=clock)
    try:
        if await cluster.eyes.find(root) is None:
            raise NoSuchJob(
                f"The cluster '{spec.name}' does not know the job {root}.",
                next_step="Check the id with `iris job list`; it is /user/name, in full.",
            )
        verdict = None
        for _ in range(LOOKS):
            verdict = judge(watch, await observe(watch, cluster.eyes, clock), playbook)
            watch = Watch(
                watch.id, root, root, spec.name, "auto", now, now, memory=verdict.memory, limits=watch.limits
            )
            if not verdict.wants & {Want.COORDINATOR_DUMP, Want.WORKER_DUMPS, Want.OLDER_LINES}:
                break
        assert verdict is not None
        return verdict
    finally:
        await cluster.close()
