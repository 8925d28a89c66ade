"""Processes that tests start: waited for by their words, and ended with the run, however the run ends.

Every process that a run of the tests starts inherits a mark in its environment, also where it detaches itself
(`babysit start` leaves a service behind). A guard outside the run reads a pipe that closes when the run ends,
by SIGKILL too; then it kills whatever bears the mark. Where there is no /proc, nothing is found to kill.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

MARK = "TESTS_RUN"


def begin_run() -> None:
    """Mark every process that will be started from here, and start the guard that ends them with this one."""
    outer = os.environ.get(MARK)
    run = f"{outer}/{os.getpid()}" if outer else str(os.getpid())
    unmarked = {name: value for name, value in os.environ.items() if name != MARK}
    _GUARDS.append(
        subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, run],
            stdin=subprocess.PIPE,
            env=unmarked | ({MARK: outer} if outer else {}),
            start_new_session=True,  # Ctrl+C at the terminal is not for the guard
        )
    )
    os.environ[MARK] = run


_GUARDS: list["subprocess.Popen[bytes]"] = []  # kept: closing the pipe is the signal


def bearing(name: str, value: str) -> tuple[int, ...]:
    """The processes that were started with this in their environment; a path below `value` counts too."""
    exact, below = f"{name}={value}".encode(), f"{name}={value}/".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it has just ended, or is somebody else's
            entries = path.read_bytes().split(b"\0")
            if any(entry == exact or entry.startswith(below) for entry in entries):
                found.append(int(path.parent.name))
    return tuple(pid for pid in found if pid != os.getpid())


def has_ended(pid: int) -> bool:
    """Whether no process of this id runs; one that only waits to be collected has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def end_all(name: str, value: str) -> None:
    """Kill the processes that bear this, and those that they start meanwhile."""
    for _ in range(600):  # half a minute, for a process that the kernel holds
        if not (found := bearing(name, value)):
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


@dataclass
class Started:
    """A process whose words are read as they come."""

    process: asyncio.subprocess.Process
    said: str = ""

    async def until(self, words: str) -> str:
        """Read on until a line holds these words; that line. Fails when the process ends before."""
        assert self.process.stdout is not None
        while line := (await self.process.stdout.readline()).decode():
            self.said += line
            if words in line:
                return line
        raise AssertionError(f"it ended without saying {words!r}; it said: {self.said}")

    async def ended(self, by: signal.Signals | None = None) -> int:
        """Its exit code, once it has ended; first send it this signal."""
        if by is not None:
            self.process.send_signal(by)
        return await self.process.wait()


@asynccontextmanager
async def started(
    *command: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> AsyncIterator[Started]:
    """A running process, its standard output and error in `said`; killed at the end. SIGINT reaches it."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        preexec_fn=_let_interrupts_come,
    )
    try:
        yield Started(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def _let_interrupts_come() -> None:
    """Whoever runs the tests may ignore SIGINT, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.stdin.buffer.read()  # returns when the run has ended
    end_all(MARK, sys.argv[1])
