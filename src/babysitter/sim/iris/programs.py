"""What a plain job does, and what all programs have in common: a log, chance of their own, a dump."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from babysitter.sim.iris import dump_output
from babysitter.sim.iris.cluster import Cluster, Ending, Life
from babysitter.sim.iris.job_output import LogWriter, own_line
from babysitter.sim.iris.records import Task
from babysitter.sim.iris.scenario import Exit, Root


class JobProgram:
    """A process: it can print, it has a pid and a working folder, it can be looked into."""

    def __init__(self, cluster: Cluster, task: Task) -> None:
        self.cluster = cluster
        self.task = task
        self.voice = LogWriter(cluster.generation)
        self.key = task.log_key
        self.chance = cluster.random_for(self.key)
        self.pid = self.chance.randint(12_000, 28_000)
        self.workdir = f"root-{self.chance.getrandbits(256):064x}"
        self.resident_mb = self.chance.randint(160, 180)

    def memory_mb(self) -> int:
        return self.resident_mb

    def status_text(self) -> tuple[str, str]:
        return "", ""

    def write(self, text: str, source: str = "stderr") -> None:
        self.cluster.logs.add(self.key, self.cluster.now, text, source)

    def say(self, text: str, *, level: str = "I", logger: str = "zephyr.execution") -> None:
        self.write(own_line(level, self.cluster.now, logger, text))

    def write_lines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)


class Plain(JobProgram):
    """A user's own program: prints its lines at its pace, then exits as the scenario says."""

    def __init__(self, cluster: Cluster, task: Task, root: Root) -> None:
        super().__init__(cluster, task)
        self.root = root
        self.memory_limit_mb = int(task.job.request["resources"].get("memoryBytes", 0)) >> 20

    def run(self) -> Life:
        for step in self.root.says:
            for count in range(step.times):
                yield step.every_s
                if step.memory_mb:
                    self.resident_mb = step.memory_mb
                if self.resident_mb > self.memory_limit_mb:
                    return Ending(137, "Exit code 137: OOM killed (container exceeded memory limit)")
                if step.say:
                    self.write(step.say.replace("{n}", str(count)), step.source)
        end = self._exit()
        if end.traceback:
            self.write_lines(list(self._traceback(end.traceback)))
        return Ending(end.code, end.error)

    def dump(self) -> str:
        python = dump_output.FRAMES[self.cluster.generation].python
        return dump_output.plain(
            self.pid, f"{python} {' '.join(self.root.argv[1:])}", [f"<module> ({self._script}:24)"]
        )

    @property
    def _script(self) -> str:
        return next((PurePosixPath(word).name for word in self.root.argv if word.endswith(".py")), "job.py")

    def _exit(self) -> Exit:
        """The exit of this attempt; the last one listed holds for all later attempts."""
        by_attempt = self.root.exits_by_attempt or (self.root.exits,)
        return by_attempt[min(len(self.task.attempts) - 1, len(by_attempt) - 1)]

    def _traceback(self, error: str) -> Iterator[str]:
        yield "Traceback (most recent call last):"
        yield f'  File "/srv/ws/{self._script}", line 7, in <module>'
        if error.startswith(("ModuleNotFoundError", "ImportError")):
            module = error.rpartition("'")[0].rpartition("'")[2] or "missing"
            yield f"    import {module}"
        else:
            yield "    main()"
        yield error
