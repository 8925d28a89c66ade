"""The calls of a controller over a cluster: a question as a dictionary in, an answer as a dictionary out."""

import base64
import re
from collections.abc import Callable
from typing import Any

from babysitter.sim.iris import dump_output, encode, launching, request_fields
from babysitter.sim.iris.bundles import BundleStore
from babysitter.sim.iris.launching import ConnectError
from babysitter.sim.iris.log_calls import fetch_logs, task_logs
from babysitter.sim.iris.records import Job, State, Task
from babysitter.sim.iris.scenario_run import ScenarioRun
from babysitter.sim.iris.submissions import shown

Json = dict[str, Any]
CONTROLLER = "iris.cluster.ControllerService"
LOG_SERVICES = {
    "april": ("iris.logging.LogService", CONTROLLER),
    "may": ("finelog.logging.LogService", "iris.logging.LogService", CONTROLLER),
    "august": ("finelog.logging.LogService", "proxy/system.log-server/finelog.logging.LogService"),
}
MAX_PAGE, MAX_OFFSET = 500, 5000
_CANONICAL = re.compile(r"/[^/]+(?:/[^/]+)+")


class NoSuchCall(Exception):
    """This generation has no such call: answered without a body, unlike "no such job"."""

    def __init__(self, *, known_service: bool) -> None:
        super().__init__()
        self.known_service = known_service


class Calls:
    """Answers of one generation. `identity`: the static token that may be exchanged at Login; none = open.

    `user`: whose token that is. `bundles`: what was submitted with jobs.
    """

    def __init__(self, story: ScenarioRun, generation: str, *, identity: str = "", user: str = "ada") -> None:
        self.story, self.cluster, self.generation, self.identity = story, story.cluster, generation, identity
        self.user = user
        self.bundles = BundleStore()

    def answer(self, service: str, method: str, text: bytes) -> Json:
        """Raises ConnectError for a refusal and NoSuchCall for a call of another generation."""
        services = LOG_SERVICES[self.generation] if method == "FetchLogs" else (CONTROLLER,)
        shapes = request_fields.REQUESTS[self.generation]
        if service not in services or method not in shapes:
            raise NoSuchCall(known_service=service in (CONTROLLER, *LOG_SERVICES[self.generation]))
        call: Callable[[Json], Json] = getattr(self, f"_{_snake(method)}")
        try:
            return call(request_fields.read(self.generation, method, text))
        except request_fields.Malformed as fault:
            if self.generation == "april":
                said = f"Failed to decode request body: {fault}"
                raise ConnectError(400, "invalid_argument", said) from fault
            raise ConnectError(500, "unknown", str(fault)) from fault

    def _list_jobs(self, asked: Json) -> Json:
        query = asked.get("query", asked)
        offset, limit = query.get("offset", 0), query.get("limit", 0)
        if self.generation != "april":
            limit = min(limit or MAX_PAGE, MAX_PAGE)
            if offset > MAX_OFFSET:
                raise ConnectError(
                    400,
                    "invalid_argument",
                    f"query.offset={offset} exceeds MAX_LIST_JOBS_OFFSET={MAX_OFFSET}; narrow the result "
                    "set with state_filter/name_filter/parent_job_id instead of paging deeper.",
                )
        found = [job for job in reversed(list(self.cluster.jobs.values())) if _matches(job, query)]
        page = found[offset : offset + limit if limit else None]
        listed = [self._job(job, listed=True) for job in page]
        return _without_empty(jobs=listed) | {
            "totalCount": len(found),
            "hasMore": offset + len(page) < len(found),
        }

    def _get_job_status(self, asked: Json) -> Json:
        job = self._known_job(asked.get("jobId", ""), "GetJobStatus")
        answer: Json = {"job": self._job(job, listed=False), "request": shown(job.request, self.generation)}
        if self.generation == "april" and job.state is State.RUNNING and job.tasks:
            used = [encode.usage(task) for task in job.tasks]
            answer |= {"resourceMin": _without_peak(used[0]), "resourceMax": used[-1]}
        if self.generation == "august" and job.state is State.FAILED:
            answer["rootCauseHighlights"] = [job.error]
        return answer

    def _get_job_state(self, asked: Json) -> Json:
        jobs = [
            self.cluster.jobs[job_id] for job_id in asked.get("jobIds", []) if job_id in self.cluster.jobs
        ]
        return _without_empty(states={job.id: f"JOB_STATE_{job.state.upper()}" for job in jobs})

    def _list_tasks(self, asked: Json) -> Json:
        if not (job_id := asked.get("jobId", "")):
            raise ConnectError(400, "invalid_argument", "job_id is required")
        _check_canonical(job_id, "ListTasks")
        job = self.cluster.jobs.get(job_id)
        every = self.generation == "april"
        tasks = [encode.task(task, self.generation, all_attempts=every) for task in job.tasks] if job else []
        return _without_empty(tasks=tasks)

    def _get_task_status(self, asked: Json) -> Json:
        task = self._known_task(asked.get("taskId", ""))
        return {
            "task": encode.task(task, self.generation, all_attempts=True, detailed=True),
            "jobResources": task.job.request.get("resources", {}),
        }

    def _fetch_logs(self, asked: Json) -> Json:
        if self.generation != "april" and not asked.get("source"):
            raise ConnectError(500, "unknown", "FetchLogs source is required for MATCH_SCOPE_PREFIX")
        return fetch_logs(self.cluster.logs, asked, self.generation)

    def _get_task_logs(self, asked: Json) -> Json:
        return task_logs(self.cluster.logs, asked)

    def _profile_task(self, asked: Json) -> Json:
        if self.generation != "april" and not asked.get("profileType"):
            raise ConnectError(400, "invalid_argument", "profile_type is required")
        target = asked.get("target", "")
        if target in ("/system/process", "/system/controller"):
            return _profile(dump_output.controller(4242))
        task = self._known_task(target.partition(":")[0])
        if task.attempt is None:
            raise ConnectError(400, "failed_precondition", f"Task {task.id} not yet assigned to a worker")
        if task.inside is None:
            state = f"TASK_STATE_{task.state.upper()}"
            april = f"Task {task.id} is not running (state={state})"
            return _profile("", april if self.generation == "april" else "attempt no longer running")
        return _profile(task.inside.dump())

    def _terminate_job(self, asked: Json) -> Json:
        job = self._known_job(asked.get("jobId", ""), "TerminateJob")
        self.story.note(f"Job {job.id} terminated")
        self.cluster.stop(job.id, ends_slowly=True)
        return {}

    def _launch_job(self, asked: Json) -> Json:
        name = asked.get("name", "")
        if not _CANONICAL.fullmatch(name):
            raise _not_canonical(name, "LaunchJob")
        if name.count("/") == 2:
            launching.check_client(asked, self.generation, self.cluster.now)
            if self.identity:  # who asks is who owns: the name's own user does not count
                name = f"/{self.user}/{name.split('/')[2]}"
        launching.check_priority(name, asked, self.generation)
        existing = self.cluster.jobs.get(name)
        if launching.check_name(existing, asked):
            return {"jobId": name}
        if existing is not None and not existing.state.final:
            self.cluster.stop(name, "Replaced by new submission")
        if existing is not None and self.generation != "april" and existing.drained_at > self.cluster.now:
            raise ConnectError(504, "deadline_exceeded", "Request timed out")
        pack = launching.unpacked(asked)
        launching.check_placement(name, asked, self.generation)
        stored = {"bundleId": self.bundles.put(pack)} if pack else {}
        request = {key: value for key, value in asked.items() if key != "bundleBlob"}
        self.story.launch({"replicas": 1, **request, **stored, "name": name})
        return {"jobId": name}

    def _list_workers(self, asked: Json) -> Json:
        running = [
            task for job in self.cluster.jobs.values() for task in job.tasks if task.state is State.RUNNING
        ]
        machines = [
            encode.machine(
                machine,
                self.generation,
                heartbeat_at=self.cluster.now,
                tasks=[task.id for task in running if task.attempt and task.attempt.machine is machine],
            )
            for machine in self.cluster.machines
            if asked.get("query", {}).get("contains", "") in machine.id
        ]
        count = {} if self.generation == "april" else {"totalCount": len(machines), "hasMore": False}
        return _without_empty(workers=machines) | count

    def _get_auth_info(self, _asked: Json) -> Json:
        return {"provider": "static" if self.identity else "", "gcpProjectId": ""}

    def _get_current_user(self, _asked: Json) -> Json:
        return {"userId": self.user if self.identity else "anonymous", "role": "admin"}

    def _login(self, asked: Json) -> Json:
        if not self.identity or asked.get("identityToken") != self.identity:
            raise ConnectError(401, "unauthenticated", "Identity verification failed")
        return {"token": self.session_token, "keyId": "iris_k_made_up", "userId": self.user}

    @property
    def session_token(self) -> str:
        """What Login gives for the identity."""
        return f"session-of-{self.identity}"

    def _job(self, job: Job, *, listed: bool) -> Json:
        has_children = any(True for _ in self.cluster.children(job.id))
        return encode.job(job, self.generation, has_children=has_children, listed=listed)

    def _known_job(self, job_id: str, method: str) -> Job:
        _check_canonical(job_id, method)
        job = self.cluster.jobs.get(job_id)
        if job is None:
            raise ConnectError(404, "not_found", f"Job {job_id} not found")
        return job

    def _known_task(self, task_id: str) -> Task:
        task = self.cluster.task(task_id)
        if task is None:
            raise ConnectError(404, "not_found", f"Task {task_id} not found")
        return task


def _matches(job: Job, query: Json) -> bool:
    scope, parent = query.get("scope", "JOB_QUERY_SCOPE_ALL"), query.get("parentJobId", "")
    if scope == "JOB_QUERY_SCOPE_ROOTS" and job.parent_id:
        return False
    if (scope == "JOB_QUERY_SCOPE_CHILDREN" or parent) and job.parent_id != parent:
        return False
    wanted = query.get("stateFilter", "")
    return (
        job.id.startswith(query.get("jobIdPrefix", ""))
        and query.get("nameFilter", "").lower() in job.id.lower()
        and (not wanted or job.state == wanted)
    )


def _check_canonical(job_id: str, method: str) -> None:
    if not _CANONICAL.fullmatch(job_id):
        raise _not_canonical(job_id, method)


def _not_canonical(job_id: str, method: str) -> ConnectError:
    said = f"RPC {method}: Job name must use canonical '/<user>/<job>[...]' format: {job_id}"
    return ConnectError(500, "internal", said)


def _profile(text: str, error: str = "") -> Json:
    return {"profileData": base64.b64encode(text.encode()).decode(), "error": error}


def _without_peak(usage: Json) -> Json:
    return {name: value for name, value in usage.items() if name != "memoryPeakMb"}


def _without_empty(**collections: Any) -> Json:
    return {name: value for name, value in collections.items() if value}


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
