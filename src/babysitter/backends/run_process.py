"""Running somebody's command with a limit on time and output; its whole process group ends with it.

Nothing here may prompt: there is no input and no terminal.
"""

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from babysitter.errors import BadConfig, InvalidResponse, Unreachable
from babysitter.waits import waiting_for

OUTPUT_LIMIT_BYTES = 32 * 1024 * 1024
_GRACE_S = 2.0
_running: dict[int, asyncio.subprocess.Process] = {}  # by process group; ended when we are


@dataclass(frozen=True, slots=True)
class Finished:
    stdout: str
    stderr: str
    exit_code: int

    @property
    def last_error_line(self) -> str:
        """The last line of stderr that says something."""
        lines = [line for line in self.stderr.splitlines() if line.strip()]
        return lines[-1].strip() if lines else ""


async def run(
    argv: Sequence[str], *, limit_s: float, cwd: str = "", env: Mapping[str, str] | None = None
) -> Finished:
    """Run to the end and return what it printed.

    Raises BadConfig when there is no such command, Unreachable when the limit passed (everything it
    started is ended), NonsenseAnswer when it printed without end.
    """
    process = await start(argv, cwd=cwd, env=env)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        with waiting_for(f"`{_shown(argv)}`"):
            async with asyncio.timeout(limit_s):
                stdout, stderr = await asyncio.gather(
                    _read(process.stdout, argv[0]), _read(process.stderr, argv[0])
                )
                exit_code = await process.wait()
    except TimeoutError as fault:
        raise Unreachable(
            f"`{_shown(argv)}` did not end within {limit_s:g} s and was stopped.",
            next_step="The controller may be unreachable: the command retries for many minutes by itself.",
        ) from fault
    finally:
        await end(process)
    return Finished(stdout.decode(errors="replace"), stderr.decode(errors="replace"), exit_code)


def is_runnable(argv: Sequence[str], *, cwd: str = "", env: Mapping[str, str] | None = None) -> bool:
    """Whether the first word is a program that can be started on this machine."""
    if os.sep in argv[0]:
        return os.access(os.path.join(cwd, argv[0]), os.X_OK)
    return shutil.which(argv[0], path=(env or {}).get("PATH")) is not None


async def start(
    argv: Sequence[str],
    *,
    cwd: str = "",
    env: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> asyncio.subprocess.Process:
    """Start a command in a process group of its own, without input.

    What it prints goes to `output`, or to pipes that the caller must read.
    """
    quiet = {
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
        "SSH_ASKPASS_REQUIRE": "never",  # else ssh opens a window where there is a display
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
    }
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output or asyncio.subprocess.PIPE,
            stderr=output or asyncio.subprocess.PIPE,
            cwd=cwd or None,
            env={**os.environ, **quiet, **(env or {})},
            start_new_session=True,
        )
    except (FileNotFoundError, PermissionError, NotADirectoryError) as fault:
        raise BadConfig(
            f"Cannot run `{argv[0]}`: {(fault.strerror or str(fault)).lower()}.",
            next_step="Install it or name it with its full path (`--iris-command` for the iris command).",
        ) from fault
    _running[process.pid] = process
    return process


async def end(process: asyncio.subprocess.Process) -> None:
    """End the command's whole process group: politely, then firmly. Harmless when it has ended."""
    if _signal(process.pid, signal.SIGTERM):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                await process.wait()
        _signal(process.pid, signal.SIGKILL)
    await process.wait()
    # What nobody has read yet keeps the pipes open; there is no public way to give them back.
    process._transport.close()  # type: ignore[attr-defined]
    _running.pop(process.pid, None)


def _signal(group: int, sign: signal.Signals) -> bool:
    """Send to the group; False when nobody of it is left."""
    try:
        os.killpg(group, sign)
    except (ProcessLookupError, PermissionError):
        return False
    return True


@atexit.register
def _end_all() -> None:
    for group, process in _running.items():
        if process.returncode is None:  # else the number may be somebody else's by now
            _signal(group, signal.SIGTERM)


async def _read(stream: asyncio.StreamReader, name: str) -> bytes:
    pieces: list[bytes] = []
    total = 0
    while piece := await stream.read(64 * 1024):
        total += len(piece)
        if total > OUTPUT_LIMIT_BYTES:
            raise InvalidResponse(f"`{name}` printed more than {OUTPUT_LIMIT_BYTES >> 20} MB.")
        pieces.append(piece)
    return b"".join(pieces)


def _shown(argv: Sequence[str]) -> str:
    """The command as people know it: without request bodies, which may be long."""
    return " ".join(word if len(word) <= 60 else word[:57] + "..." for word in argv[:8])
