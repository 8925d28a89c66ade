"""`python -m tests.crash.matrix`: the service killed at every point of a decision, and what came of it.

Each case begins where an offer stands in Slack. It is answered, or not; the process is killed (SIGKILL) at
one point, or at one and again while it recovers; new processes go on until everything has happened. The
ending is held against the same story without a crash: the same launches, messages and outcome, each once.
"""

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.crash.life import ROOT
from tests.crash.world import OBSTACLES, TOLD_TROUBLES, TROUBLES, Case, Ending, World, opened_world

ANSWERS = {
    "slack": "approved in Slack",
    "terminal": "approved in a terminal",
    "left": "approved in a terminal, decided by the service",
    "deny": "denied",
    "stop": "a stop alone approved",
    "": "unanswered",
}
SEED = 20261120


@dataclass(frozen=True)
class Group:
    """Cases that differ in where the process dies. `every`: of so many points one is tried."""

    answer: str
    trouble: str = ""
    every: int = 1
    again: bool = False  # and killed once more while it recovers
    whole: int = 0  # so many cases anywhere in the whole story, from the start of the watch on
    is_unwritable: bool = False  # not killed: the database cannot be written for a while

    @property
    def title(self) -> str:
        words = (
            ANSWERS[self.answer],
            self.trouble,
            "killed twice" if self.again else "",
            "whole story" if self.whole else "",
            "database not writable" if self.is_unwritable else "",
        )
        return ", ".join(word for word in words if word)


GROUPS = (
    Group("slack"),
    Group("terminal"),
    Group("left"),
    Group("deny"),
    Group("", every=10),
    Group("stop", every=3),
    *(Group("terminal", trouble, every=5) for trouble in TROUBLES),
    *(Group("terminal", obstacle, every=5) for obstacle in OBSTACLES),
    Group("slack", "answers-lost", every=6),
    Group("slack", every=4, again=True),
    Group("terminal", every=4, again=True),
    Group("left", every=4, again=True),
    Group("terminal", whole=30),
    Group("terminal", is_unwritable=True),
    Group("deny", is_unwritable=True),
    Group("", every=5, is_unwritable=True),
    *(Group("terminal", trouble, every=3, is_unwritable=True) for trouble in ("launch-lost", "stop-lost")),
)
FAILED_WRITES = (1, 2, 5, 20)  # one write, one transaction, a minute, longer than a retry waits


@dataclass(frozen=True)
class Tried:
    group: str
    case: Case
    place: str  # where it was killed; "" = the point was not reached
    faults: tuple[str, ...]


def faults_of(ending: Ending, sound: Ending, case: Case) -> tuple[str, ...]:
    """What is wrong with an ending, against that of the same story without a crash."""
    found = []
    wanted = 1 if case.answer in ("slack", "terminal", "left") and not case.is_called_off else 0
    if len(ending.launched) != wanted:
        found.append(f"launched {ending.launched}, not {wanted}")
    may_stop = wanted or case.answer == "stop"
    if set(ending.stopped) - {ROOT} or (not may_stop and ending.stopped):
        found.append(f"stopped {ending.stopped}")
    told, expected = _at_any_stage(ending.told), _at_any_stage(sound.told)
    reached, wanted_state = dict(ending.state), dict(sound.state)
    if case.unwritable[0]:
        # The job goes on while nothing can be stored: how far it has come at the end differs.
        told, expected = _without_progress(told), _without_progress(expected)
        for state in (reached, wanted_state):
            state["watch"] = [(root, restarts) for root, _, restarts in state["watch"]]
    if told != expected:
        twice, missing = told - expected, expected - told
        found.append(f"told too much {list(twice)}, too little {list(missing)}")
    found += [
        f"{name} {reached[name]}, not {value}"
        for name, value in wanted_state.items()
        if reached[name] != value
    ]
    found += [f"a life {word}" for word in ending.killed_at if word in ("hung", "died", "never ended")]
    return tuple(found)


def _at_any_stage(told: Counter[str]) -> Counter[str]:
    """Messages apart from the stage of the restarted job, which has to stay up while a crash takes time."""
    same: Counter[str] = Counter()
    for text, count in told.items():
        same[re.sub(r"^(Watching \S+) stage\S.*", r"\1 at a stage", text)] += count
    return same


def _without_progress(told: Counter[str]) -> Counter[str]:
    """Messages apart from the live state and the end of the restarted job, and from how long a wait was."""
    without: Counter[str] = Counter()
    for text, count in told.items():
        if not text.startswith(("Watching ", "Finished: ")):
            without[re.sub(r"(?<=answered for )# \w+( # \w+)?", "#", text)] += count
    return without


async def try_group(world: World, group: Group, share: tuple[int, int]) -> list[Tried]:
    """All cases of a group whose number falls to this share (k of n)."""
    is_whole = bool(group.whole)
    untouched = Case(group.answer, group.trouble, is_whole)
    sound = await world.play(untouched if untouched.is_called_off else Case(group.answer, is_whole=is_whole))
    plain = await world.play(untouched)
    if group.trouble in TOLD_TROUBLES:
        sound = plain
    tried = []
    if faults := faults_of(plain, sound, untouched):
        tried.append(Tried(group.title, untouched, "nowhere", faults))
    is_write = [point.startswith("write ") or point == "before commit" for point in plain.points]
    points = sum(is_write) if group.is_unwritable else len(plain.points)
    for number, case in enumerate(cases_of(group, points)):
        if number % share[1] == share[0]:
            ending = await world.play(case)
            place = " and ".join(word for word in ending.killed_at)
            tried.append(Tried(group.title, case, place, faults_of(ending, sound, case)))
    return tried


def cases_of(group: Group, points: int) -> Iterator[Case]:
    """One case for each point, or for one of so many, by a seeded choice within each stretch."""
    dice = random.Random(f"{SEED}{group.title}")
    if group.whole:
        for kill_at in dice.sample(range(1, points + 1), group.whole):
            yield Case(group.answer, group.trouble, is_whole=True, kills=(kill_at,))
        return
    for first in range(1, points + 1, group.every):
        kill_at = min(points, first + dice.randrange(group.every))
        if group.is_unwritable:
            yield Case(group.answer, group.trouble, unwritable=(kill_at, dice.choice(FAILED_WRITES)))
            continue
        kills = (kill_at, dice.randrange(1, 60)) if group.again else (kill_at,)
        yield Case(group.answer, group.trouble, kills=kills)


def try_share(groups: Sequence[Group], share: tuple[int, int]) -> list[Tried]:
    """Entry of one of the processes that share the work."""

    async def trying() -> list[Tried]:
        with tempfile.TemporaryDirectory(prefix="babysit-crash-", dir=_fast_folder()) as folder:
            async with opened_world(Path(folder)) as world:
                return [tried for group in groups for tried in await try_group(world, group, share)]

    return asyncio.run(trying())


def _fast_folder() -> str | None:
    """In memory where there is such a place: only processes die here, never the machine."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def show(tried: Iterable[Tried], took_s: float) -> int:
    """Print the table, every bad case, and the count; the exit code."""
    console, rows = Console(width=120), defaultdict(list)
    reached = [item for item in tried if item.place]
    for item in reached:
        rows[item.group].append(item)
    table = Table("killed while the offer is", "cases", "bad", "points of", title="Crash matrix")
    for group, members in rows.items():
        bad = sum(bool(member.faults) for member in members)
        kinds = len({member.place for member in members})
        table.add_row(group, str(len(members)), str(bad), f"{kinds} kinds")
    console.print(table)
    faulty = [item for item in reached if item.faults]
    for item in faulty:
        console.print(
            f"BAD {item.group} {item.case.kills or item.case.unwritable} "
            f"at {item.place}: {'; '.join(item.faults)}",
            markup=False,
        )
    console.print(f"{took_s:.0f} s\n{len(reached)} cases, {len(faulty)} bad", highlight=False)
    return 1 if faulty else 0


def main() -> int:
    options = argparse.ArgumentParser(description="Kill the service everywhere and see what comes of it.")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--only", default="", help="groups whose title contains this")
    options.add_argument("--sparse", type=int, default=1, help="of so many cases try one")
    given = options.parse_args()
    groups = [
        replace(group, every=group.every * given.sparse) for group in GROUPS if given.only in group.title
    ]
    began = time.monotonic()
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        shares = [(number, given.processes) for number in range(given.processes)]
        found = list(pool.map(try_share, [groups] * given.processes, shares))
    return show([tried for share in found for tried in share], time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
