"""Jobs, tasks and logs of a simulated cluster, as of a virtual moment."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from babysitter.sim.script import UP_AFTER_S, Script

PROGRESS_EVERY_S = 5.0
WORKERS_AFTER_S = 8.0
COORDINATOR_AFTER_S = 4.0
HASHES = ("4f1c2a7b", "9d03e5c8", "17ab60fe", "c2e8841d")


@dataclass
class Line:
    key: str
    text: str
    at_ms: int
    level: str = "LOG_LEVEL_INFO"


@dataclass
class Run:
    """One submitted job and everything below it."""

    job: str
    script: Script
    submitted_ms: int
    number: int
    request: dict[str, object]
    killed_ms: int | None = None
    told_s: float = 0.0  # up to where lines have been printed
    marks: set[str] = field(default_factory=set)

    @property
    def coordinator(self) -> str:
        return f"{self.job}/zephyr-dedup-{HASHES[self.number % len(HASHES)]}-p0-a0"

    @property
    def workers(self) -> str:
        return f"{self.coordinator}/{self.coordinator.rpartition('/')[2][:-3]}-workers-a0"

    @property
    def execution(self) -> str:
        started = datetime.fromtimestamp(self.submitted_ms / 1000, UTC)
        return f"{started:%Y%m%d-%H%M%S}-{HASHES[self.number % len(HASHES)]}"


class Cluster:
    """Everything that is true of the cluster at `now()`. Stopping and launching really change it."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.runs: dict[str, Run] = {}
        self.lines: list[Line] = []

    def now_ms(self) -> int:
        return int(self._now().timestamp() * 1000)

    def launch(self, job: str, script: Script, request: dict[str, object] | None = None) -> Run:
        request = request or {
            "name": job,
            "entrypoint": {"runCommand": {"argv": ["python", "dedup.py"]}},
            "submitArgv": [
                "iris", "job", "run", "--no-wait", "--job-name", job.rpartition("/")[2], "--memory", "5GB",
                "--", "python", "dedup.py",
            ],
        }  # fmt: skip
        run = Run(job, script, self.now_ms(), len(self.runs), request)
        self.runs[job] = run
        return run

    def stop(self, job: str) -> bool:
        """Kill exactly this job with its descendants; False when there is none."""
        run = self.run_of(job)
        if run is None:
            return False
        if not self.is_over(run):
            self.advance()
            run.killed_ms = self.now_ms()
        return True

    def run_of(self, job: str) -> Run | None:
        """The run that contains exactly this job."""
        return next((run for run in self.runs.values() if job in self.jobs_of(run)), None)

    def jobs_of(self, run: Run) -> list[str]:
        """Root, coordinator and workers job, as far as they exist by now."""
        elapsed = self.elapsed_s(run)
        jobs = [run.job]
        if run.script.is_pipeline and run.script.ends != "waits":
            jobs += [run.coordinator] if elapsed >= COORDINATOR_AFTER_S else []
            jobs += [run.workers] if elapsed >= WORKERS_AFTER_S else []
        return jobs

    def elapsed_s(self, run: Run) -> float:
        until = run.killed_ms if run.killed_ms is not None else self.now_ms()
        return (until - run.submitted_ms) / 1000

    def is_over(self, run: Run) -> bool:
        return self.state(run, run.job) not in ("RUNNING", "PENDING")

    def state(self, run: Run, job: str) -> str:
        """The word after JOB_STATE_ for one job of a run."""
        script, elapsed = run.script, self.elapsed_s(run)
        if script.ends == "waits":
            return "KILLED" if run.killed_ms else "PENDING"
        ended = script.work_ends_s()
        is_done = ended is not None and elapsed >= ended
        if is_done and job == run.workers:
            return "SUCCEEDED" if script.ends != "fails" else "KILLED"
        if is_done and script.ends in ("succeeds", "fails"):
            return "SUCCEEDED" if script.ends == "succeeds" else "FAILED"
        return "KILLED" if run.killed_ms else "RUNNING"

    def ended_ms(self, run: Run) -> int | None:
        if not self.is_over(run):
            return None
        ended = run.script.work_ends_s()
        return run.killed_ms or run.submitted_ms + int((ended or 0) * 1000)

    def advance(self) -> None:
        """Print what every living run has to say up to now, in the order of time."""
        fresh = [line for run in self.runs.values() for line in self._printed(run)]
        self.lines.extend(sorted(fresh, key=lambda line: line.at_ms))

    def _printed(self, run: Run) -> Iterator[Line]:
        since, until = run.told_s, self.elapsed_s(run)
        run.told_s = until
        script = run.script
        if script.ends == "waits" or until <= since:
            return
        for text, key, at in self._story(run):
            if since <= at < until:
                yield self._line(run, key, text, at)

    def _story(self, run: Run) -> Iterator[tuple[str, str, float]]:
        """All that a run prints up to its told moment: text, task, second."""
        script, coordinator = run.script, f"{run.coordinator}/0"
        ended = script.work_ends_s()
        if script.is_pipeline:
            name = run.coordinator.rpartition("/")[2]
            yield f"Coordinator job submitted: {name} (job_id={run.coordinator})", f"{run.job}/0", 3.0
            yield "Coordinator initialized", coordinator, COORDINATOR_AFTER_S + 1
            yield (
                f"Starting {script.workers} workers (max={script.workers}, shards={script.stages[0].shards})",
                coordinator,
                6.0,
            )
            for worker in range(script.workers):
                yield (
                    f"Worker {run.workers.rpartition('/')[2]}-{worker} registered, total: {worker + 1}",
                    coordinator,
                    12.0,
                )
            for stage, start in zip(script.stages, script.stage_starts_s(), strict=True):
                yield (
                    f"[{run.execution}] Starting stage {stage.label} with {stage.shards} tasks",
                    coordinator,
                    start,
                )
            yield from self._progress(run, coordinator)
            if ended is not None:
                yield "[coordinator.shutdown] Starting shutdown", coordinator, ended
                yield "Coordinator shutdown complete", coordinator, ended + 0.2
        if ended is not None:
            yield from ((text, f"{run.job}/0", ended - 0.1) for text in script.lines)

    def _progress(self, run: Run, coordinator: str) -> Iterator[tuple[str, str, float]]:
        script, at = run.script, UP_AFTER_S
        while at < run.told_s:
            found = script.progress(at)
            if found is not None:
                stage, done = found
                flying = min(script.workers, stage.shards - done)
                if script.ends == "sticks" and stage is script.stages[-1] and done >= script.stick_at:
                    flying = stage.shards - done
                queued = stage.shards - done - flying
                tail = f"; items={done} ({done / max(1.0, at):.1f}/s)" if done else ""
                for number in range(script.noise_per_line):
                    yield f"Started operation pull_task {number}", coordinator, at
                yield (
                    (
                        f"[{run.execution}] [{stage.label}] {done}/{stage.shards} complete, "
                        f"{flying} in-flight, "
                        f"{queued} queued, {script.workers}/{script.workers} workers alive, 0 dead{tail}"
                    ),
                    coordinator,
                    at,
                )
            at += PROGRESS_EVERY_S

    def _line(self, run: Run, task: str, text: str, at_s: float) -> Line:
        at_ms = run.submitted_ms + int(at_s * 1000)
        if task == f"{run.job}/0" and text in run.script.lines:
            return Line(f"{task}:0", text, at_ms, "LOG_LEVEL_UNKNOWN")
        stamp = datetime.fromtimestamp(at_ms / 1000, UTC)
        return Line(f"{task}:0", f"I{stamp:%Y%m%d %H:%M:%S} zephyr.execution {text}", at_ms)
