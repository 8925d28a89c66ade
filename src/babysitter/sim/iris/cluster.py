"""The cluster itself: places tasks on machines, runs them, retries them, ends jobs. All on virtual time."""

import random
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from babysitter.sim.iris.logbook import LogBook
from babysitter.sim.iris.records import Attempt, Inside, Job, Machine, State, Task
from babysitter.sim.iris.timeline import Timeline

STOPPED_BY_SOMEBODY = "Terminated by user"  # the only reason the controller has, whoever asked
PARENT_FAILED = "Job exceeded max_task_failures"
RETRY_PAUSE_S = 1.5
LINGER_S, LINGER_STEP_S = 20.0, 2.0  # measured: a stopped process printed for up to 20 s more
DRAIN_S = 180.0  # measured: two minutes after a stop the name was still held
FOREVER_S = 10.0 * 365 * 86400


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended. Without an error text the cluster quotes the last line of stderr."""

    exit_code: int = 0
    error: str = ""
    lost_machine: bool = False  # the machine's fault: another budget, another counter
    again_after_s: float = RETRY_PAUSE_S  # when the next attempt finds a machine, if there is one


Life = Generator[float, None, Ending]


class Program(Inside, Protocol):
    """One attempt of one task, from its first line to its exit."""

    def run(self) -> Life:
        """Yields seconds to sleep; closed without warning when the process is killed."""


Programs = Callable[[Task], Program]


@dataclass(frozen=True, slots=True)
class Placement:
    """How long tasks wait for a machine, what the scheduler says meanwhile, how long they build."""

    wait_s: float = 0.5
    reason: str = "Pending scheduler feedback"
    build_s: float = 0.7


class Cluster:
    """Jobs by id, their logs, the levers of a controller (`launch`, `stop`) and of fate (`fail`, `lose`)."""

    def __init__(self, *, generation: str, start: float, seed: int = 1, machines: int = 3) -> None:
        self.generation = generation
        self.seed = seed
        self.timeline = Timeline(start)
        self.logs = LogBook()
        self.jobs: dict[str, Job] = {}
        self.machines = tuple(self._machine(index) for index in range(machines))
        self._forgotten: dict[str, Job] = {}
        self._stories: dict[str, tuple[Programs, Placement]] = {}
        self._submitted = 0

    @property
    def now(self) -> float:
        return self.timeline.now

    @property
    def runs(self) -> dict[str, Job]:
        """The root jobs, in the order of their submission."""
        return {job.id: job for job in self.jobs.values() if not job.parent_id}

    def run_until(self, at: float) -> None:
        self.timeline.run_until(at)

    def random_for(self, name: str) -> random.Random:
        """Chance that depends on the seed and the name only, not on what else happened before."""
        return random.Random(f"{self.seed}/{name}")

    def launch(
        self, request: Mapping[str, Any], programs: Programs, placement: Placement | None = None
    ) -> Job:
        """Take a job in. One that ended under the same name is forgotten; its log lines stay."""
        job_id = str(request["name"])
        for old in [old.id for old in self.subtree(job_id)]:
            del self.jobs[old]
        self._submitted += 1
        job = Job(job_id, self._submitted, request, self.now)
        self.jobs[job_id] = job
        replicas = int(request.get("replicas", 0))
        if replicas < 1:
            job.state, job.finished_at = State.FAILED, self.now
            job.error = f"Job {job_id} has invalid replicas={replicas}; must be >= 1"
            return job
        placement = placement or Placement()
        self._stories[job_id] = (programs, placement)
        job.pending_reason = placement.reason
        job.tasks = [Task(job, index) for index in range(replicas)]
        for task in job.tasks:
            task.life = self.timeline.start(self._live(task), placement.wait_s)
        return job

    def stop(self, job_id: str, reason: str = STOPPED_BY_SOMEBODY, *, ends_slowly: bool = False) -> None:
        """End a job and everything below it, at once. What has ended already stays as it is.

        `ends_slowly`: the states change at once, but the processes go on printing for some seconds.
        """
        for job in self.subtree(job_id):
            if job.state.final:
                continue
            for task in job.tasks:
                if ends_slowly and task.state is State.RUNNING:
                    self.timeline.start(self._linger(task.log_key), LINGER_STEP_S)
                self._kill(task, reason)
            job.state, job.error = State.KILLED, job.error or reason
            job.finished_at, job.drained_at = self.now, self.now + DRAIN_S

    def forget_jobs(self) -> None:
        """The controller begins with an empty database: what runs goes on, and nobody knows of it."""
        self._forgotten |= self.jobs
        self.jobs = {}

    def know_again(self) -> None:
        """The database is put back; jobs submitted meanwhile keep their names."""
        self.jobs = self._forgotten | self.jobs
        self._forgotten = {}

    def subtree(self, job_id: str) -> list[Job]:
        """The job and its descendants, newest first; empty for an unknown id."""
        below = [job for job in self.jobs.values() if job.id == job_id or job.id.startswith(f"{job_id}/")]
        return sorted(below, key=lambda job: -job.number)

    def children(self, job_id: str) -> Iterator[Job]:
        return (job for job in self.jobs.values() if job.parent_id == job_id)

    def task(self, task_id: str) -> Task | None:
        job_id, _, index = task_id.rpartition("/")
        job = self.jobs.get(job_id)
        if job is None or not index.isdigit() or int(index) >= len(job.tasks):
            return None
        return job.tasks[int(index)]

    def fail(self, task: Task, exit_code: int = -9, error: str = "") -> None:
        """A process of the job dies from outside, as under `kill` or the kernel's OOM killer."""
        self._strike(task, Ending(exit_code, error))

    def lose(self, task: Task, again_after_s: float = RETRY_PAUSE_S) -> None:
        """The machine under a task goes away; another one is found after a while."""
        reason = "Worker failed to respond to heartbeats"
        self._strike(task, Ending(1, reason, lost_machine=True, again_after_s=again_after_s))

    def _strike(self, task: Task, ending: Ending) -> None:
        if task.state is State.RUNNING and task.life is not None:
            self.timeline.stop(task.life)
            self._leave(task)
            self._end(task, ending)

    def _live(self, task: Task) -> Generator[float, None, None]:
        """One attempt. Placed, built, run, and handed over to `_end`."""
        programs, placement = self._stories[task.job.id]
        attempt = Attempt(len(task.attempts), self._place(task))
        task.attempts.append(attempt)
        task.state, task.pending_reason = State.BUILDING, ""
        task.exit_code, task.started_at = 0, None
        self._settle(task.job)
        yield placement.build_s
        task.state = attempt.state = State.RUNNING
        task.started_at = attempt.started_at = self.now
        program = programs(task)
        task.inside = program
        ending = yield from program.run()
        self._leave(task)
        self._end(task, ending)

    def _leave(self, task: Task) -> None:
        if task.inside is not None:
            task.status_text = task.inside.status_text()
            task.memory_history_mb.append(task.inside.memory_mb())
            task.inside = None

    def _end(self, task: Task, ending: Ending) -> None:
        attempt = task.attempts[-1]
        attempt.exit_code, attempt.finished_at = ending.exit_code, self.now
        attempt.worker_failure = ending.lost_machine
        if ending.exit_code == 0 and not ending.lost_machine:
            task.state = attempt.state = State.SUCCEEDED
            task.finished_at = self.now
        else:
            last_line = self.logs.last_error_line(task.log_key)
            quote = f"Exit code: {ending.exit_code}" + (f". stderr: {last_line}" if last_line else "")
            attempt.error = task.error = ending.error or quote
            task.exit_code = ending.exit_code
            attempt.state = State.WORKER_FAILED if ending.lost_machine else State.FAILED
            self._retry_or_give_up(task, attempt.state, ending.again_after_s)
        self._settle(task.job)

    def _retry_or_give_up(self, task: Task, last: State, pause_s: float) -> None:
        job = task.job
        if last is State.WORKER_FAILED:
            task.preemptions += 1
            again = task.preemptions <= job.budget("maxRetriesPreemption")
            if (
                len(job.tasks) == 1
            ):  # a lost single-task parent takes its children down; a failed one does not
                for child in list(self.children(job.id)):
                    self.stop(child.id, STOPPED_BY_SOMEBODY)
        else:
            task.failures += 1
            again = task.failures <= job.budget("maxRetriesFailure")
        if again:
            task.state = State.PENDING
            task.pending_reason = f"Retrying (attempt {len(task.attempts)}, last: task_state_{last})"
            task.life = self.timeline.start(self._live(task), pause_s)
        else:
            task.state, task.finished_at = last, self.now

    def _settle(self, job: Job) -> None:
        """Let the job's state follow from its tasks', and let the end of a job reach its children."""
        job.state = state_of(job)
        if job.started_at is None and job.state is not State.PENDING:
            job.started_at, job.pending_reason = self.now, ""
        if not job.state.final:
            return
        job.finished_at = self.now
        if job.state is State.SUCCEEDED:
            return
        job.error = next((task.error for task in job.tasks if task.error), "")
        for task in job.tasks:
            self._kill(task, PARENT_FAILED)
        for child in list(self.children(job.id)):
            self.stop(child.id, PARENT_FAILED)

    def _kill(self, task: Task, reason: str) -> None:
        if task.state.final:
            return
        if task.life is not None:
            self.timeline.stop(task.life)
        self._leave(task)
        task.state, task.error = State.KILLED, reason
        # April leaves the attempt of a stopped task as it was.
        if task.attempt is not None and not task.attempt.state.final and self.generation != "april":
            task.attempt.state, task.attempt.error = State.KILLED, reason

    def _linger(self, log_key: str) -> Generator[float, None, None]:
        """A stopped process until the machine ends it: it repeats its last line. At most LINGER_S."""
        ends_at = self.now - LINGER_STEP_S + self.random_for(f"linger-{log_key}").uniform(3.0, LINGER_S)
        while self.now <= ends_at:
            if last := self.logs.last_error_line(log_key):
                self.logs.add(log_key, self.now, last)
            yield LINGER_STEP_S

    def _place(self, task: Task) -> Machine:
        return self.machines[(task.job.number + task.index + len(task.attempts)) % len(self.machines)]

    def _machine(self, index: int) -> Machine:
        chance = self.random_for(f"machine-{index}")
        group, vm = f"{chance.getrandbits(32):08x}", f"{chance.getrandbits(32):08x}"
        return Machine(f"worker-sim-cpu-20261120-1933-{group}-{index}-{vm}", f"127.0.0.1:{41000 + index}")


def state_of(job: Job) -> State:
    """A job's state from its tasks': the first of the controller's rules that holds."""
    states = [task.state for task in job.tasks]
    if all(state is State.SUCCEEDED for state in states):
        return State.SUCCEEDED
    if states.count(State.FAILED) > job.budget("maxTaskFailures"):
        return State.FAILED
    for decisive in (State.UNSCHEDULABLE, State.KILLED):
        if decisive in states:
            return decisive
    if all(state.final for state in states):
        return State.WORKER_FAILED
    waiting = all(state is State.PENDING for state in states)
    return State.PENDING if waiting and job.started_at is None else State.RUNNING
