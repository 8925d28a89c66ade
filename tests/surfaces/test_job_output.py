"""What is printed beside a waiting command: it outlives a database that does not answer for a moment."""

import asyncio
from types import SimpleNamespace

from babysitter.errors import StorageUnavailable
from babysitter.model.phase import Phase
from babysitter.surfaces.cli.watching.job_output import print_phases
from babysitter.usecases.watching import manage_watches


async def test_phases_are_printed_though_the_database_was_busy(monkeypatch, capsys):
    answers = iter([StorageUnavailable("locked"), SimpleNamespace(phase=Phase.STEADY, outlook=None)])

    async def watch_status(*_):
        found = next(answers)
        if isinstance(found, StorageUnavailable):
            has_ended.set()
            raise found
        return SimpleNamespace(watch=found)

    has_ended = asyncio.Event()
    monkeypatch.setattr(manage_watches, "watch_status", watch_status)
    await print_phases(None, "w-1", has_ended)
    assert capsys.readouterr().err == "phase: steady, job: unknown\n"
