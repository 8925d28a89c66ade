"""`python -m tests.crash.follow_matrix`: a service that follows, killed at every write and call.

Two jobs run while a service follows jobs like them, and end. Each life is killed (SIGKILL) at one
point; the next one goes on. At the end each job was watched once, and each end was told once.
"""

import asyncio
import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import OpenCluster
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.model.message import Message
from babysitter.model.phase import Phase
from babysitter.notify.notifier import Receipt
from babysitter.sim.iris.scenario import Root, Step
from babysitter.sim.iris.submissions import root_request
from babysitter.usecases.following.keep_following import Follower
from babysitter.usecases.watching.manage_watches import all_watch_statuses
from babysitter.wiring import open_app
from tests.crash.forked_life import cases, live, run_life
from tests.crash.life import STEP_S, SharedClock, _opener
from tests.crash.matrix import _fast_folder
from tests.crash.world import BEGIN, LossyCluster

MAX_STEPS = 60
EVERY = 25  # of the points of other kinds
JOBS = ("/ada/one", "/ada/two")
# Kinds of points at which a second watch, or an end told twice, would come from.
KINDS = (
    "write follows",
    "write followed_jobs",
    "write watches",
    "write messages",
    "before commit",
    "after commit",
)


@dataclass(frozen=True)
class FollowPlan:
    """What one life is to do, and where it ends (0 = it is not killed)."""

    folder: Path
    cluster_url: str
    kill_at: int = 0
    label: str = ""


@dataclass(frozen=True)
class FollowEnding:
    watched: tuple[str, ...]
    begun: int
    posted: int
    lines: tuple[str, ...]
    lives: int
    points: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with it; () if everything happened once."""
        found = [] if self.watched == JOBS else [f"watched {self.watched}"]
        found += [] if self.begun == len(JOBS) else [f"{self.begun} watches were started"]
        found += [] if self.posted == 1 else [f"{self.posted} messages"]
        told = tuple(sorted(job for line in self.lines for job in JOBS if f"{job}." in line))
        found += [] if told == JOBS else [f"told {self.lines}"]
        return tuple(found)


class FileChannel:
    """A channel whose messages can be edited, in a file that outlives the process: id -> lines shown."""

    name = "file"
    description = ""
    edits = True
    is_daily = False

    def __init__(self, file: Path) -> None:
        self._file = file

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:  # noqa: ARG002
        shown = _shown(self._file)
        key = message.id if is_repeat or message.id not in shown else f"{message.id} again"
        self._file.write_text(json.dumps({**shown, key: message.words.progress}))
        return Receipt("file", message.id)

    async def edit(self, receipt: Receipt, message: Message) -> None:
        self._file.write_text(json.dumps({**_shown(self._file), receipt.handle: message.words.progress}))

    async def close(self) -> None: ...


def _shown(file: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(file.read_text()) if file.exists() else {}
    return found


def entry(plan: FollowPlan, told: Connection) -> None:
    """Entry of the process."""
    run_life(plan, told, _live)


async def _live(plan: FollowPlan) -> None:
    clock = SharedClock(plan.folder / "clock")
    opened = _opener(clock)

    def opener(spec: ClusterSpec) -> OpenCluster:
        found = opened(spec)
        return replace(found, overview=found.reader)

    settings = Settings.model_validate(
        {
            "state_dir": plan.folder / "state",
            "clusters": {"marin": {"url": plan.cluster_url}},
            "default_cluster": "marin",
            "follow": ["/ada/[ot]*"],
        }
    )
    channel = FileChannel(plan.folder / "state" / "shown.json")
    async with (
        open_app(settings, clock=clock, opener=opener, notifiers=(channel,)) as app,
        Service(app) as service,
    ):
        follower = Follower(app)
        for _ in range(MAX_STEPS):
            clock.advance(STEP_S)
            await follower.tick()
            await service.tick()
            await service.settled()
            watches = [status.watch for status in await all_watch_statuses(app)]
            if len(watches) == len(JOBS) and all(watch.phase is Phase.FINISHED for watch in watches):
                return  # what is not shown yet is at the end of the service


class FollowWorld:
    """A cluster that stays when the process dies; everything else is put back for each case."""

    def __init__(self, folder: Path, cluster: LossyCluster, clock: SharedClock) -> None:
        self._folder = folder
        self._cluster = cluster
        self._clock = clock

    async def play(self, *kills: tuple[str, int]) -> FollowEnding:
        """Until both jobs have ended. Each of its first lives is killed at the so-many-th point of a kind."""
        self._put_back()
        for number in range(len(kills) + 1):
            label, kill_at = kills[number] if number < len(kills) else ("", 0)
            word, detail = await live(entry, FollowPlan(self._folder, self._cluster.url, kill_at, label))
            if word == "ended":
                return self._ending(number + 1, tuple(detail))
            assert word == "killed", (word, label, kill_at)
        raise AssertionError(f"killed at {kills}, it never ends")

    def _put_back(self) -> None:
        shutil.rmtree(self._folder / "state", ignore_errors=True)
        self._clock.set(BEGIN)
        self._cluster.begin_anew(LossyCluster("plain-success", self._clock.now))
        for at, job in enumerate(JOBS):
            says = (Step(say="part {n}", every_s=10, times=3 + 3 * at),)
            root = Root(name=job.rpartition("/")[2], says=says)
            self._cluster._story._play(root, root_request(root, self._cluster.generation))

    def _ending(self, lives: int, points: tuple[str, ...]) -> FollowEnding:
        state = self._folder / "state"
        with sqlite3.connect(state / "babysit.db") as database:
            watched = database.execute("SELECT root FROM watches ORDER BY root").fetchall()
            begun = database.execute("SELECT count(*) FROM events WHERE kind = 'watch-started'").fetchone()[0]
        shown = _shown(state / "shown.json")
        lines = tuple(line for lines in shown.values() for line in lines)
        return FollowEnding(tuple(item[0] for item in watched), begun, len(shown), lines, lives, points)


@asynccontextmanager
async def opened_follow_world(folder: Path) -> AsyncIterator[FollowWorld]:
    clock = SharedClock.made(folder / "clock", BEGIN)
    cluster = await LossyCluster("plain-success", clock.now).__aenter__()
    try:
        yield FollowWorld(folder, cluster, clock)
    finally:
        await cluster.__aexit__()


async def _main() -> int:
    tried, bad = 0, 0
    with tempfile.TemporaryDirectory(prefix="babysit-follow-", dir=_fast_folder()) as folder:
        async with opened_follow_world(Path(folder)) as world:
            sound = await world.play()
            print(f"without a crash: {sound.faults or 'sound'}")  # noqa: T201
            for label, number in cases(sound.points, KINDS, every=EVERY):
                ending = await world.play((label, number))
                tried += 1
                if ending.faults:
                    bad += 1
                    print(f"BAD {label} {number}: {'; '.join(ending.faults)}")  # noqa: T201
    print(f"Follow: {tried} cases, {bad} bad")  # noqa: T201
    return 1 if bad or sound.faults else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
