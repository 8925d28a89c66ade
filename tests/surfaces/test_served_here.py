"""A command that is the service for a while ends when the service does."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from babysitter.errors import FactsChanged
from babysitter.surfaces.cli.serve import served_here
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
