"""One clock for a test and the processes that it starts: it stands still until the test moves it."""

import asyncio
import mmap
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from tests.support.build import NOON

CHILD = Path(__file__).parent / "child"  # its sitecustomize.py puts this clock into a child's program


@dataclass(eq=False)
class Sleeper:
    """Somebody who waits for a moment; `task`: the name of the task that does."""

    until: datetime
    task: str
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class SharedClock:
    """`sleepers`: who waits for a moment to come, in any process.

    async with SharedClock(folder / "clock") as clock:
        start_process(env=environment | clock.environment)
        clock.advance(5)
    """

    def __init__(self, file: Path, at: datetime = NOON) -> None:
        file.write_bytes(struct.pack("d", at.timestamp()))
        with file.open("r+b") as stream:
            self._bytes = mmap.mmap(stream.fileno(), 8)
        self._file = file
        self._server: asyncio.Server | None = None
        self.sleepers: list[Sleeper] = []

    @property
    def environment(self) -> Mapping[str, str]:
        """What makes a Python process run on this clock."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return {"TESTS_CLOCK": f"{port}:{self._file}", "PYTHONPATH": str(CHILD)}

    def now(self) -> datetime:
        return datetime.fromtimestamp(struct.unpack("d", self._bytes[:8])[0], UTC)

    def advance(self, seconds: float) -> datetime:
        """Move on, and wake everybody whose moment has come."""
        now = self.now() + timedelta(seconds=seconds)
        self._bytes[:8] = struct.pack("d", now.timestamp())
        for sleeper in [item for item in self.sleepers if item.until <= now]:
            self.sleepers.remove(sleeper)  # at once: who was woken does not wait any more
            sleeper.woken.set()
        return now

    async def sleep_until(self, at: datetime) -> None:
        task = asyncio.current_task()
        await self._asleep(Sleeper(at, task.get_name() if task else ""))

    async def _asleep(self, sleeper: Sleeper) -> None:
        if sleeper.until <= self.now():
            return
        self.sleepers.append(sleeper)
        try:
            await sleeper.woken.wait()
        finally:
            with suppress(ValueError):
                self.sleepers.remove(sleeper)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One sleeper of another process: it says until when, and is answered then, unless it is gone."""
        line = (await reader.readline()).decode()
        if line:
            at, _, task = line.rstrip("\n").partition(" ")
            asleep = asyncio.create_task(self._asleep(Sleeper(datetime.fromtimestamp(float(at), UTC), task)))
            gone = asyncio.create_task(reader.read())
            await asyncio.wait((asleep, gone), return_when=asyncio.FIRST_COMPLETED)
            for item in (asleep, gone):
                item.cancel()
            with suppress(ConnectionError):
                writer.write(b"\n")
                await writer.drain()
        writer.close()
