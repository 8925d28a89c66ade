"""Commands as a shell runs them, in a home of their own, against a simulated cluster; one clock for all.

Time stands still while a command works, and passes while one waits for it (`babysit wait`): in steps, each
only after the service has done everything that was due. So a story is the same on a machine of any speed.
"""

import asyncio
import json
import os
import pwd
import socket
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babysitter.engine.service_lock import is_served
from babysitter.model.ids import Person
from babysitter.sim.iris.command import BUILT_ON
from babysitter.sim.iris.controller import Simulator
from tests.support import fork_server
from tests.support.processes import MARK, end_all
from tests.support.shared_clock import SharedClock
from tests.support.waiting import HANG_S, until

STEP_S = 5.0
POLL_S = 0.005
CREEP_AFTER_S = (
    1.0  # of a service that computes nothing: a watch made due by somebody else is seen by the clock
)
OWN_CLOCK = "env -u TESTS_CLOCK"  # before a command that brings its cluster and its clock along
ME = Person(f"{pwd.getpwuid(os.getuid()).pw_name}@{socket.gethostname()}")


@dataclass
class Said:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Shell:
    """A shell in a home, with `babysit` and `iris` on its path. Counts what it runs."""

    sim: Simulator
    clock: SharedClock
    home: Path
    environment: dict[str, str]
    ran: list[str] = field(default_factory=list)

    @property
    def job(self) -> str:
        return self.sim.root_job

    @property
    def project(self) -> Path:
        """The folder in which commands are typed."""
        return self.home / "project"

    @property
    def state(self) -> Path:
        return self.home / "state" / "babysit"

    async def __call__(self, command: str, *, stdin: bytes = b"") -> Said:
        self.ran.append(command)
        process = await asyncio.create_subprocess_shell(
            command,
            cwd=self.project,
            env=self.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin), HANG_S)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Said(process.returncode or 0, out.decode(), err.decode())

    async def stop_service(self) -> None:
        """End the service that `start` began in the background, as at the end of a day."""
        lock = self.state / "service.lock"
        if lock.exists() and (held := lock.read_text().strip()):
            with suppress(ProcessLookupError):
                os.kill(int(held), 15)
        await until(lambda: not is_served(self.state))

    async def pass_time(self) -> None:
        """Let time pass, for as long as this runs, wherever a command waits for it."""
        idle_since, work = time.monotonic(), ""
        while True:
            await asyncio.sleep(POLL_S)
            if not self._is_at_work():
                if self.clock.sleepers:
                    self.clock.advance(STEP_S)
            elif work != (work := self._work_done()) or not self.clock.sleepers:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > CREEP_AFTER_S:
                self.clock.advance(1.0)
                idle_since = time.monotonic()

    def _is_at_work(self) -> bool:
        """Whether a service has something to do before time may pass: a due watch that waits for nothing."""
        if not is_served(self.state):
            return False
        waiting = {sleeper.task for sleeper in self.clock.sleepers}
        return any(f"attend {watch}" not in waiting for watch in self._due_watches())

    def _work_done(self) -> str:
        """What the threads of the service have computed so far; new each time while one wants to go on."""
        held = (self.state / "service.lock").read_text().strip()
        done = []
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended, or there is no /proc
            for task in Path("/proc", held, "task").iterdir():
                if (task / "stat").read_text().rpartition(")")[2].split()[0] == "R":
                    return str(time.monotonic_ns())
                done.append((task / "schedstat").read_text())
        return " ".join(done)

    def _due_watches(self) -> list[str]:
        now = int(self.clock.now().timestamp() * 1_000_000)
        with closing(sqlite3.connect(f"file:{self.state / 'babysit.db'}?mode=ro", uri=True)) as database:
            due = "SELECT id FROM watches WHERE stopped_at IS NULL AND due_at <= ?"
            try:
                return [watch for (watch,) in database.execute(due, (now,))]
            except sqlite3.OperationalError:  # still being made
                return []


@asynccontextmanager
async def shell(folder: Path, scenario: str = "zombie", generation: str = "may") -> AsyncIterator[Shell]:
    """A cluster called `marin`, a home that knows it, and the commands."""
    tools = folder / "bin"
    tools.mkdir(parents=True)
    (folder / "project").mkdir()
    async with (
        SharedClock(folder / "clock") as clock,
        Simulator(scenario, clock.now, generation=generation) as sim,
    ):
        scripts = {
            "babysit": fork_server.script("babysit"),
            "iris": fork_server.script("simulated-iris", "--as", generation),
        }
        for name, text in scripts.items():
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        config = folder / "config" / "babysit" / "config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text(
            f"clusters:\n  marin:\n    url: {sim.url}\n    iris_command: iris\n"
            f"    client_revision_date: {BUILT_ON}\n"
        )
        environment = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
            "COLUMNS": "120",
            "LANG": "C.UTF-8",
            **{name: value for name, value in os.environ.items() if name == MARK},
            **clock.environment,
        }
        opened = Shell(sim, clock, folder, environment)
        passing = asyncio.create_task(opened.pass_time())
        try:
            yield opened
        finally:
            passing.cancel()
            await asyncio.to_thread(end_all, "HOME", str(folder))
            with suppress(asyncio.CancelledError):
                await passing
