"""Gives the processes of a test the test's clock: Python runs this first wherever it stands on PYTHONPATH.

The time is in a file that everybody reads; to sleep is to ask the test, which wakes. See shared_clock.py.
"""

import asyncio
import contextlib
import mmap
import os
import struct
import sys
from datetime import UTC, datetime

CLOCK = "TESTS_CLOCK"


class SharedClock:
    """Stands in for `babysitter.clock.SystemClock`. Runs at the test's pace, whatever speed is asked for."""

    def __init__(self, *, speed: float = 1.0) -> None:  # noqa: ARG002
        self._port, _, file = os.environ[CLOCK].partition(":")
        with open(file, "rb") as stream:
            self._bytes = mmap.mmap(stream.fileno(), 8, access=mmap.ACCESS_READ)

    def now(self) -> datetime:
        return datetime.fromtimestamp(struct.unpack("d", self._bytes[:8])[0], UTC)

    async def sleep_until(self, at: datetime) -> None:
        task = asyncio.current_task()
        reader, writer = await asyncio.open_connection("127.0.0.1", int(self._port))
        try:
            writer.write(f"{at.timestamp()!r} {task.get_name() if task else ''}\n".encode())
            await reader.readline()
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


if CLOCK in os.environ:
    import babysitter.clock
    import babysitter.waits

    shipped = babysitter.clock.SystemClock
    for module in list(sys.modules.values()):  # a process that was forked has imported it already
        if vars(module).get("SystemClock") is shipped:
            module.SystemClock = SharedClock
    # On a busy machine everything takes seconds; that alone must not make a command say what it waits for.
    clock = SharedClock()
    babysitter.waits.WAITS = babysitter.waits.Waits(lambda: clock.now().timestamp())
