"""Ctrl+C before `start` waits for a job: it says what becomes of the watches all the same."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from babysitter.surfaces.cli.serving import serve
from babysitter.surfaces.cli.watching import start
from babysitter.usecases.submitting import start_checks
from tests.support.app import MARIN, home
from tests.support.build import ROOT
from tests.support.jobs import pipeline, tree


@pytest.mark.parametrize(
    ("serves", "stays", "at", "says"),
    [
        (True, True, "printing", "To go on: babysit serve"),
        (False, True, "printing", f"The watch goes on without you. See: babysit status {ROOT}"),
        (False, False, "service", f"See whether the service runs: babysit status {ROOT}"),
    ],
)
async def test_start_interrupted_before_it_waits(tmp_path, monkeypatch, capsys, serves, stays, at, says):
    async def interrupted(*_: object) -> tuple[str, ...]:
        current = asyncio.current_task()
        assert current is not None
        current.cancel()  # as Ctrl+C does it
        await asyncio.sleep(0)
        return ()

    async def began(*_: object) -> bool:
        return True

    async with home(tmp_path) as place:
        place.cluster.show(tree(*pipeline()))

        @asynccontextmanager
        async def opened(*_: object, **__: object):
            yield place.app

        monkeypatch.setattr("babysitter.wiring.open_app", opened)
        if at == "printing":
            monkeypatch.setattr(start_checks, "restart_warnings", interrupted)
        monkeypatch.setattr(serve, "keep_served", interrupted if at == "service" else began)
        begun = start._start(
            place.app.settings,
            None,
            [ROOT],
            MARIN,
            start._Again(None, None, ""),
            "",
            as_json=False,
            stays=stays,
            serves=serves,
            prints_lines=False,
        )
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(begun)
    assert says in capsys.readouterr().err
