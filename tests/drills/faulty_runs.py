"""Looks at jobs of a real Ray as a watch does, on a clock that a drill can put forward."""

import contextlib
import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from babysitter.backends.ray.reader import RayReader
from babysitter.backends.registry import ray_spec
from babysitter.clock import SystemClock
from babysitter.diagnosis.judge.unconfirmed import diagnosis_or_best
from babysitter.diagnosis.pipeline import judge
from babysitter.diagnosis.timeline.startup.startup_standing import standing_of
from babysitter.engine.observe import observe
from babysitter.errors import ExternalError
from babysitter.model.ids import JobId, WatchId
from babysitter.model.verdict import Diagnosis, Verdict
from babysitter.model.watch import Watch
from babysitter.playbook.load import load
from babysitter.shipped import shipped
from tests.drills.live_ray import CountingClient
from tests.drills.local_ray import LocalRay

JOBS = Path(__file__).parent / "jobs"
PLAYBOOK = load([shipped()])


@dataclass(frozen=True)
class Fault:
    """`name`: what the program is told. `harm`: what is done to a run that trains.

    Expected: one of `causes`, `advice` in what is to be done, all of `evidence` in what is quoted.
    """

    name: str
    causes: tuple[str, ...]
    advice: str = ""
    evidence: tuple[str, ...] = ()
    harm: Callable[[LocalRay, JobId], None] | None = None
    limit_s: float = 90.0


class MovedClock(SystemClock):
    """The time of the machine, put forward."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


@dataclass
class Story:
    """What a watch of one job says, look after look."""

    ray: LocalRay
    job: JobId
    clock: MovedClock = field(default_factory=MovedClock)
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        self.client = CountingClient(self.ray.url)
        self.reader = RayReader(self.client, clock=self.clock)
        now = self.clock.now()
        name = ray_spec(self.ray.url)[0].name
        self.watch = Watch(WatchId("drill"), self.job, self.job, name, "auto", now, now)

    async def submit(self, fault: str, pause_s: float = 0.3) -> None:
        words = f"{self.ray.python} -u -m torchspec.train_entry {fault} {pause_s:g}"
        body = {"entrypoint": f"cd {JOBS} && exec {words}", "submission_id": self.job}
        answer = await self.client.send("POST", "/api/jobs/", json.dumps(body).encode())
        assert answer.status == 200, answer.text

    async def look(self) -> Verdict:
        observation = await observe(self.watch, self.reader, self.clock)
        self.verdict = judge(self.watch, observation, PLAYBOOK)
        self.watch = replace(self.watch, memory=self.verdict.memory)
        return self.verdict

    @property
    def found(self) -> Diagnosis:
        assert self.verdict is not None
        return diagnosis_or_best(self.verdict)

    @property
    def phase(self) -> tuple[int, str]:
        """Number and sentence of the phase of the start; (0, "") before the first."""
        standing = standing_of(self.watch.memory.startup, self.clock.now())
        return (standing.phase, standing.sentence) if standing is not None else (0, "")

    def is_training(self) -> bool:
        return "Training: " in self.ray.get(f"/api/jobs/{self.job}/logs")["logs"]

    async def end(self) -> None:
        """Stop the job, where its head still answers."""
        with contextlib.suppress(ExternalError):
            await self.client.send("POST", f"/api/jobs/{self.job}/stop")
        await self.client.close()


def faults_of(found: Diagnosis, wanted: Fault) -> list[str]:
    """What differs from what is expected."""
    quoted = " ".join(f"{line.text} {line.source}" for line in (*found.evidence, *found.cascade))
    quoted = f"{quoted} {found.explanation} {found.machine}"
    told = f"{found.advice} {found.explanation}"
    wrong = [] if found.cause in wanted.causes else [f"cause {found.cause}"]
    wrong += [] if wanted.advice in told else [f"advice {found.advice!r}"]
    return wrong + [f"no {line!r} in the evidence" for line in wanted.evidence if line not in quoted]


def kill_actor(ray: LocalRay, job: JobId) -> None:
    """SIGKILL the newest TrainerActor of the job."""
    os.kill(max(int(actor["pid"]) for actor in actors_of(ray, job)), signal.SIGKILL)


def kill_driver(ray: LocalRay, job: JobId) -> None:
    os.kill(int(ray.get(f"/api/jobs/{job}")["driver_info"]["pid"]), signal.SIGKILL)


def kill_second_node(ray: LocalRay, _: JobId) -> None:
    for pid in ray.processes("raylet/raylet", "second"):
        os.kill(pid, signal.SIGKILL)


def kill_control_service(ray: LocalRay, _: JobId) -> None:
    for pid in ray.processes("gcs/gcs_server"):
        os.kill(pid, signal.SIGKILL)


def actors_of(ray: LocalRay, job: JobId) -> list[Any]:
    """Its TrainerActors that live."""
    told = ray.get("/api/v0/actors?detail=true")["data"]["result"]["result"]
    job_hex = ray.get(f"/api/jobs/{job}")["job_id"]
    return [
        item
        for item in told
        if item["job_id"] == job_hex and item["class_name"] == "TrainerActor" and item["state"] == "ALIVE"
    ]
