"""How much CPU a command that only shows something costs, in units of importing typer and rich.

Prints ratios: `babysit status`, `list`, `approve` against `python -c "import typer, rich.table"` in the same
run, in a home without anything and in one with watches, an incident and a proposal. At most 4 is promised;
for `babysit classify` of 1,000 lines at most 8.
"""

import asyncio
import os
import pty
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from classify import generated

from babysitter.store.store import open_store
from babysitter.usecases.answering.terminal_answers import decide_terminal_answers
from tests.store.repositories.test_incidents import INCIDENT, KEY, proposal
from tests.support import build
from tests.support.app import AppHarness
from tests.support.app import home as app_at
from tests.support.offers import offered
from tests.support.shell import ME

RUNS = 15
WATCHES, APPROVALS = 20, 5
LIMIT, LIMIT_OF_CLASSIFY = 4.0, 8.0
LINES = 1000
BASE = ("-c", "import typer, rich.table")
COMMANDS = (
    ("status",),
    ("list",),
    ("list", "--json"),
    ("status", "w-1"),
    ("approve", str(proposal().id)),
)


def cpu_s(arguments: tuple[str, ...], home: Path, typed: bytes = b"") -> float:
    """CPU seconds of one run, children included, of which there should be none. `typed`: at a terminal."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
    }
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdin=theirs if typed else subprocess.DEVNULL,
        stdout=theirs if typed else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


async def fill(home: Path) -> None:
    """Watches of which one has an incident with a proposal."""
    store = await open_store(home / "state" / "babysit")
    async with store.transaction() as tx:
        for number in range(1, WATCHES + 1):
            watch = replace(
                build.watch(), id=build.WatchId(f"w-{number}"), root=build.JobId(f"/ada/j{number}")
            )
            await tx.watches.add(watch)
        await tx.incidents.open_incident(INCIDENT, KEY, build.diagnosis(), now=build.NOON)
        await tx.incidents.add_proposal(proposal())
    await store.close()


async def approvals_s(home: Path) -> list[float]:
    """CPU seconds of `babysit approve` with a yes, beside a service that decides it and calls it off."""
    took_s = []
    for _ in range(APPROVALS):
        async with app_at(home / "state" / "babysit") as place:
            _, offer = await offered(place, may_approve=(ME,))
            deciding = asyncio.create_task(_decide(place))
            approve = ("-m", "babysitter", "approve", offer.id)
            took_s.append(await asyncio.to_thread(cpu_s, approve, home, b"y\n"))
            deciding.cancel()
            await asyncio.gather(deciding, return_exceptions=True)
        shutil.rmtree(home / "state")
    return took_s


async def _decide(place: AppHarness) -> None:
    while True:
        await decide_terminal_answers(place.app)
        await place.pass_s(5)
        await asyncio.sleep(0.25)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        empty, full = Path(folder) / "empty", Path(folder) / "full"
        settings = full / "config" / "babysit" / "config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text("clusters: {marin: {url: 'http://127.0.0.1:9'}}\ndefault_cluster: marin\n")
        asyncio.run(fill(full))
        base_s = min(cpu_s(BASE, empty) for _ in range(RUNS))
        print(f"import typer, rich.table: {base_s * 1000:.0f} ms of CPU, the least of {RUNS} runs")
        for command in COMMANDS:
            for name, home in (("nothing watched", empty), (f"{WATCHES} watches, settings", full)):
                took_s = min(cpu_s(("-m", "babysitter", *command), home) for _ in range(RUNS))
                print(
                    f"babysit {' '.join(command):<24} {name:<22} {took_s / base_s:5.1f} x (limit {LIMIT:.0f})"
                )
        log = Path(folder) / "log"
        log.write_bytes(generated(LINES, 0.005))
        took_s = min(cpu_s(("-m", "babysitter", "classify", str(log)), empty) for _ in range(RUNS))
        print(
            f"babysit classify, {LINES} lines{'':<23}{took_s / base_s:5.1f} x (limit {LIMIT_OF_CLASSIFY:.0f})"
        )
        took_s = min(asyncio.run(approvals_s(Path(folder) / "approves")))
        print(f"babysit approve, with a yes{'':<26} {took_s / base_s:5.1f} x (limit {LIMIT:.0f})")


if __name__ == "__main__":
    main()
