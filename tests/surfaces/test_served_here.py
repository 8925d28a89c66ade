"""A command that is the service for a while ends when the service does."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from babysitter.errors import FactsChanged
from babysitter.surfaces.cli.serving.serve import served_here
from tests.support.app import home


async def test_command_ends_when_its_service_is_taken_over(tmp_path, monkeypatch: pytest.MonkeyPatch):
    @asynccontextmanager
    async def taken_over(_app):
        class Service:
            async def until_stopped(self) -> None:
                raise FactsChanged("Another process has taken over.")

        yield Service()

    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async with home(tmp_path) as place:
        monkeypatch.setattr("babysitter.engine.service.Service", taken_over)
        with pytest.raises(FactsChanged):
            await served_here(place.app, work())
        await asyncio.sleep(0)
    assert ended == [True]


async def test_interrupted_command_ends_its_service_first(tmp_path, monkeypatch: pytest.MonkeyPatch):
    order: list[str] = []

    @asynccontextmanager
    async def opened(_app):
        class Service:
            async def until_stopped(self) -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0)
                    order.append("activities end")

        try:
            yield Service()
        finally:
            order.append("the service is closed")

    began = asyncio.Event()

    async def work() -> None:
        began.set()
        await asyncio.Event().wait()

    async with home(tmp_path) as place:
        monkeypatch.setattr("babysitter.engine.service.Service", opened)
        running = asyncio.create_task(served_here(place.app, work()))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert order == ["activities end", "the service is closed"]
