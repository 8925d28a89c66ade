"""A command at a terminal of its own, and somebody who types there."""

import asyncio
import contextlib
import fcntl
import os
import pty
import signal
import termios
from pathlib import Path

from tests.support.fork_server import OWN_PROCESS
from tests.support.shell import Shell
from tests.support.waiting import HANG_S, until

CTRL_C, CTRL_D = "\x03", "\x04"
READ_STDIN = "0 0x0 "  # as /proc shows the system call in which a thread waits


async def at_terminal(
    run: Shell, command: str, keys: str = "", *, after: str = "", asks: bool = False
) -> tuple[int, str]:
    """Run a command and type `keys` once it has shown `after`; its exit code and everything that it showed.

    `asks`: it asks a question there, so the keys come only when it really reads. Between showing a question
    and reading, Python can lose a Ctrl+C; a person is never that quick, a test on a busy machine is.
    """
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *("/bin/sh", "-c", f"exec {command}"),
        cwd=run.home,
        env=run.environment | {OWN_PROCESS: "1"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    shown, is_typed = b"", False
    try:
        async with asyncio.timeout(HANG_S):
            while True:
                if not is_typed and after.encode() in shown:
                    if asks:
                        await until(lambda: process.returncode is not None or _reads(process.pid))
                    os.write(ours, keys.encode())
                    is_typed = True
                part = await _read(ours)
                if not part:
                    break
                shown += part
            assert is_typed, shown.decode()
            return await process.wait(), shown.decode()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        os.close(ours)


def _take_terminal() -> None:
    """Make standard input the terminal that Ctrl+C comes from, and let it come: the tests may ignore it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def _read(terminal: int) -> bytes:
    """What is shown next; empty when the other end is closed."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(terminal, ready.set)
    try:
        await ready.wait()
        return os.read(terminal, 65_536)
    except OSError:
        return b""
    finally:
        loop.remove_reader(terminal)


def _reads(pid: int) -> bool:
    """Whether a thread of the process waits for what is typed; True where that cannot be told."""
    try:
        calls = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/syscall")]
    except OSError:
        return True
    return not calls or any(call.startswith(READ_STDIN) for call in calls)
