"""`python -m tests.crash.driver_matrix`: the restart of a Ray driver, killed at every write and signal.

A driver runs on this machine in a process group of its own, fails, and a person approves its restart. The
service is killed (SIGKILL) at one point, or at one and again while it recovers. At the end the group of the
driver is gone, its program was started exactly once, a process beside it lives, and the watch follows the
new run.
"""

import argparse
import asyncio
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.detached_process import DetachedProcess
from babysitter.backends.process_table import members_of
from tests.crash.driver_life import NEXT, RUN, DriverPlan, entry
from tests.crash.forked_life import live
from tests.crash.life import SharedClock
from tests.crash.matrix import _fast_folder
from tests.crash.world import BEGIN
from tests.support.session_folder import session_in
from tests.support.waiting import until

# The driver holds the log open that is named after its process; it has a child in its group.
DRIVER = """
import os, subprocess, sys, time
log = open(os.path.join(sys.argv[1], f"python-core-driver-{'0' * 56}_{os.getpid()}.log"), "w")
child = subprocess.Popen(["sleep", "600"])
print("ready", flush=True)
time.sleep(600)
"""
STATE = (
    "SELECT root, phase, restarts FROM watches",
    "SELECT cause, status FROM incidents ORDER BY opened_at",
    "SELECT status FROM proposals",
    "SELECT count(*) FROM decisions",
    "SELECT count(*) FROM restarts",
)
SEED = 20261122


@dataclass(frozen=True)
class DriverEnding:
    """`state`: rows of the database. `killed_at`: a word for each life that did not end by itself."""

    state: tuple[object, ...]
    started: int
    driver_lives: bool
    bystander_lives: bool
    killed_at: tuple[str, ...]
    points: tuple[str, ...]

    def faults(self, sound: "DriverEnding") -> tuple[str, ...]:
        found: list[str] = [] if self.started == 1 else [f"started {self.started} times"]
        found += ["the driver lives"] if self.driver_lives else []
        found += [] if self.bystander_lives else ["a process of another group was ended"]
        found += [] if self.state == sound.state else [f"{self.state}, not {sound.state}"]
        return tuple(found + [f"a life {word}" for word in self.killed_at if word in ("hung", "died")])


class DriverWorld:
    """What stays when the service dies: the processes of this machine. All is put back for each case."""

    def __init__(self, folder: Path, clock: SharedClock) -> None:
        self._folder = folder
        self._clock = clock
        self._driver: subprocess.Popen[bytes] | None = None
        self._bystander = subprocess.Popen(("sleep", "3600"), start_new_session=True)

    async def prepare(self) -> None:
        """Bring it to the offer, once."""
        self._begin_driver("step 1 loss 2.0\n")
        self._clock.set(BEGIN)
        word, detail = await live(entry, DriverPlan(self._folder, approves=False))
        assert word == "ended", (word, detail)
        shutil.copytree(self._folder / "state", self._folder / "offered")
        self._offered_at = self._clock.now()

    async def play(self, *kills: tuple[str, int]) -> DriverEnding:
        """An approval, its first lives killed at these points: kind ("" = any) and number."""
        self._put_back()
        killed: list[str] = []
        points: tuple[str, ...] = ()
        for label, at in (*kills, ("", 0)):
            word, detail = await live(entry, DriverPlan(self._folder, True, at, label))
            if word == "ended":
                points = tuple(detail)
                break
            killed.append(detail if word == "killed" else word)
        return await self._ending(tuple(killed), points)

    def end(self) -> None:
        """End every process that was started."""
        self._end_run()
        self._bystander.kill()
        self._bystander.wait()

    def _put_back(self) -> None:
        self._end_run()
        for name in ("state", "runs"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
        (self._folder / "ran.txt").unlink(missing_ok=True)
        shutil.copytree(self._folder / "offered", self._folder / "state")
        self._begin_driver((self._folder / f"{RUN}.log").read_text())
        self._clock.set(self._offered_at)

    def _begin_driver(self, printed: str) -> None:
        (self._folder / f"{RUN}.log").write_text(printed)
        session = session_in(self._folder)
        shutil.rmtree(session.logs, ignore_errors=True)
        session.write("raylet.out", "x\n", now=BEGIN)
        words = (sys.executable, "-S", "-c", DRIVER, str(session.logs))
        self._driver = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
        assert self._driver.stdout is not None
        assert self._driver.stdout.readline() == b"ready\n"

    def _end_run(self) -> None:
        DetachedProcess(self._folder / "runs" / NEXT).stop(at_once=True)
        if self._driver is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._driver.pid, signal.SIGKILL)
            self._driver.communicate()

    async def _ending(self, killed: tuple[str, ...], points: tuple[str, ...]) -> DriverEnding:
        ran = self._folder / "ran.txt"
        if DetachedProcess(self._folder / "runs" / NEXT).was_started:
            await until(ran.exists)
        assert self._driver is not None
        with sqlite3.connect(self._folder / "state" / "babysit.db") as database:
            rows = [tuple(database.execute(text).fetchall()) for text in STATE]
        return DriverEnding(
            tuple(rows),
            len(ran.read_text().splitlines()) if ran.exists() else 0,
            bool(members_of(self._driver.pid)),
            self._bystander.poll() is None,
            killed,
            points,
        )


@asynccontextmanager
async def opened_driver_world(folder: Path) -> AsyncIterator[DriverWorld]:
    world = DriverWorld(folder, SharedClock.made(folder / "clock", BEGIN))
    try:
        await world.prepare()
        yield world
    finally:
        world.end()


def cases_of(points: Sequence[str], *, every: int) -> Iterator[tuple[int, ...]]:
    """Killed at one of so many points; and at every third of these once more while it recovers."""
    dice = random.Random(SEED)
    for number in range(1, len(points) + 1, every):
        kill_at = min(len(points), number + dice.randrange(every))
        yield (kill_at,)
        if number % 3 == 0:
            yield kill_at, dice.randrange(1, 30)


async def _main(every: int) -> int:
    tried, bad = 0, 0
    with tempfile.TemporaryDirectory(prefix="babysit-driver-", dir=_fast_folder()) as folder:
        async with opened_driver_world(Path(folder)) as world:
            sound = await world.play()
            print(f"without a crash: {sound.faults(sound) or 'sound'}, {len(sound.points)} points")  # noqa: T201
            for kills in cases_of(sound.points, every=every):
                ending = await world.play(*(("", at) for at in kills))
                tried += 1
                if faults := ending.faults(sound):
                    bad += 1
                    print(f"BAD {kills} at {' and '.join(ending.killed_at)}: {'; '.join(faults)}")  # noqa: T201
    print(f"Driver: {tried} cases, {bad} bad")  # noqa: T201
    return 1 if bad or sound.faults(sound) else 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Kill the restart of a Ray driver everywhere.")
    options.add_argument("--every", type=int, default=1, help="of so many points try one")
    sys.exit(asyncio.run(_main(options.parse_args().every)))
