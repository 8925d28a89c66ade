"""A Zephyr coordinator: starts workers, opens stages, prints progress, ends well, badly, or not at all."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from babysitter.sim.iris import dump_output, tracebacks
from babysitter.sim.iris.cluster import FOREVER_S, Cluster, Ending, Life, Placement
from babysitter.sim.iris.programs import JobProgram
from babysitter.sim.iris.records import Job, Task
from babysitter.sim.iris.scenario import Pipeline
from babysitter.sim.iris.shard_queue import Shard, ShardLease, Work
from babysitter.sim.iris.submissions import child_request
from babysitter.sim.iris.worker_program import Worker, WorkerPool

TICK_S = 0.5
PROGRESS_S = 5.0
HEARTBEAT_TIMEOUT_S = 120.0
Pause = Generator[float, None, None]


@dataclass(slots=True)
class Commission:
    """What a parent asks of one coordinator job, and what it learns when the job is over."""

    context: str  # `wordcount-468b736c`
    pipelines: Sequence[Pipeline]  # one; all of them in August, where one coordinator serves the whole run
    executions: Sequence[str]
    workers_name: str  # without the attempt number, which is the coordinator's own
    pipeline: int
    attempt: int
    fatal: Sequence[str] = ()  # what was raised; a parent does not try again after it


class Coordinator(JobProgram):
    """One attempt of a coordinator task."""

    def __init__(self, cluster: Cluster, task: Task, commission: Commission) -> None:
        super().__init__(cluster, task)
        self.commission = commission
        self.crew = WorkerPool()
        self.situation = "starting"
        self.summary, self.detail = "", ""
        self._seen = 0
        self._last_progress_at = 0.0
        self._shown = -1
        self.logger = self.voice.coordinator_logger

    def status_text(self) -> tuple[str, str]:
        return self.summary, self.detail

    def dump(self) -> str:
        return dump_output.coordinator(self.cluster.generation, self.pid, self.workdir, self.situation)

    def tell(self, text: str, level: str = "I") -> None:
        self.say(text, level=level, logger=self.logger)

    def run(self) -> Life:
        yield from self._come_up()
        first = self.commission.pipelines[0]
        if first.crash and self.commission.attempt < first.crash_attempts:
            yield self.chance.uniform(2.0, 4.0)
            return self._crash(first.crash)
        workers = self._start_workers(first)
        self.situation = "waiting"
        while not self.crew.names:
            if workers.state.final:
                return (yield from self._without_workers(workers))
            yield TICK_S
        for number, plan in enumerate(self.commission.pipelines):
            last = number == len(self.commission.pipelines) - 1
            work = Work(self.commission.executions[number], plan, last_pipeline=last)
            failed = yield from self._run_pipeline(work, workers)
            if failed is not None:
                return failed
        return (yield from self._finish(self.commission.pipelines[-1], workers))

    def _come_up(self) -> Pause:
        wanted, execution = self.commission, self.commission.executions[0]
        self.tell(f"Loading coordinator config from file:///srv/run/tmp/zephyr/{execution}/job-config.pkl")
        self.tell(
            f"Coordinator job starting: name={wanted.context}, execution_id={execution}, "
            f"pipeline={wanted.pipeline}, attempt=0"
        )
        self.say("current_client: using Iris backend (auto-detected)", logger=self.voice.client_logger)
        yield self.chance.uniform(0.3, 1.0)
        actor = f"{self.task.job.id}/zephyr-{wanted.context}-p{wanted.pipeline}-coord-0"
        registered = f"host_actor: registered {actor} -> http://192.0.2.2:{49_152 + self.pid % 10_000}"
        self.say(registered, logger=self.voice.backend_logger)
        self.tell("Coordinator initialized")

    def _start_workers(self, plan: Pipeline) -> Job:
        shards = next((stage.shards for stage in plan.stages if not stage.skip), 0)
        self.tell(f"Starting {plan.workers} workers (max={plan.workers}, shards={shards})")
        suffix = "" if self.cluster.generation == "august" else f"-a{len(self.task.attempts) - 1}"
        request = child_request(
            f"{self.task.job.id}/{self.commission.workers_name}{suffix}",
            env={},
            generation=self.cluster.generation,
            replicas=plan.workers,
            memory=plan.worker_memory,
            cpu=0.5,
        )
        placement = Placement(plan.workers_wait_s, plan.workers_reason)
        return self.cluster.launch(request, lambda task: Worker(self.cluster, task, self.crew), placement)

    def _run_pipeline(self, work: Work, workers: Job) -> Generator[float, None, Ending | None]:
        if self.crew.work is not None:
            work.hands = {name: ShardLease() for name, hand in self.crew.work.hands.items() if not hand.gone}
        self.crew.work = work
        self._welcome(work)
        self.situation = "stage"
        for number, stage in enumerate(work.plan.stages):
            if stage.skip:
                continue
            self._open(work, number)
            while not work.stage_done:
                yield TICK_S
                self._welcome(work)
                self._notice_lost(work)
                self._print_warnings(work)
                if work.fatal:
                    return (yield from self._abort(work, workers))
                if workers.state.final and not work.stage_done:
                    return (yield from self._lost_all())
                self._print_progress(work)
        return None

    def _open(self, work: Work, number: int) -> None:
        work.open_stage(number, self.cluster.now)
        count = work.count(self.cluster.now)
        self.tell(self.voice.stage_start(work.execution, count.label, count.total))
        self.tell(self.voice.completed(work.execution, count.label, 0, count.total))
        self._shown = 0
        self._last_progress_at = self.cluster.now - PROGRESS_S

    def _welcome(self, work: Work) -> None:
        for name in self.crew.names[self._seen :]:
            hand = work.hands.get(name)
            if hand is None:
                work.hands[name] = ShardLease()
                self.tell(f"Worker {name} registered, total: {len(work.hands)}")
            else:
                self.tell(f"Worker {name} re-registering (likely reconstructed), updating handle")
                work.lose(name, one_counter=self.cluster.generation == "april")
                hand.lost_at, hand.gone = None, False
        self._seen = len(self.crew.names)

    def _notice_lost(self, work: Work) -> None:
        for name, hand in work.hands.items():
            if hand.lost_at is None or hand.gone:
                continue
            silent_s = self.cluster.now - hand.lost_at
            if silent_s > HEARTBEAT_TIMEOUT_S:
                self.tell(f"Zephyr worker {name} failed to heartbeat within timeout ({silent_s:.1f}s)", "W")
                work.lose(name, one_counter=self.cluster.generation == "april")
                hand.gone = True

    def _print_warnings(self, work: Work) -> None:
        for kind, worker, shard in work.warnings:
            match kind:
                case "failed":
                    self.tell(self.voice.shard_failed(shard.number, worker, shard.errors + shard.losses), "W")
                case "lost":
                    self.tell(self._lost_line(shard, worker), "W")
                case _:
                    self.tell(self.voice.aborting(shard.number, worker), "E")
        work.warnings.clear()

    def _lost_line(self, shard: Shard, worker: str) -> str:
        return self.voice.shard_lost(shard.number, worker, shard.starts, shard.errors, shard.losses)

    def _print_progress(self, work: Work) -> None:
        """Changes at once; the full line, the retries and the status text every five seconds; never n/n."""
        count = work.count(self.cluster.now)
        if count.done >= count.total:
            return
        if count.done != self._shown:
            self._shown = count.done
            self.tell(self.voice.completed(work.execution, count.label, count.done, count.total))
        if self.cluster.now - self._last_progress_at < PROGRESS_S:
            return
        self._last_progress_at = self.cluster.now
        self._make_noise(work)
        self.tell(self.voice.progress(work.execution, count))
        if work.again:
            self.tell(self.voice.retried(work.execution, work.again), "W")
        if count.workers and not count.alive:
            self.tell("All workers are dead/failed. Waiting for workers to recover...", "W")
        if self.cluster.generation == "may":
            names = tuple(stage.ops for stage in work.plan.stages)
            self.summary = self.voice.summary(count.label, work.stage_number + 1, len(names), count)
            self.detail = self.voice.detail(names, work.stage_number, count)

    def _make_noise(self, work: Work) -> None:
        for number in range(work.stage.noise if work.stage else 0):
            worker = f"worker-{number % 97}"
            self.say(f"Resolved actor '{worker}' to 1 endpoint(s)", logger="iris.actor.client")

    def _finish(self, plan: Pipeline, workers: Job) -> Life:
        """All shards are done: say so, dismiss the workers, and exit, unless something keeps the process."""
        work = self.crew.work
        assert work is not None
        self.tell("[coordinator.shutdown] Starting shutdown")
        work.over = True
        yield self.chance.uniform(0.2, 0.9)
        self.cluster.stop(workers.id)  # those that are not yet gone show "Terminated by user"
        if self.cluster.generation != "april":
            self.tell(f"[coordinator.shutdown] Final counters: {dict(work.totals)}")
        self.tell("Coordinator shutdown complete")
        if plan.ends in {"leaked-thread", "main-raised"}:
            self.situation = plan.ends
            yield FOREVER_S
        yield self.chance.uniform(0.2, 0.5)
        return Ending()

    def _abort(self, work: Work, workers: Job) -> Life:
        """A shard failed for the last time: the user's exception ends the coordinator, then the parent."""
        self.commission.fatal = self._raised(work)
        work.over = True
        yield self.chance.uniform(0.2, 1.0)
        self.tell("[coordinator.shutdown] Starting shutdown")
        self.cluster.stop(workers.id)
        self.tell("Coordinator shutdown complete")
        self._write_raised()
        return Ending(1)

    def _raised(self, work: Work) -> list[str]:
        shard, worker = work.blame
        if work.is_lost:
            return [f"zephyr.execution.ZephyrWorkerError: {work.fatal}"]
        generation = self.cluster.generation
        where = "" if generation == "april" else f", last failure on worker {worker}"
        head = f"zephyr.execution.ZephyrWorkerError: Shard {shard} failed 3 times (max 3){where}."
        is_users = not work.fatal.startswith("MemoryError: Subprocess")
        return tracebacks.of_pipeline(head, work.fatal, generation, with_shard=is_users)

    def _write_raised(self) -> None:
        raised, generation = self.commission.fatal, self.cluster.generation
        self.write_lines(tracebacks.of_coordinator(raised, self.workdir, generation))

    def _crash(self, error: str) -> Ending:
        self.tell("[coordinator.shutdown] Starting shutdown")
        self.tell("Coordinator shutdown complete")
        self.write_lines(["Traceback (most recent call last):", "    fn(*args, **kwargs)", error])
        return Ending(1)

    def _lost_all(self) -> Life:
        reason = (
            "Worker job terminated permanently (all retries exhausted). "
            "Workers likely crashed (OOM or other fatal error)."
        )
        self.tell(f"Coordinator aborted: {reason}", "E")
        yield TICK_S
        self.commission.fatal = [f"zephyr.execution.ZephyrWorkerError: {reason}"]
        self.tell("[coordinator.shutdown] Starting shutdown")
        self.tell("Coordinator shutdown complete")
        self._write_raised()
        return Ending(1)

    def _without_workers(self, workers: Job) -> Life:
        """No worker ever came. April's process then hangs; later ones end, and the parent tries again."""
        error = (
            f"RuntimeError: Actor job {workers.id} finished before all actors registered "
            f"(0/1 ready). Job state=6, error={workers.error}"
        )
        if self.cluster.generation != "april":
            return self._crash(error)
        self.write("Traceback (most recent call last):")
        self.situation = "main-raised"
        yield FOREVER_S
        return Ending(1)
