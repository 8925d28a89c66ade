"""The user's program of a Zephyr run: submits coordinator jobs in turn, and tries again by itself."""

from collections.abc import Generator, Sequence
from datetime import UTC, datetime

from babysitter.sim.iris import dump_output, tracebacks
from babysitter.sim.iris.cluster import Cluster, Ending, Life, Placement
from babysitter.sim.iris.coordinator_program import Commission, Coordinator
from babysitter.sim.iris.job_output import program_line
from babysitter.sim.iris.programs import JobProgram
from babysitter.sim.iris.records import Job, State, Task
from babysitter.sim.iris.scenario import Pipeline, Root
from babysitter.sim.iris.submissions import child_request

RETRIES = 100
MAX_PAUSE_S = 60.0
POLL_S = 1.0


class Parent(JobProgram):
    """One attempt of a root task. A new attempt is a new process, so a new context with another hash."""

    def __init__(self, cluster: Cluster, task: Task, root: Root) -> None:
        super().__init__(cluster, task)
        self.root = root
        self.context = f"{root.context}-{self.chance.getrandbits(32):08x}"

    def run(self) -> Life:
        yield self.chance.uniform(2.0, 4.0)
        self.tell("current_client: using Iris backend (auto-detected)", logger=self.voice.client_logger)
        if self.cluster.generation == "august":
            groups = [tuple(self.root.pipelines)]
        else:
            groups = [(pipeline,) for pipeline in self.root.pipelines]
        for number, group in enumerate(groups):
            fatal = yield from self._run(number, group)
            if fatal:
                self.write_lines(tracebacks.of_parent(fatal, self.cluster.generation))
                return Ending(1)
            yield self.root.pause_s
        self.write("pipeline ok", "stdout")
        return Ending()

    def dump(self) -> str:
        python = dump_output.FRAMES[self.cluster.generation].python
        return dump_output.parent(
            self.cluster.generation, self.pid, f"{python} {' '.join(self.root.argv[1:])}"
        )

    def tell(self, text: str, *, level: str = "INFO", logger: str = "zephyr.execution") -> None:
        self.write(program_line(level, self.cluster.now, logger, text))

    def _run(self, number: int, group: Sequence[Pipeline]) -> Generator[float, None, Sequence[str]]:
        """One pipeline, tried until it succeeds or the user's own code is at fault: then its exception."""
        for attempt in range(RETRIES + 1):
            commission = self._commission(number, attempt, group)
            started = f"{commission.executions[0]} (pipeline {number}, attempt {attempt})"
            self.tell(f"Starting zephyr pipeline: {started}")
            job = self._submit(commission)
            self.tell(f"Coordinator job submitted: {job.id.rpartition('/')[2]} (job_id={job.id})")
            while not job.state.final:
                yield POLL_S
            if job.state is State.SUCCEEDED or commission.fatal:
                return commission.fatal
            pause_s = min(MAX_PAUSE_S, 2.0**attempt * self.chance.uniform(1.8, 2.3))
            self.tell(
                f"Pipeline attempt {attempt} failed ({RETRIES - attempt} retries left), "
                f"retrying in {pause_s:.1f}s: Job {job.id} JOB_STATE_{job.state.upper()}: {job.error}",
                level="WARNING",
            )
            yield pause_s
        return ["RuntimeError: pipeline failed after all retries"]

    def _commission(self, number: int, attempt: int, group: Sequence[Pipeline]) -> Commission:
        if self.cluster.generation == "august":
            name = f"zephyr-{self.context}-coordinator-{self.chance.getrandbits(32):08x}"
            workers = f"{name}-workers"
        else:
            workers = f"zephyr-{self.context}-p{number}-workers"
        executions = [self._execution() for _ in group]
        return Commission(self.context, group, executions, workers, number, attempt)

    def _submit(self, commission: Commission) -> Job:
        if self.cluster.generation == "august":
            name = commission.workers_name.removesuffix("-workers")
        else:
            name = f"zephyr-{self.context}-p{commission.pipeline}-a{commission.attempt}"
        job_id = f"{self.task.job.id}/{name}"
        request = child_request(job_id, env=self.root.env, generation=self.cluster.generation)
        return self.cluster.launch(
            request, lambda task: Coordinator(self.cluster, task, commission), Placement()
        )

    def _execution(self) -> str:
        moment = datetime.fromtimestamp(self.cluster.now, UTC)
        return f"{moment:%Y%m%d-%H%M%S}-{self.chance.getrandbits(32):08x}"
