"""What stays when the process dies: cluster, Slack, clock and state folder, put back for each case."""

import asyncio
import copy
import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from aiohttp import web

from babysitter.sim.iris.controller import Simulator
from babysitter.sim.iris.scenario import Root
from babysitter.sim.iris.submissions import root_request
from babysitter.sim.slack import SlackServer
from tests.crash.life import ADA, ROOT, Plan, SharedClock, live

BEGIN = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LIFE_TIMEOUT_S = 300.0  # really; a life that takes longer hangs
MAX_LIVES = 8

# Forking from a process that has everything imported makes a life cost what it does, not what Python does.
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.crash.prepared", "babysitter.sim.slack"])


@dataclass(frozen=True)
class Case:
    """One story: how it is answered, what the world does, and where the first lives are cut off."""

    answer: str  # slack, terminal, deny, stop (alone, in place of the restart), "" (nobody answers)
    trouble: str = ""  # what the world does: a name of `TROUBLES` or `OBSTACLES`
    is_whole: bool = False  # from the start of the watch on
    kills: tuple[int, ...] = ()  # point at which the first, second, ... life ends
    label: str = ""  # of which kind of points the first of these numbers is
    unwritable: tuple[int, int] = (0, 0)  # the first write that fails, and how many do

    @property
    def is_called_off(self) -> bool:
        """Whether an approval is followed by a reason instead of a restart."""
        return self.trouble in OBSTACLES


@dataclass
class Ending:
    """How a case ended, in a form that can be held against the same story without a crash."""

    launched: list[str]
    stopped: list[str]
    told: Counter[str]
    state: dict[str, Any]
    lives: int
    pressed: int = 0  # how often the button was
    killed_at: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)  # of the last life


def _rate_limited(world: "World") -> None:
    world.slack.faults.rate_limit("chat.postMessage", times=2)


def _answers_lost(world: "World") -> None:
    world.slack.faults.lose("chat.postMessage", after_effect=True, times=2)


def _slack_ill(world: "World") -> None:
    world.slack.faults.status(status=503, times=3)


def _launch_lost(world: "World") -> None:
    world.cluster.loses["LaunchJob"] = 1


def _stop_lost(world: "World") -> None:
    world.cluster.loses["TerminateJob"] = 1


def _bundle_gone(world: "World") -> None:
    world.cluster.bundles.forget()


def _name_taken(world: "World") -> None:
    root = Root(name=f"{ROOT.rpartition('/')[2]}-r1", argv=("sleep", "1"))
    world.cluster._story._play(root, root_request(root, world.cluster.generation))


# What comes up between the proposal and the act: the act is called off before the stop.
OBSTACLES = {
    "bundle-gone": _bundle_gone,
    "name-taken": _name_taken,
}


def _launch_refused(world: "World") -> None:
    world.cluster.refuses["LaunchJob"] = 2


TROUBLES = {
    "rate-limited": _rate_limited,
    "answers-lost": _answers_lost,
    "slack-ill": _slack_ill,
    "launch-lost": _launch_lost,
    "stop-lost": _stop_lost,
    "launch-refused": _launch_refused,
}


# Troubles that people are told of: such a story is held against itself without a crash.
TOLD_TROUBLES = frozenset({"launch-refused"})
REFUSAL = {"code": "failed_precondition", "message": "No room for this job at present"}


class LossyCluster(Simulator):
    """Does what it is asked, and may lose the answer, or refuse."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.loses: dict[str, int] = {}
        self.refuses: dict[str, int] = {}
        self.stopped: list[str] = []

    def begin_anew(self, other: "LossyCluster") -> None:
        """Play what the other would, behind the port of this one: a port given back may go to anybody."""
        served = {name: self.__dict__[name] for name in ("_runner", "_port", "_closing")}
        self.__dict__.update(other.__dict__ | served)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["path"].rpartition("/")[2]
        if self.refuses.get(method, 0) > 0:
            self.refuses[method] -= 1
            return web.json_response(REFUSAL, status=400)
        if method == "TerminateJob":
            self.stopped.append(json.loads(await request.read())["jobId"])
        answer = await super()._serve(request)
        if self.loses.get(method, 0) > 0 and request.transport is not None:
            self.loses[method] -= 1
            request.transport.abort()
        return answer


class World:
    """Servers on fixed ports, and the moment at which the offer stands, to begin every case from."""

    def __init__(self, folder: Path, cluster: LossyCluster, slack: SlackServer, clock: SharedClock) -> None:
        self.cluster, self.slack, self.clock = cluster, slack, clock
        self._folder = folder
        self._offered = folder / "offered"
        self._moment = BEGIN
        self._failed_at: list[str] = []  # where the database could not be written any more
        self._presses: list[bool] = []  # one for each, whether it was acknowledged
        self._silent = copy.deepcopy(slack.workspace.__dict__)  # before anything was said
        self._workspace: dict[str, Any] = {}

    @property
    def _plan(self) -> Plan:
        return Plan(self._folder / "state", self._folder / "clock", self.cluster.url, self.slack.base_url)

    async def prepare(self) -> None:
        """Let a first life run until the offer stands in Slack, and keep that moment."""
        ending, _ = await self._life(self._plan)
        assert ending == "ended", ending
        self._moment = self.clock.now()
        shutil.copytree(self._plan.state, self._offered)
        self._workspace = copy.deepcopy(self.slack.workspace.__dict__)

    async def play(self, case: Case) -> Ending:
        """The story from the offer on, or from its start, through as many lives as it takes."""
        await self._put_back(is_whole=case.is_whole)
        self._presses.clear()
        if case.trouble:
            (TROUBLES | OBSTACLES)[case.trouble](self)
        until = "settled" if case.answer else "expired"
        if case.is_called_off:
            until = "called-off"
        killed: list[str] = []
        self._failed_at.clear()
        for number in range(MAX_LIVES):
            kill_at = case.kills[number] if number < len(case.kills) else 0
            given = replace(self._plan, answer=case.answer, until=until, is_whole=case.is_whole)
            plan = replace(
                given,
                kill_at=kill_at,
                label="" if number else case.label,
                unwritable=(0, 0) if number else case.unwritable,
            )
            ending, detail = await self._life(plan)
            if ending == "ended":
                return self._ending(number + 1, [*self._failed_at, *killed], detail)
            killed.append(detail if ending == "killed" else ending)
        return self._ending(MAX_LIVES, [*killed, "never ended"], [])

    async def _put_back(self, *, is_whole: bool) -> None:
        shutil.rmtree(self._plan.state, ignore_errors=True)
        if not is_whole:
            shutil.copytree(self._offered, self._plan.state)
        workspace = self._silent if is_whole else self._workspace
        self.slack.workspace.__dict__.update(copy.deepcopy(workspace))
        self.slack.faults.clear()
        self.clock.set(BEGIN)
        self.cluster.begin_anew(LossyCluster("zombie", self.clock.now))
        if not is_whole:
            self.clock.set(self._moment)

    async def _life(self, plan: Plan) -> tuple[str, Any]:
        """Run one process to its end; presses the button when it hears, until a press is acknowledged."""
        ours, theirs = FORKS.Pipe()
        process = FORKS.Process(target=live, args=(plan, theirs))
        process.start()
        theirs.close()
        presses: set[asyncio.Task[Any]] = set()
        try:
            async with asyncio.timeout(LIFE_TIMEOUT_S):
                return await self._words_of(process, ours, presses)
        except TimeoutError:
            return "hung", ""
        finally:
            process.kill()
            await asyncio.to_thread(process.join)
            await self.slack.until(lambda: not self.slack.sockets.count)  # its last words have been read
            for press in presses:
                press.cancel()
            await asyncio.gather(*presses, return_exceptions=True)
            ours.close()

    async def _words_of(
        self, process: Any, ours: Connection, presses: set[asyncio.Task[Any]]
    ) -> tuple[str, Any]:
        last: tuple[str, Any] = ("died", "")
        while True:
            while ours.poll():
                try:
                    last = ours.recv()
                except EOFError:
                    return last
                if last[0] == "failed":
                    self._failed_at.append(f"unwritable from {last[1]} on")
                    continue
                if last[0] != "click":
                    return last
                if not any(self._presses):
                    presses.add(asyncio.create_task(self._press()))
            if not process.is_alive() and not ours.poll():
                return last if last[0] != "click" else ("died", "")
            await asyncio.sleep(0.002)

    async def _press(self) -> None:
        number = len(self._presses)
        self._presses.append(False)
        self._presses[number] = (await self.slack.click(str(ADA), "approve")).acked  # cancelled with the life

    def _ending(self, lives: int, killed: list[str], points: list[str]) -> Ending:
        told = Counter(_words(message.text) for message in self.slack.messages)
        return Ending(
            self.cluster.launched,
            self.cluster.stopped,
            told,
            self._state(),
            lives,
            len(self._presses),
            killed,
            points,
        )

    def _state(self) -> dict[str, Any]:
        """What a person would call the outcome, from the database as it lies there."""
        with sqlite3.connect(self._plan.state / "babysit.db") as database:
            one = database.execute
            return {
                "watch": one("SELECT root, phase, restarts FROM watches").fetchall(),
                "incidents": one("SELECT cause, status FROM incidents ORDER BY opened_at").fetchall(),
                "proposals": one("SELECT status FROM proposals").fetchall(),
                "inbox": one("SELECT count(*) FROM inbox").fetchone()[0],
                "decisions": one("SELECT count(*) FROM decisions").fetchone()[0],
                "restarts": one("SELECT count(*) FROM restarts").fetchone()[0],
                "untold": one(
                    "SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'claimed', 'doubtful')"
                ).fetchone()[0],
            }


def _words(text: str) -> str:
    """A message without the times in it, which a crash may move."""
    return re.sub(r"\d+", "#", text)


@asynccontextmanager
async def opened_world(folder: Path) -> AsyncIterator[World]:
    """Servers up, and a first life lived until the offer stands."""
    clock = SharedClock.made(folder / "clock", BEGIN)
    async with SlackServer(now=lambda: clock.now().timestamp()) as slack:
        cluster = await LossyCluster("zombie", clock.now).__aenter__()
        world = World(folder, cluster, slack, clock)
        try:
            assert cluster.root_job == ROOT
            await world.prepare()
            yield world
        finally:
            await world.cluster.__aexit__()
