"""Commands as a shell runs them, in a home of their own, against a simulated cluster that hurries."""

import asyncio
import json
import os
import pwd
import shlex
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babysitter.clock import SystemClock
from babysitter.model.ids import Person
from babysitter.sim.server import Simulator

SPEED = 60.0
COMMAND_WITHIN_S = 60.0
ME = Person(f"{pwd.getpwuid(os.getuid()).pw_name}@{socket.gethostname()}")

# Patience in proportion to the cluster's haste.
HURRY = {
    "PULSE_S": 0.4,
    "SUSPICIOUS_PULSE_S": 0.3,
    "ZOMBIE_DUMPS_APART_S": 0.5,
    "ZOMBIE_SILENCE_S": 6.0,
    "PLAIN_SMOKE_S": 2.0,
    "SUSPECT_MOST_S": 20.0,
}


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
    home: Path
    environment: dict[str, str]
    ran: list[str] = field(default_factory=list)

    @property
    def job(self) -> str:
        return self.sim.root_job

    @property
    def state(self) -> Path:
        return self.home / "state" / "babysit"

    async def __call__(self, command: str, *, stdin: bytes = b"") -> Said:
        self.ran.append(command)
        process = await asyncio.create_subprocess_shell(
            command,
            cwd=self.home,
            env=self.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin), COMMAND_WITHIN_S)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Said(process.returncode or 0, out.decode(), err.decode())

    def stop_service(self) -> None:
        """End the service that `start` began in the background, as at the end of a day."""
        lock = self.state / "service.lock"
        if lock.exists() and (held := lock.read_text().strip()):
            with suppress(ProcessLookupError):
                os.kill(int(held), 15)


@asynccontextmanager
async def shell(folder: Path, scenario: str = "zombie", *, speed: float = SPEED) -> AsyncIterator[Shell]:
    """A cluster called `marin`, a home that knows it, and the commands."""
    clock = SystemClock(speed=speed)
    tools = folder / "bin"
    tools.mkdir(parents=True)
    async with Simulator(scenario, clock.now) as sim:
        for name, words in {
            "babysit": [sys.executable, "-m", "babysitter"],
            "iris": [sys.executable, "-m", "babysitter.sim.iris"],
        }.items():
            (tools / name).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            (tools / name).chmod(0o755)
        config = folder / "config" / "babysit" / "config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text(f"clusters:\n  marin:\n    url: {sim.url}\n    iris_command: iris\n")
        environment = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
            "COLUMNS": "120",
            "LANG": "C.UTF-8",
            **{f"BABYSIT_LIMITS_{name}": str(value) for name, value in HURRY.items()},
        }
        opened = Shell(sim, folder, environment)
        try:
            yield opened
        finally:
            opened.stop_service()
