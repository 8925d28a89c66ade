"""The reader of a recording: a cluster as its recorded answers show it, up to the step that is being played.

A question is answered from the newest answer that any recorded question brought. It fails where the newest
attempt to ask it failed, and says that there is nothing where nothing was ever asked.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from babysitter.backends.backend import Abilities, ClusterInfo
from babysitter.backends.iris.answers import decode
from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.iris.connection.transport import refusal
from babysitter.backends.iris.submit_syntax import kept_submission
from babysitter.backends.recording.format import (
    RecordedResponse,
    RecordedStep,
    Recording,
    TimeScale,
)
from babysitter.errors import (
    BabysitError,
    ExternalError,
    InvalidResponse,
    NoSuchJob,
    SubmissionRefused,
    Unreachable,
)
from babysitter.model.ids import JobId, TaskId, is_within, job_of
from babysitter.model.job import Job, JobState, JobTree, Resources, Task, TaskState
from babysitter.model.log import Cursor, LogBatch, LogLevel, LogLine, LogSource
from babysitter.model.submission import Submission
from babysitter.model.thread_dump import ThreadDump

_LEVELS = (LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR, LogLevel.CRITICAL)
_LOG_CALLS = frozenset({"FetchLogs", "GetTaskLogs"})
_TREE_CALLS = frozenset({"ListJobs", "GetJobStatus", "GetJobState", "ListTasks", "GetTaskStatus"})
_NARROWING = ("cursor", "substring", "minLevel")
_TAIL = re.compile(r"^(?P<task>.*/\d+)(?::(?P<attempt>\d*)(?:\.\*)?)$")


class RecordedReader:
    """Implements `ClusterReader` over a recording. `show` moves it on; it never looks ahead."""

    def __init__(self, recording: Recording, stretch: TimeScale) -> None:
        self._recording = recording
        self._stretch = stretch
        self._jobs: dict[JobId, Job] = {}
        self._tasks: dict[JobId, dict[TaskId, Task]] = {}
        self._requests: dict[JobId, JsonNode] = {}
        self._lines: list[LogLine] = []
        self._known_lines: Counter[tuple[object, ...]] = Counter()
        self._dumps: dict[TaskId, ThreadDump] = {}
        self._no_dump: dict[TaskId, BabysitError] = {}
        self._has_looked = False
        self._blind: dict[
            str, ExternalError
        ] = {}  # "tree" or "logs" -> why the newest attempt to look failed

    def show(self, step: RecordedStep) -> None:
        """Take a step's answers into account, in the order in which they came."""
        for answer in step.answers:
            self._take(answer)

    @property
    def has_looked(self) -> bool:
        """Whether anything was ever asked that could tell of jobs."""
        return self._has_looked

    @property
    def abilities(self) -> Abilities:
        return Abilities(kept_submission=self._recording.generation != "april", submits=False)

    async def about(self) -> ClusterInfo:
        return ClusterInfo(str(self._recording.folder), self._recording.generation, "recording")

    async def tree(
        self,
        root: JobId,
        *,
        tasks_of: Collection[JobId] = (),
        max_age_s: float = 0.0,  # noqa: ARG002
    ) -> JobTree:
        self._see("tree")
        if root not in self._jobs:
            raise NoSuchJob(
                f"The recorded cluster does not know the job {root}.", next_step="Was the submission refused?"
            )
        jobs = sorted(
            (self._with_tasks(job, tasks_of) for job in self._jobs.values() if is_within(job.id, root)),
            key=lambda job: (job.submitted_at.timestamp() if job.submitted_at else float("inf"), job.id),
        )
        return JobTree(
            next(job for job in jobs if job.id == root), tuple(job for job in jobs if job.id != root)
        )

    async def find(self, job: JobId) -> Job | None:
        self._see("tree")
        return self._jobs.get(job)

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        self._see("tree")
        return {job: self._jobs[job].state for job in jobs if job in self._jobs}

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        self._see("tree")
        return tuple(self._tasks.get(job, {}).values())

    async def task(self, task: TaskId) -> Task | None:
        self._see("tree")
        return self._tasks.get(job_of(task), {}).get(task)

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,  # noqa: ARG002
    ) -> LogBatch:
        self._see("logs")
        start = int(after) if after is not None else 0
        meant = [
            (place, line) for place, line in enumerate(self._lines[start:], start) if _is_of(line, source)
        ]
        is_full = len(meant) > at_most
        chosen = (meant[-at_most:] if newest else meant[:at_most]) if is_full else meant
        cursor = chosen[-1][0] + 1 if is_full and not newest else len(self._lines)
        return LogBatch(tuple(line for _, line in chosen), Cursor(str(cursor)), is_full=is_full)

    async def dump(self, task: TaskId) -> ThreadDump:
        if (fault := self._no_dump.get(task)) is not None:
            raise fault
        if task not in self._dumps:
            raise SubmissionRefused(f"No thread dump of {task} was recorded.")
        return self._dumps[task]

    async def submission(self, job: JobId) -> Submission | None:
        request = self._requests.get(job)
        return None if request is None else kept_submission(request, job, iris=("iris",))

    async def close(self) -> None:
        """Nothing to give back."""

    # --- taking answers in

    def _take(self, answer: RecordedResponse) -> None:
        self._has_looked |= answer.method in _TREE_CALLS or answer.method == "TerminateJob"
        topic = "logs" if answer.method in _LOG_CALLS else "tree" if answer.method in _TREE_CALLS else ""
        if answer.status == 200:
            try:
                self._take_good(answer)
                self._blind.pop(topic, None)
            except (UnexpectedField, ValueError) as fault:
                self._blind[topic] = InvalidResponse(
                    f"The answer to {answer.method} makes no sense: {fault}."
                )
            return
        fault_said = self._fault(answer)
        if answer.method == "ProfileTask":
            self._no_dump[TaskId(str(answer.body.get("target", "")))] = SubmissionRefused(str(fault_said))
        elif isinstance(fault_said, NoSuchJob):
            job = JobId(str(answer.body.get("jobId", "")))
            self._jobs.pop(job, None)
            self._blind.pop(topic, None)
        elif isinstance(fault_said, ExternalError) and topic:
            self._blind[topic] = fault_said

    def _fault(self, answer: RecordedResponse) -> BabysitError | None:
        """What a failed answer means; None for calls that this generation does not have."""
        if answer.status is None:
            why = answer.text.strip().splitlines()[0][:200] if answer.text.strip() else "no answer"
            return Unreachable(f"The controller did not answer {answer.method}: {why}.")
        body = answer.json
        if isinstance(body, dict) and isinstance(body.get("code"), str):
            return refusal("the recorded cluster", answer.method, body["code"], str(body.get("message", "")))
        if answer.status == 404:
            return None
        return Unreachable(f"The controller answered {answer.method} with {answer.status}.")

    def _take_good(self, answer: RecordedResponse) -> None:
        raw = answer.json
        if raw is None:
            raise ValueError("not JSON")
        reader = _READERS.get(answer.method)
        if reader is not None:
            reader(self, answer, self._stretch.answer(raw))

    def _list_jobs(self, answer: RecordedResponse, raw: object) -> None:
        page = decode.job_page(raw)
        query = answer.body.get("query")
        prefix = query.get("jobIdPrefix") or query.get("nameFilter") if isinstance(query, dict) else None
        listed = {job.id for job in page.jobs}
        if isinstance(prefix, str) and not page.has_more and self._recording.root.endswith(prefix):
            for gone in [job for job in self._jobs if job not in listed and prefix in job]:
                del self._jobs[gone]  # the whole subtree was listed
        for job in page.jobs:
            self._put(job)

    def _job_status(self, answer: RecordedResponse, raw: object) -> None:  # noqa: ARG002
        job = decode.job_status(raw)
        self._put(job)
        if (request := decode.kept_request(raw)) is not None:
            self._requests[job.id] = request

    def _job_state(self, answer: RecordedResponse, raw: object) -> None:
        states = decode.job_states(raw)
        for job, state in states.items():
            known = self._jobs.get(job)
            if known is None:
                self._jobs[job] = Job(job, state)
            elif known.state is not state:
                self._jobs[job] = replace(known, state=state)
        asked = answer.body.get("jobIds")
        for job_id in asked if isinstance(asked, list) else ():
            if job_id not in states:
                self._jobs.pop(JobId(str(job_id)), None)

    def _list_tasks(self, answer: RecordedResponse, raw: object) -> None:
        job = JobId(str(answer.body.get("jobId", "")))
        fresh = {task.id: task for task in decode.tasks(raw)}
        known = self._tasks.get(job, {})
        self._tasks[job] = {id_: _fuller(task, known.get(id_)) for id_, task in fresh.items()}
        self._infer(job)

    def _task_status(self, answer: RecordedResponse, raw: object) -> None:  # noqa: ARG002
        task = decode.task_status(raw)
        self._tasks.setdefault(job_of(task.id), {})[task.id] = task
        self._infer(job_of(task.id))

    def _infer(self, job: JobId) -> None:
        """A job that nobody asked about, from its tasks; what is above a job with tasks exists too."""
        tasks = self._tasks.get(job)
        while tasks and job.count("/") >= 2 and job not in self._jobs:
            states = Counter(task.state for task in self._tasks.get(job, {}).values())
            state = JobState.RUNNING
            if states and all(task_state.is_terminal for task_state in states):
                ended = [end_state.value for end_state in states if end_state is not TaskState.SUCCEEDED]
                state = JobState(ended[0]) if ended and ended[0] in set(JobState) else JobState.SUCCEEDED
            self._jobs[job] = Job(
                job, state, task_count=states.total(), task_states=dict(states), has_children=not states
            )
            job = JobId(job.rpartition("/")[0])

    def _terminated(self, answer: RecordedResponse, raw: object) -> None:  # noqa: ARG002
        """The state is KILLED at once, of the job and of everything below it."""
        stopped = JobId(str(answer.body.get("jobId", "")))
        known = [job for job in self._jobs.values() if is_within(job.id, stopped)]
        for job in known or [Job(stopped, JobState.RUNNING)]:
            if not job.state.is_terminal:
                self._jobs[job.id] = replace(job, state=JobState.KILLED, error="Terminated by user")

    def _logs(self, answer: RecordedResponse, raw: object) -> None:
        source = _source_of(answer.body)
        batch = decode.log_batch(raw, source, after=None, at_most=1 << 30)
        if not batch.lines and not any(answer.body.get(name) for name in _NARROWING):
            # Everything was asked for and nothing came: what was there is gone with the log service.
            self._lines = [line for line in self._lines if not _is_of(line, source)]
        here: Counter[tuple[object, ...]] = Counter()
        for line in batch.lines:
            key = (line.task, line.attempt, line.at_ms, line.text)
            here[key] += 1
            if here[key] > self._known_lines[key]:  # answers overlap; a line may really come twice
                self._known_lines[key] += 1
                self._lines.append(line)

    def _profile(self, answer: RecordedResponse, raw: object) -> None:
        task = TaskId(str(answer.body.get("target", "")))
        try:
            text = decode.dump_text(raw)
        except decode.NoDump as fault:
            self._no_dump[task] = SubmissionRefused(f"No thread dump of {task}: {fault}.")
            return
        self._no_dump.pop(task, None)
        taken_at = self._stretch.moment(answer.ends_ms)
        self._dumps[task] = ThreadDump(task, taken_at, processes=(), text=text)

    # --- answering

    def _see(self, topic: str) -> None:
        if topic in self._blind:
            raise self._blind[topic]

    def _with_tasks(self, job: Job, tasks_of: Collection[JobId]) -> Job:
        tasks = self._tasks.get(job.id)
        return replace(job, tasks=tuple(tasks.values())) if tasks and job.id in tasks_of else job

    def _put(self, job: Job) -> None:
        known = self._jobs.get(job.id)
        if known is not None and job.resources == Resources():
            job = replace(job, resources=known.resources)  # lists leave them out
        self._jobs[job.id] = job


_READERS: Mapping[str, Callable[[RecordedReader, RecordedResponse, object], None]] = {
    "ListJobs": RecordedReader._list_jobs,
    "GetJobStatus": RecordedReader._job_status,
    "GetJobState": RecordedReader._job_state,
    "ListTasks": RecordedReader._list_tasks,
    "GetTaskStatus": RecordedReader._task_status,
    "TerminateJob": RecordedReader._terminated,
    "FetchLogs": RecordedReader._logs,
    "GetTaskLogs": RecordedReader._logs,
    "ProfileTask": RecordedReader._profile,
}


def _fuller(task: Task, known: Task | None) -> Task:
    """A listed task with what only the question for one task tells (memory)."""
    if known is None:
        return task
    return replace(
        task,
        memory_bytes=task.memory_bytes or known.memory_bytes,
        memory_peak_bytes=task.memory_peak_bytes or known.memory_peak_bytes,
    )


def _source_of(body: Mapping[str, object]) -> LogSource:
    """Whose lines a recorded question asked for: answers to exact questions do not repeat it."""
    said = str(body.get("source") or body.get("id") or "")
    plain = re.sub(r"\\(.)", r"\1", said)
    if found := _TAIL.match(plain):
        task, attempt = TaskId(found["task"]), found["attempt"]
        return LogSource(job_of(task), task=task, attempt=int(attempt) if attempt else None)
    if body.get("id") and re.search(r"/\d+$", plain):
        return LogSource(job_of(TaskId(plain)), task=TaskId(plain))
    return LogSource(JobId(plain.removesuffix(".*").rstrip("/")))


def _is_of(line: LogLine, source: LogSource) -> bool:
    """Whether a question for `source` would have brought the line."""
    if source.task is not None:
        if line.task != source.task or (source.attempt is not None and line.attempt != source.attempt):
            return False
    else:
        job = job_of(line.task)
        if not (is_within(job, source.job) if source.include_children else job == source.job):
            return False
    if source.containing and source.containing not in line.text:
        return False
    if source.since is not None and line.at_ms and line.at_ms <= source.since.timestamp() * 1000:
        return False
    if source.at_least is None or line.level is LogLevel.UNKNOWN:
        return True
    return _LEVELS.index(line.level) >= _LEVELS.index(source.at_least)
