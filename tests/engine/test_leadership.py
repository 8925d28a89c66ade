"""One process serves a state folder; the second one notices; a killed one is followed at once."""

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from babysitter.clock import SystemClock
from babysitter.engine.leadership import Leadership
from babysitter.engine.service_lock import is_served, serving_process
from babysitter.errors import AlreadyServed, FactsChanged
from babysitter.store.store import Store, open_store
from tests.support.clock import FakeClock
from tests.support.processes import started

SERVING = """
import asyncio, sys
from pathlib import Path
from babysitter.clock import SystemClock
from babysitter.engine.leadership import Leadership
from babysitter.store.store import open_store

async def serve():
    store = await open_store(Path(sys.argv[1]))
    tenure = Leadership(store, SystemClock(), lock_folder=Path(sys.argv[1]))
    await tenure.begin()
    print("serving", flush=True)
    await asyncio.Event().wait()

asyncio.run(serve())
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store(tmp_path)
    yield opened
    await opened.close()


async def test_a_second_process_is_told_who_serves(store: Store, tmp_path: Path):
    first = Leadership(store, FakeClock(), lock_folder=tmp_path)
    await first.begin()
    assert is_served(tmp_path)
    assert serving_process(tmp_path) == os.getpid()
    assert await Leadership(store, FakeClock(), lock_folder=tmp_path).somebody_serves()
    with pytest.raises(AlreadyServed, match=f"by process {os.getpid()}"):
        await Leadership(store, FakeClock(), lock_folder=tmp_path).begin()
    await first.end()
    assert not is_served(tmp_path)
    assert serving_process(tmp_path) is None
    second = Leadership(store, FakeClock(), lock_folder=tmp_path)
    await second.begin()
    assert second.lease.fence == 2
    await second.end()


async def test_asking_keeps_no_service_from_beginning(store: Store, tmp_path: Path):
    asks, stop = threading.Event(), threading.Event()

    def ask() -> None:
        while not stop.is_set():
            is_served(tmp_path)
            asks.set()

    asking = threading.Thread(target=ask)
    asking.start()
    asks.wait()
    try:
        for _ in range(10):
            leadership = Leadership(store, FakeClock(), lock_folder=tmp_path)
            await leadership.begin()
            assert is_served(tmp_path)
            await leadership.end()
    finally:
        stop.set()
        asking.join()


async def test_a_killed_process_is_followed_at_once(store: Store, tmp_path: Path):
    async with started(sys.executable, "-c", SERVING, str(tmp_path)) as serving:
        await serving.until("serving")
        assert is_served(tmp_path)
        await serving.ended(signal.SIGKILL)
    follower = Leadership(store, SystemClock(), lock_folder=tmp_path)
    await follower.begin()
    assert follower.lease.fence == 2
    await follower.end()


async def test_without_a_shared_folder_silence_decides(store: Store):
    clock = FakeClock()
    one, two = (Leadership(store, clock, lock_folder=None) for _ in range(2))
    await one.begin()
    with pytest.raises(AlreadyServed):
        await two.begin()
    assert await one.somebody_serves()
    assert await two.somebody_serves()
    clock.advance(10)
    await one.renew()
    clock.advance(16)
    await two.begin()
    assert two.lease.fence == 2
    with pytest.raises(FactsChanged, match="steps back"):
        await one.renew()
    with pytest.raises(FactsChanged, match="does not serve"):
        _ = one.lease
    await two.end()
    assert not await one.somebody_serves()


def test_an_empty_folder_is_not_served(tmp_path: Path):
    assert not is_served(tmp_path / "none")
