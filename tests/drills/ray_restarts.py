"""`python -m tests.drills.ray_restarts`: restarts end to end on a real Ray, killed anywhere, and called off.

Seeded runs: a job whose actor loops in crashes, its card, an approval, the stop, exactly one new submission,
its smoke check; the service is killed (SIGKILL) at one or two random writes or requests on the way. Then what
is called off before the stop: package gone, folder gone, head started again.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.submission.working_dir import pack_folder, package_answers, upload
from tests.drills.local_ray import LocalRay, until
from tests.drills.ray_life import RayEnding, RayPlan, live_on_ray

JOBS = Path(__file__).parent / "jobs"
SEED = 20261122
LIFE_LIMIT_S = 240.0
MAX_LIVES = 6
PIN_S = "8"  # how long a package stays after somebody looked for it; Ray's default is 600
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.drills.ray_life", "babysitter.store.store"])


@dataclass
class Run:
    """One story and how it ended."""

    name: str
    killed: list[str] = field(default_factory=list)
    ending: RayEnding | None = None
    faults: list[str] = field(default_factory=list)


class Drill:
    """Runs stories on one head. `ray`: the head."""

    def __init__(self, ray: LocalRay, folder: Path) -> None:
        self.ray = ray
        self.folder = folder

    async def submit(self, name: str, program: str, *args: str) -> None:
        """Submit a job from a folder of its own, as `ray job submit --working-dir` would."""
        folder = self.folder / name
        folder.mkdir()
        shutil.copy(JOBS / program, folder / program)
        client = RayHttpClient(self.ray.url)
        try:
            package = await pack_folder(folder)
            await upload(client, package)
            environment = {
                "working_dir": f"gcs://{package.name}",
                "env_vars": {"DRILL_TOKEN": f"made-up-{name}"},
            }
            words = " ".join([str(self.ray.python), program, *args])
            body = {"entrypoint": words, "submission_id": name, "runtime_env": environment}
            answer = await client.send("POST", "/api/jobs/", json.dumps(body).encode())
            assert answer.status == 200, answer.text
        finally:
            await client.close()

    async def live(self, plan: RayPlan) -> tuple[str, Any]:
        """One life of the service: ("killed", where) or ("ended", RayEnding)."""
        ours, theirs = FORKS.Pipe(duplex=False)
        process = FORKS.Process(target=live_on_ray, args=(plan, theirs))
        process.start()
        theirs.close()
        try:
            while not await asyncio.to_thread(ours.poll, LIFE_LIMIT_S):
                raise RuntimeError(f"a life of {plan.job} hangs")
            said = await asyncio.to_thread(ours.recv)
        except EOFError:
            said = ("killed", "without a word")
        await asyncio.to_thread(process.join, 30)
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        return said

    async def restarted(self, name: str, kills: Sequence[int]) -> Run:
        """The story of a crash loop; the first lives are killed at these points."""
        run = Run(name)
        healed = self.folder / f"{name}.healed"
        await self.submit(name, "crash_loop.py", str(healed))
        plan = RayPlan(self.folder / f"{name}.state", self.ray.url, name, "verified", healed)
        for number in range(MAX_LIVES):
            kill_at = kills[number] if number < len(kills) else 0
            what, detail = await self.live(replace(plan, kill_at=kill_at))
            if what == "ended":
                run.ending = detail
                break
            run.killed.append(detail)
        self._check(run)
        return run

    def _check(self, run: Run) -> None:
        """The new job exactly once, by our proposal, with the same code; the old one stopped."""
        jobs = {job["submission_id"]: job for job in self.ray.get("/api/jobs/") if job["submission_id"]}
        new = sorted(name for name in jobs if name.startswith(f"{run.name}-"))
        if new != [f"{run.name}-r1"]:
            run.faults.append(f"{len(new)} new jobs: {new}")
        if (state := jobs[run.name]["status"]) != "STOPPED":
            run.faults.append(f"the old job is {state}")
        if run.ending is None or not run.ending.is_over or run.ending.root != f"{run.name}-r1":
            run.faults.append(f"not verified: {run.ending}")
        for name in new:
            job, old = jobs[name], jobs[run.name]
            if (job["entrypoint"], job["runtime_env"]) != (old["entrypoint"], old["runtime_env"]):
                run.faults.append(f"{name} is another program")
            if not (job["metadata"] or {}).get("babysit_proposal"):
                run.faults.append(f"{name} has no proposal in its metadata")
        database = self.folder / f"{run.name}.state"
        kept = b"".join(path.read_bytes() for path in database.rglob("*") if path.is_file())
        if f"made-up-{run.name}".encode() in kept:
            run.faults.append("the value of a variable was kept")
        run.faults += [f"{job} still runs" for job in new if jobs[job]["status"] != "RUNNING"]

    async def end(self, *names: str) -> None:
        """Stop the jobs of a run, so that the next one has the machine."""
        client = RayHttpClient(self.ray.url)
        for name in names:
            await client.send("POST", f"/api/jobs/{name}/stop")
        await client.close()

    async def _pin(self, name: str) -> None:
        """Look for the package of a job again and again, which keeps it."""
        working_dir = self.ray.get(f"/api/jobs/{name}")["runtime_env"]["working_dir"]
        client = RayHttpClient(self.ray.url)
        while True:
            await package_answers(client, working_dir.removeprefix("gcs://"))
            await asyncio.sleep(float(PIN_S) / 3)

    async def called_off(self, obstacle: str) -> Run:
        """A proposal whose facts move before the approval: nothing is stopped, nothing submitted."""
        run = Run(obstacle)
        name = obstacle
        folder = self.folder / f"{name}-code"
        folder.mkdir()
        if obstacle == "head-restarted":
            await self.submit(name, "crash_loop.py", str(self.folder / "never"))
        else:
            await self.submit(name, "actor_dies.py")
            await until(lambda: self.ray.get(f"/api/jobs/{name}")["status"] == "FAILED", 60)
        workdir = ""
        if obstacle == "folder-gone":
            shutil.copy(JOBS / "actor_dies.py", folder)
            workdir = str(folder)
            await asyncio.sleep(float(PIN_S) + 8)  # the package goes: the folder is what is left
        plan = RayPlan(self.folder / f"{name}.state", self.ray.url, name, "proposed", workdir=workdir)
        pinned = asyncio.create_task(self._pin(name)) if obstacle == "package-gone" else None
        what, detail = await self.live(plan)
        if pinned is not None:
            pinned.cancel()
        if what != "ended" or not detail.proposal:
            run.faults.append(f"nothing was proposed: {detail}")
        if obstacle == "package-gone":
            await asyncio.sleep(float(PIN_S) + 8)
        elif obstacle == "folder-gone":
            shutil.rmtree(folder)
        else:
            self.ray.stop()
            self.ray.start()
        before = len(self.ray.get("/api/jobs/"))
        _, detail = await self.live(replace(plan, until="called-off", limit_s=45.0))
        run.ending = detail
        if isinstance(detail, RayEnding) and detail.proposal != "withdrawn":
            run.faults.append(f"the proposal is {detail.proposal}")
        if len(self.ray.get("/api/jobs/")) != before:
            run.faults.append("something was submitted")
        return run


async def _runs(drill: Drill, count: int, seed: int, at_once: int) -> list[Run]:
    plain = await drill.restarted("plain", ())
    _tell(plain)
    await drill.end("plain", "plain-r1")
    assert plain.ending is not None, "the story without a kill has an end"
    chosen = random.Random(seed)
    points = plain.ending.points
    kills = [
        tuple(chosen.randint(1, points) for _ in range(2 if chosen.random() < 0.25 else 1))
        for _ in range(count)
    ]
    places = asyncio.Semaphore(at_once)

    async def one(number: int) -> Run:
        async with places:
            name = f"run{number:02}"
            run = await drill.restarted(name, kills[number])
            _tell(run)
            await drill.end(name, f"{name}-r1")
            return run

    return [plain, *await asyncio.gather(*(one(number) for number in range(count)))]


def _tell(run: Run) -> None:
    ending = run.ending
    how = f"{ending.phase}, {ending.waited_s:.0f} s" if ending else "never ended"
    because = f": {ending.because}" if ending and ending.because else ""
    words = f"killed at {', '.join(run.killed)}" if run.killed else "not killed"
    print(f"{run.name}: {words}; {how}{because}; {'; '.join(run.faults) or 'as it should be'}", flush=True)


async def _main(arguments: argparse.Namespace) -> int:
    folder = Path(tempfile.mkdtemp(prefix="drill-", dir="/tmp"))
    ray = LocalRay(arguments.ray, RAY_RUNTIME_ENV_TEMPORARY_REFERENCE_EXPIRATION_S=PIN_S)
    try:
        print(f"Ray started in {ray.start():.0f} s, {ray.memory_mb():.0f} MB", flush=True)
        drill = Drill(ray, folder)
        runs = await _runs(drill, arguments.runs, arguments.seed, arguments.at_once)
        for obstacle in ("package-gone", "folder-gone", "head-restarted"):
            runs.append(await drill.called_off(obstacle))
            _tell(runs[-1])
    finally:
        ray.close()
        shutil.rmtree(folder, ignore_errors=True)
    bad = [run for run in runs if run.faults]
    places = Counter(place for run in runs for place in run.killed)
    print(f"{len(runs)} runs, {len(bad)} not as they should be; killed at {len(places)} kinds of places")
    return 1 if bad else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ray", type=Path, required=True, help="folder of `ray` and its python")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--at-once", type=int, default=2)
    sys.exit(asyncio.run(_main(parser.parse_args())))


if __name__ == "__main__":
    main()
