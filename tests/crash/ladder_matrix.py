"""`python -m tests.crash.ladder_matrix`: a ladder killed at every write and call, and what came of it.

Each life is `babysit ladder run` in a process of its own, with a service beside it. It is killed (SIGKILL) at
one point; the next one goes on. At the end every step was submitted once, every job is watched, all passed.
"""

import asyncio
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.usecases.ladders.run_ladder import LadderRequest, run_ladder
from babysitter.usecases.submitting.submit_job import LocalContext
from babysitter.wiring import open_app
from tests.crash.forked_life import cases, live, run_life
from tests.crash.life import ADA, SharedClock, _opener
from tests.crash.matrix import _fast_folder
from tests.crash.world import BEGIN, LossyCluster

EVERY = 5  # of the points of other kinds
LADDER = """\
ladder: tiny
steps:
  - name: here
    on: local
    command: [sh, -c, "echo ran >> ran.txt; echo smoke"]
    success: [{line: smoke}, {file: ran.txt}]
  - name: first
    command: [python, a.py]
    resources: {user: ada}
    success: [{line: all done}]
  - name: second
    command: [python, a.py, "2"]
    resources: {user: ada}
"""
# Kinds of points at which a second submission, or a forgotten job, would come from.
KINDS = ("write ladders", "write ladder_attempts", "write watches", "before LaunchJob", "after LaunchJob")


@dataclass(frozen=True)
class LadderPlan:
    """What one life is to do, and where it ends (0 = it is not killed)."""

    folder: Path
    cluster_url: str
    kill_at: int = 0
    label: str = ""


@dataclass(frozen=True)
class LadderEnding:
    launched: tuple[str, ...]
    outcomes: tuple[str, ...]
    watched: int
    ran_here: int
    expected_left: int
    lives: int
    points: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with it; () if everything happened once."""
        steps = [name.rpartition("-")[0].rpartition("-")[0] for name in self.launched]
        found = [] if steps == ["/ada/tiny-first", "/ada/tiny-second"] else [f"launched {self.launched}"]
        found += [] if self.outcomes == ("passed",) * 3 else [f"outcomes {self.outcomes}"]
        found += [] if self.watched == 2 else [f"{self.watched} watches"]
        found += [] if self.ran_here == 1 else [f"the local step ran {self.ran_here} times"]
        found += [] if not self.expected_left else ["a job is still expected"]
        return tuple(found)


def entry(plan: LadderPlan, told: Connection) -> None:
    """Entry of the process."""
    run_life(plan, told, _live)


async def _live(plan: LadderPlan) -> None:
    clock = SharedClock(plan.folder / "clock")
    spec = ClusterSpec(
        "marin",
        url=plan.cluster_url,
        iris_command=("no-such-command",),  # so the launch is an HTTP call of this process
        client_revision_date="2026-11-20",
    )
    project = plan.folder / "project"
    here = LocalContext(project, {"PATH": "/usr/bin:/bin"}, plan.folder)
    request = LadderRequest(project / "ladder.yaml", ADA, spec)
    settings = Settings(state_dir=plan.folder / "state")
    async with open_app(settings, clock=clock, opener=_opener(clock)) as app, Service(app) as service:
        running = asyncio.create_task(run_ladder(app, request, here, lambda _: None))
        while not running.done():
            await service.tick()
            await service.settled()
        await running


class LadderWorld:
    """A cluster that stays when the process dies; everything else is put back for each case."""

    def __init__(self, folder: Path, cluster: LossyCluster, clock: SharedClock) -> None:
        self._folder = folder
        self._cluster = cluster
        self._clock = clock

    async def play(self, *kills: tuple[str, int], answers_lost: int = 0) -> LadderEnding:
        """The whole ladder. Each of its first lives is killed at the so-many-th point of a kind."""
        self._put_back()
        self._cluster.loses["LaunchJob"] = answers_lost
        for number in range(len(kills) + 1):
            label, kill_at = kills[number] if number < len(kills) else ("", 0)
            word, detail = await live(entry, LadderPlan(self._folder, self._cluster.url, kill_at, label))
            if word == "ended":
                return self._ending(number + 1, tuple(detail))
            assert word == "killed", (word, label, kill_at)
            if self._has_ended():  # killed behind the end: whoever runs it again begins a new run
                return self._ending(number + 1, ())
        raise AssertionError(f"killed at {kills}, it never ends")

    def _put_back(self) -> None:
        for name in ("state", "project"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
        (self._folder / "project").mkdir()
        (self._folder / "project" / "ladder.yaml").write_text(LADDER)
        (self._folder / "project" / "a.py").write_text("print(1)\n")
        self._clock.set(BEGIN)
        self._cluster.begin_anew(LossyCluster("long-run", self._clock.now))

    def _has_ended(self) -> bool:
        path = self._folder / "state" / "babysit.db"
        if not path.exists():
            return False
        with sqlite3.connect(path) as database:
            try:
                ended = database.execute("SELECT count(*) FROM ladders WHERE ended_at IS NOT NULL").fetchone()
            except sqlite3.OperationalError:  # killed before its tables were made
                return False
        return bool(ended[0])

    def _ending(self, lives: int, points: tuple[str, ...]) -> LadderEnding:
        state = self._folder / "state"
        with sqlite3.connect(state / "babysit.db") as database:
            one = database.execute
            outcomes = one(
                "SELECT json_extract(body, '$.result.outcome') FROM ladder_attempts ORDER BY number"
            ).fetchall()
            watched = one("SELECT count(*) FROM watches").fetchone()[0]
        ran = (self._folder / "project" / "ran.txt").read_text().count("ran")
        left = len(list(state.glob("babysit.expected-*")))
        launched = tuple(self._cluster.launched)
        return LadderEnding(
            launched, tuple(outcome[0] for outcome in outcomes), watched, ran, left, lives, points
        )


@asynccontextmanager
async def opened_ladder_world(folder: Path) -> AsyncIterator[LadderWorld]:
    clock = SharedClock.made(folder / "clock", BEGIN)
    cluster = await LossyCluster("long-run", clock.now).__aenter__()
    try:
        yield LadderWorld(folder, cluster, clock)
    finally:
        await cluster.__aexit__()


async def _main() -> int:
    tried, bad = 0, 0
    with tempfile.TemporaryDirectory(prefix="babysit-ladder-", dir=_fast_folder()) as folder:
        async with opened_ladder_world(Path(folder)) as world:
            sound = await world.play()
            for label, number in cases(sound.points, KINDS, every=EVERY):
                for lost in (0, 1) if label.endswith("LaunchJob") else (0,):
                    ending = await world.play((label, number), answers_lost=lost)
                    tried += 1
                    if ending.faults:
                        bad += 1
                        print(f"BAD {label} {number}, {lost} answers lost: {'; '.join(ending.faults)}")  # noqa: T201
    print(f"Ladder: {tried} cases, {bad} bad")  # noqa: T201
    return 1 if bad or sound.faults else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
