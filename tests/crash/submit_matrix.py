"""`python -m tests.crash.submit_matrix`: `babysit submit`, killed at every write and call.

The first life submits a job over HTTP and starts its watch; the next one is a service. At the end the job was
submitted at most once, and it is watched exactly if it was submitted.
"""

import asyncio
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.surfaces.cli.submitting.submitted_watch import start_submitted_watch
from babysitter.usecases.submitting.expected_jobs import EXPIRY, watch_expected
from babysitter.usecases.submitting.submit_job import LocalContext, SubmitOptions, plan_submit, submit_job
from babysitter.wiring import open_app
from tests.crash.forked_life import live, run_life
from tests.crash.life import STEP_S, SharedClock, _opener
from tests.crash.matrix import _fast_folder
from tests.crash.world import BEGIN, LossyCluster

JOB = "/ada/tidy"
LOOKS = 4


@dataclass(frozen=True)
class SubmitPlan:
    """What one life is to do, and where it ends (0 = it is not killed)."""

    folder: Path
    cluster_url: str
    submits: bool
    kill_at: int = 0
    label: str = ""


@dataclass(frozen=True)
class SubmitEnding:
    """`left`: files of jobs that are still expected, long after."""

    launched: tuple[str, ...]
    watched: tuple[str, ...]
    left: tuple[str, ...]
    points: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        found = [] if len(self.launched) <= 1 else [f"submitted {self.launched}"]
        found += [] if self.watched == self.launched else [f"{self.launched} runs, {self.watched} is watched"]
        return tuple(found + [f"{text} is left" for text in self.left])


def entry(plan: SubmitPlan, told: Connection) -> None:
    """Entry of the process."""
    run_life(plan, told, _live)


async def _live(plan: SubmitPlan) -> None:
    clock = SharedClock(plan.folder / "clock")
    settings = Settings(state_dir=plan.folder / "state")
    async with open_app(settings, clock=clock, opener=_opener(clock)) as app:
        if plan.submits:
            spec = ClusterSpec("marin", url=plan.cluster_url, client_revision_date="2026-11-20")
            machine = LocalContext(plan.folder / "code", {}, plan.folder)
            options = SubmitOptions(("python", "x.py"), job_name="tidy", user="ada")
            made = await plan_submit(options, spec, machine, clock, wants_http=True)
            await start_submitted_watch(app, made, submit_job(made, machine, clock), "", lambda _: None)
        else:
            async with Service(app) as service:
                for _ in range(LOOKS):
                    clock.advance(STEP_S)
                    await watch_expected(app)
                    await service.tick()
                    await service.settled()
                clock.advance((EXPIRY + timedelta(minutes=1)).total_seconds())
                await watch_expected(app)


class SubmitWorld:
    """A cluster that stays when the process dies; everything else is put back for each case."""

    def __init__(self, folder: Path, cluster: LossyCluster, clock: SharedClock) -> None:
        self._folder = folder
        self._cluster = cluster
        self._clock = clock
        (folder / "code").mkdir()
        (folder / "code" / "x.py").write_text("print(1)\n")

    async def play(self, kill_at: int = 0, *service_kills: int) -> SubmitEnding:
        """A submission killed at a point (0 = not), services killed at theirs, and one that is not."""
        shutil.rmtree(self._folder / "state", ignore_errors=True)
        self._clock.set(BEGIN)
        self._cluster.begin_anew(LossyCluster("plain-success", self._clock.now))
        url, points = self._cluster.url, ()
        word, detail = await live(entry, SubmitPlan(self._folder, url, True, kill_at))
        assert word == ("killed" if kill_at else "ended"), (word, detail)
        if not kill_at:
            points = tuple(detail)
        for at in (*service_kills, 0):
            word, _ = await live(entry, SubmitPlan(self._folder, url, False, at))
            assert word in ("killed", "ended"), word
        return self._ending(points)

    def _ending(self, points: tuple[str, ...]) -> SubmitEnding:
        state = self._folder / "state"
        with sqlite3.connect(state / "babysit.db") as database:
            rows = database.execute("SELECT root FROM watches ORDER BY root").fetchall()
        left = tuple(sorted(path.name for path in state.glob("babysit.expected-*")))
        return SubmitEnding(tuple(self._cluster.launched), tuple(row[0] for row in rows), left, points)


@asynccontextmanager
async def opened_submit_world(folder: Path) -> AsyncIterator[SubmitWorld]:
    clock = SharedClock.made(folder / "clock", BEGIN)
    cluster = await LossyCluster("plain-success", clock.now).__aenter__()
    try:
        yield SubmitWorld(folder, cluster, clock)
    finally:
        await cluster.__aexit__()


async def _main() -> int:
    tried, bad = 0, 0
    with tempfile.TemporaryDirectory(prefix="babysit-submit-", dir=_fast_folder()) as folder:
        async with opened_submit_world(Path(folder)) as world:
            sound = await world.play()
            print(f"without a crash: {sound.faults or 'sound'}")  # noqa: T201
            for number, label in enumerate(sound.points, 1):
                for service_kills in ((), (number,)):
                    ending = await world.play(number, *service_kills)
                    tried += 1
                    if ending.faults:
                        bad += 1
                        print(f"BAD {label} {number} {service_kills}: {'; '.join(ending.faults)}")  # noqa: T201
    print(f"Submit: {tried} cases, {bad} bad")  # noqa: T201
    return 1 if bad or sound.faults or not sound.launched else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
