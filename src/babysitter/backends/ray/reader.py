"""The reader of a Ray cluster: the questions of backends/backend.py over the dashboard and the agents.

A job is one tree without descendants. Its tasks are the driver (`<job>/0`) and its actors
(`<job>/<class>-<beginning of the actor id>`).
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain

from babysitter.backends.backend import Abilities, ClusterInfo
from babysitter.backends.ray.dashboard import ray_answers
from babysitter.backends.ray.dashboard.cluster_view import RayClusterView, unknown_job
from babysitter.backends.ray.dashboard.gpu_use import of_process
from babysitter.backends.ray.dashboard.http_client import RayTransport
from babysitter.backends.ray.dashboard.known_job import KnownJob, file_of
from babysitter.backends.ray.dashboard.placement_groups import waiting_text
from babysitter.backends.ray.log_files import memory_kill_lines
from babysitter.backends.ray.log_files.autoscaler_lines import AutoscalerLines
from babysitter.backends.ray.log_files.log_reader import JobLogFile, RayLogReader
from babysitter.backends.ray.log_files.log_text import PRESTARTED_JOB, worker_file
from babysitter.backends.ray.submission.stored_job import stored_submission
from babysitter.clock import Clock, SystemClock
from babysitter.errors import ExternalError, SubmissionRefused
from babysitter.model.device_use import DeviceUse
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import Job, JobState, JobTree, Task
from babysitter.model.log import Cursor, LogBatch, LogSource
from babysitter.model.machine import Machine
from babysitter.model.submission import Submission
from babysitter.model.thread_dump import ThreadDump

DUMP_LIMIT_S = 30.0
FILES_LISTED_FOR = timedelta(minutes=10)  # of the same actors
MAX_LOG_NODES = 16  # nodes whose files are listed for one job
_ABILITIES = Abilities(kept_submission=False, tree_age_most_s=60.0)


class RayReader:
    """Implements `ClusterReader` and `Overview`. Nothing is ever stopped or started through it."""

    def __init__(self, line: RayTransport, *, clock: Clock | None = None) -> None:
        self._line = line
        self._clock = clock or SystemClock()
        self._view = RayClusterView(line)
        self._logs = RayLogReader(line, self._clock)
        self._autoscaler = AutoscalerLines(self._view, self._clock)
        self._listed: dict[tuple[JobId, str], _FileList] = {}
        self._nobodys: set[str] = set()  # files of workers without an actor
        self._waits: set[JobId] = set()  # jobs with placement groups that waited at the last look
        self._last_look: dict[JobId, KnownJob] = {}  # so that the log of a job needs no look of its own

    @property
    def abilities(self) -> Abilities:
        return _ABILITIES

    async def about(self) -> ClusterInfo:
        version = await self._view.version()
        detail = f"session {version.session_name}"
        return ClusterInfo(self._line.place, f"ray-{version.ray_version}", "http", detail)

    async def tree(
        self,
        root: JobId,
        *,
        tasks_of: Collection[JobId] = (),
        max_age_s: float = 0.0,  # noqa: ARG002
    ) -> JobTree:
        await self._view.version()  # remembers the session before the first look
        known = await self._look(root)
        waiting = await self._waiting(known, is_asked=root in tasks_of)
        job = ray_answers.job(known.raw, known.actors, waiting=waiting)
        if root in tasks_of:
            job = replace(job, tasks=await self._tasks(known, waiting))
        return JobTree(replace(job, id=root))

    async def find(self, job: JobId) -> Job | None:
        raw = await self._view.job(job)
        return None if raw is None else replace(ray_answers.job(raw), id=job)

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        wanted = list(dict.fromkeys(jobs))
        if len(wanted) == 1:
            found = await self.find(wanted[0])
            return {} if found is None else {wanted[0]: found.state}
        listed: dict[str, ray_answers.RayJob] = {}
        for raw in await self._view.jobs():
            listed |= {name: raw for name in (raw.job_id, raw.submission_id) if name}
        return {job: ray_answers.job(listed[job]).state for job in wanted if job in listed}

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        known = await self._look(job)
        return await self._tasks(known, await self._waiting(known, is_asked=True))

    async def task(self, task: TaskId) -> Task | None:
        job = job_of(task)
        if await self._view.job(job) is None:
            return None
        return next((candidate for candidate in await self.tasks(job) if candidate.id == task), None)

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,
    ) -> LogBatch:
        """A look at a quiet job, which would do without the log, reads the workers' files in turn."""
        known = self._last_look.get(source.job)
        if known is None or known.raw.driver_node_id is None:
            raw = await self._view.job(source.job)
            if raw is None:
                return LogBatch((), after)
            known = await self._with_actors(raw, source.job)
        in_turn = may_wait_s is not None and source.task is None
        files = await self._files(known, source, is_quiet=in_turn)
        if newest:
            batch = await self._logs.newest(files, source, at_most=at_most)
        else:
            batch = await self._logs.read(files, source, after=after, at_most=at_most, in_turn=in_turn)
        batch = memory_kill_lines.without_others(batch, known.raw.job_id)
        return await self._autoscaler.without_others(batch, known.raw.job_id)

    async def dump(self, task: TaskId) -> ThreadDump:
        """The text of py-spy's dump; it is parsed by whoever reads it. A refusal is never evidence."""
        taken_at = self._clock.now()
        pid, ip = await self._process_of(task)
        answer = await self._view.thread_dump(pid, ip, limit_s=DUMP_LIMIT_S)
        if answer.status == 403:
            raise SubmissionRefused(
                f"No thread dump of {task} is possible: profiling is off on Ray at {self._line.place}.",
                next_step="Start its head with RAY_DASHBOARD_ENABLE_PROFILING=1 where dumps are wanted.",
            )
        if answer.status != 200 or not answer.text.lstrip().startswith("Process "):
            why = "py-spy has no right to look" if "root permission" in answer.text else answer.last_line
            raise SubmissionRefused(f"No thread dump of {task} is possible: {why.rstrip('.')}.")
        return ThreadDump(target=task, taken_at=taken_at, processes=(), text=answer.text)

    async def submission(self, job: JobId) -> Submission | None:
        """Ray's record of the job, without the secrets in it."""
        raw = await self._view.job(job)
        if raw is None:
            return None
        return stored_submission(raw, job, (await self._view.fresh_version()).session_name)

    async def roots(self, prefix: str, *, since: datetime | None = None) -> tuple[Job, ...]:  # noqa: ARG002
        """Part of `Overview`."""
        found = [ray_answers.job(raw) for raw in await self._view.jobs()]
        found.sort(key=lambda job: job.submitted_at.timestamp() if job.submitted_at else 0.0, reverse=True)
        return tuple(job for job in found if job.id.startswith(prefix))

    async def workers(self) -> tuple[Machine, ...]:
        """Part of `Overview`: the nodes. Dead ones stay in Ray's list."""
        nodes = await self._view.nodes()
        gpus = await self._view.gpus(of=frozenset(node.node_id for node in nodes))
        return tuple(ray_answers.machine(node, gpus.get(node.node_id, ())) for node in nodes)

    async def close(self) -> None:
        await self._line.close()

    async def _look(self, job: JobId) -> KnownJob:
        raw = await self._view.job(job)
        if raw is None:
            changed = await self._view.session_changed()
            raise unknown_job(job, self._line.place, is_restarted=changed)
        known = await self._with_actors(raw, job)
        self._last_look[job] = known
        return known

    async def _with_actors(self, raw: ray_answers.RayJob, job: JobId) -> KnownJob:
        """No actors before the driver has connected to Ray: then there is no id to ask for."""
        actors = await self._view.actors(raw.job_id) if raw.job_id else []
        return KnownJob(job, raw, tuple(sorted(actors, key=lambda actor: actor.task_id(job))))

    async def _waiting(self, known: KnownJob, *, is_asked: bool) -> str:
        """What a running job waits for: asked with its tasks, and while it has no actors or unplaced ones."""
        is_due = is_asked or known.id in self._waits or not known.has_places
        if known.raw.status != "RUNNING" or known.raw.job_id is None or not is_due:
            return ""
        waiting = waiting_text(await self._view.placement_groups(), known.raw.job_id)
        (self._waits.add if waiting else self._waits.discard)(known.id)
        return waiting

    async def _tasks(self, known: KnownJob, waiting: str) -> tuple[Task, ...]:
        addresses = await self._view.addresses(of=known.node_ids)
        gpus = await self._gpus(known)
        actors = (
            ray_answers.actor_task(
                actor,
                known.id,
                addresses,
                waiting=waiting,
                devices=of_process(gpus.get(actor.node_id or "", ()), actor.pid),
            )
            for actor in known.actors
        )
        return (ray_answers.driver_task(known.raw, known.id), *actors)

    async def _gpus(self, known: KnownJob) -> Mapping[str, Sequence[DeviceUse]]:
        """Node id -> what its GPUs do now, for a job that runs; {} where nobody says it."""
        if known.raw.status != "RUNNING":
            return {}
        try:
            return await self._view.gpus(of=known.node_ids)
        except ExternalError:  # facts beside the tasks: these are known all the same
            return {}

    async def _process_of(self, task: TaskId) -> tuple[str, str]:
        """pid and IP address of a task's process. Raises SubmissionRefused where there is none."""
        job = job_of(task)
        raw = await self._view.job(job)
        if raw is not None and task == ray_answers.driver_id(job):
            info = raw.driver_info
            if info and info.pid and info.node_ip_address and raw.end_time is None:
                return info.pid, info.node_ip_address
        elif raw is not None:
            known = await self._with_actors(raw, job)
            addresses = await self._view.addresses(of=known.node_ids)
            for actor in known.actors:
                if actor.task_id(job) == task and actor.state == "ALIVE" and actor.pid and actor.node_id:
                    return str(actor.pid), addresses.get(actor.node_id, "")
        raise SubmissionRefused(f"No thread dump of {task} is possible: it has no running process.")

    async def _worker_files(
        self, known: KnownJob, node: str, job_hex: str, *, is_quiet: bool
    ) -> tuple[str, ...]:
        """Files of the job's workers on a node. Listed anew for new processes, else every ten minutes.

        Of a quiet job only for new processes.
        """
        pids = frozenset(actor.pid for actor in known.actors if actor.pid and actor.node_id == node)
        before, now = self._listed.get((known.id, node)), self._clock.now()
        if before and before.pids == pids and (is_quiet or now - before.listed_at < FILES_LISTED_FOR):
            return before.names
        names = await self._view.worker_files(node, job_hex)
        started_ahead = await self._view.worker_files(node, PRESTARTED_JOB) if pids else []
        names += [name for name in started_ahead if (found := worker_file(name)) and found.pid in pids]
        self._listed[known.id, node] = _FileList(pids, now, tuple(names))
        return tuple(names)

    async def _with_new_actors(self, known: KnownJob, names: frozenset[str]) -> KnownJob:
        """Asked again for files of processes that came behind the last look, else they are nobody's."""
        new = names - self._nobodys - {name for name in names if known.is_of_actor(name)}
        if not new:
            return known
        known = self._last_look[known.id] = await self._with_actors(known.raw, known.id)
        self._nobodys |= {name for name in new if not known.is_of_actor(name)}
        return known

    async def _files(self, known: KnownJob, source: LogSource, *, is_quiet: bool) -> Sequence[JobLogFile]:
        """The log files that the source means: of the workers by name, the driver's last."""
        raw = known.raw
        driver_node = raw.driver_node_id or ""
        if not driver_node:
            return ()
        nodes = sorted(known.node_ids | {driver_node})[:MAX_LOG_NODES]
        workers: list[JobLogFile] = []
        driver = ray_answers.driver_id(known.id)
        if raw.job_id and source.task != driver:
            agents = dict(await self._view.agents(of=frozenset(nodes)))
            if not agents.get(driver_node):  # Ray 2.49 does not list the ports of agents
                agents[driver_node] = raw.driver_agent_http_address or ""
            listed = await asyncio.gather(
                *(self._worker_files(known, node, raw.job_id, is_quiet=is_quiet) for node in nodes)
            )
            known = await self._with_new_actors(known, frozenset(chain.from_iterable(listed)))
            for node, names in zip(nodes, listed, strict=True):
                workers += [file_of(name, node, agents.get(node, ""), known) for name in names]
        files = list(workers)
        if raw.submission_id:
            name = f"job-driver-{raw.submission_id}.log"
            agent = raw.driver_agent_http_address or ""
            files.append(JobLogFile(driver_node, agent, name, driver, "stdout", attempt=0))
        return [file for file in files if _is_of(file, source)]


@dataclass(frozen=True, slots=True)
class _FileList:
    """Names of worker files on a node, as long as the job has these processes there."""

    pids: frozenset[int]
    listed_at: datetime
    names: tuple[str, ...]


def _is_of(file: JobLogFile, source: LogSource) -> bool:
    if source.task is not None and file.task != source.task:
        return False
    return source.attempt is None or file.attempt == source.attempt
