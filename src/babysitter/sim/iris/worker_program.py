"""A Zephyr worker: registers with its coordinator, pulls shards, works on them, is sent away at the end."""

from collections.abc import Generator

from babysitter.sim.iris import dump_output, tracebacks
from babysitter.sim.iris.cluster import FOREVER_S, Cluster, Ending, Life
from babysitter.sim.iris.job_output import own_line
from babysitter.sim.iris.programs import JobProgram
from babysitter.sim.iris.records import Task
from babysitter.sim.iris.scenario import Stage
from babysitter.sim.iris.shard_queue import Shard, Work

POLL_S = 0.5
_ACCEPT = ("_accept (socket.py:293)", "socket.accept (socket.py:295)", "fetch_remote_page (pipeline.py:71)")
_AT_WORK = ("split_words (pipeline.py:15)",)
_SLOW = ("tokenize (pipeline.py:44)", "split_words (pipeline.py:17)")
_OOM = "Subprocess for shard {} was killed by SIGKILL (returncode -9); most likely OOM-killed by the kernel."


class WorkerPool:
    """What a coordinator's workers have in common: whom they work for, and what is being worked on."""

    def __init__(self) -> None:
        self.work: Work | None = None
        self.names: list[str] = []  # in the order of registration; each appears again when it re-registers

    def register(self, name: str) -> None:
        self.names.append(name)


class Worker(JobProgram):
    """One attempt of one worker task."""

    def __init__(self, cluster: Cluster, task: Task, crew: WorkerPool) -> None:
        super().__init__(cluster, task)
        self.name = f"{task.job.id.rpartition('/')[2]}-{task.index}"
        self.crew = crew
        self.shard: Shard | None = None
        self.summary, self.detail = "idle", "idle"

    def status_text(self) -> tuple[str, str]:
        return self.summary, self.detail

    def run(self) -> Life:
        yield self.chance.uniform(2.0, 4.0)
        self._introduce()
        self.crew.register(self.name)
        dismissed = False
        try:
            while not dismissed:
                work = self.crew.work
                if work is None or self.name not in work.hands:
                    yield POLL_S
                elif shard := work.pull(self.name):
                    yield from self._work_on(work, shard)
                elif work.dismisses(self.name):
                    dismissed = True
                else:
                    yield POLL_S
            self.say(f"[{self.name}] Received SHUTDOWN", logger=self.voice.worker_logger)
            self.say(f"Actor {self.task.job.id}/{self.name} shutting down", logger=self.voice.backend_logger)
        finally:
            self._leave(dismissed)
        yield self.chance.uniform(0.2, 1.0)
        return Ending()

    def dump(self) -> str:
        stage = self.crew.work.stage if self.crew.work else None
        frames, state = self._user_code(stage) if stage and self.shard else ((), "idle")
        return dump_output.worker(self.cluster.generation, self.pid, self.workdir, self.name, frames, state)

    def _user_code(self, stage: Stage) -> tuple[tuple[str, ...], str]:
        assert self.shard is not None
        if self.shard.number in stage.stuck:
            return _ACCEPT, "idle"
        if stage.slow is not None and self.shard.number == stage.slow.shard:
            return _SLOW[int(self.cluster.now) % 2 :], "active+gil"
        return _AT_WORK, "active"

    def _introduce(self) -> None:
        backend, actor = self.voice.backend_logger, f"{self.task.job.id}/{self.name}"
        above, place = self.task.job.id.rpartition("/")[0], 0x7F0000000000 + self.pid
        self.say(f"Starting actor: {actor} (job_id={self.task.job.id})", logger=backend)
        self.say(
            f"Resolving name {above} via <iris.client.client.NamespacedResolver object at {place:#x}>",
            logger="iris.actor.client",
        )
        self.say(f"Resolved actor '{above}' to 1 endpoint(s)", logger="iris.actor.client")
        self.say(f"[{self.name}] Starting polling loop", logger=self.voice.worker_logger)
        self.say(
            f"Registering endpoint: {actor} -> http://192.0.2.2:{30_000 + self.pid % 1000}", logger=backend
        )
        self.say(f"Actor {actor} ready and listening", logger=backend)

    def _work_on(self, work: Work, shard: Shard) -> Generator[float, None, None]:
        stage, logger = work.stage, self.voice.worker_logger
        assert stage is not None
        self.shard = shard
        self.summary = f"**{work.label}**  \nshard {shard.number + 1}/{stage.shards}"
        self.detail = f"**Stage**: {work.label}  \n**Shard**: {shard.number + 1}/{stage.shards}"
        self.say(self.voice.executing(self.name, work.label, shard.number, shard.starts), logger=logger)
        self.say(
            self.voice.shard_starts(work.execution, work.label, shard.number, stage.shards), logger=logger
        )
        duration_s = self._duration_s(stage, shard)
        yield duration_s
        one_counter = self.cluster.generation == "april"
        if error := self._error(stage, shard):
            self._report_error(shard, error, killed=shard.number in stage.killed)
            self.shard = None
            work.fail(self.name, error, one_counter=one_counter)
            return
        self.say(f"[shard {shard.number}] Complete: 1 refs produced", logger=logger)
        said = f"[{self.name}] Task for shard {shard.number} completed in {duration_s:.2f} seconds"
        self.say(said, logger=logger)
        self.shard = None
        work.complete(self.name)

    def _duration_s(self, stage: Stage, shard: Shard) -> float:
        if shard.number in stage.stuck:
            return FOREVER_S
        times = stage.slow.times if stage.slow and stage.slow.shard == shard.number else 1.0
        return stage.shard_s * times * self.chance.uniform(1 - stage.jitter, 1 + stage.jitter)

    def _error(self, stage: Stage, shard: Shard) -> str:
        if shard.number in stage.killed:
            return f"MemoryError: {_OOM.format(shard.number)}"
        fault = stage.fails
        return fault.error if fault and fault.shard == shard.number and shard.errors < fault.times else ""

    def _report_error(self, shard: Shard, error: str, *, killed: bool) -> None:
        if not killed:
            thread = 140_000_000_000_000 + self.pid
            self.write(
                own_line("E", self.cluster.now, f"{thread} __main__", "Subprocess shard execution failed")
            )
            self.write_lines(tracebacks.of_shard(error, self.cluster.generation))
        text = error.partition(": ")[2] or error
        logger = self.voice.worker_logger
        self.say(f"Worker {self.name} error on shard {shard.number}: {text}", level="E", logger=logger)

    def _leave(self, dismissed: bool) -> None:
        """Sent away, a worker counts as gone; killed, it is only out of contact, and its shard with it."""
        hand = self.crew.work.hands.get(self.name) if self.crew.work else None
        if hand is not None and dismissed:
            hand.gone = True
        elif hand is not None:
            hand.lost_at = self.cluster.now
