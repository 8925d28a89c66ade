"""Whether a bundle is still there: believed only if the controller itself says so."""

import pytest

from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.connection.transport import NoSuchMethod, Page
from babysitter.backends.iris.submission.stored_bundle import bundle_exists
from babysitter.errors import Unreachable
from babysitter.preflight.facts import Known, NotKnown
from babysitter.sim.iris.bundles import FIRST_ID
from tests.contract.test_simulator_wire import simulated


class ScriptedLine:
    """Answers pages as a test says."""

    place = "http://controller"

    def __init__(self, **pages):
        self.pages, self.asked = pages, []

    async def request_page(self, path, *, verb):
        self.asked.append((verb, path))
        page = self.pages[verb]
        if isinstance(page, Exception):
            raise page
        return page


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({"HEAD": Page(200, b"")}, Known(True)),
        ({"HEAD": Page(405, b""), "GET": Page(200, b"PK")}, Known(True)),
        ({"HEAD": Page(404, b""), "GET": Page(404, b"Bundle not found: b1")}, Known(False)),
        ({"HEAD": Page(404, b""), "GET": Page(404, b"<html>")}, "answers 404"),
        ({"HEAD": Page(403, b"")}, "answers 403"),
        ({"HEAD": NoSuchMethod("iris", "x")}, "cannot ask for a bundle"),
    ],
)
async def test_bundle_exists(pages, expected):
    found = await bundle_exists(ScriptedLine(**pages), "b1")
    if isinstance(expected, str):
        assert isinstance(found, NotKnown)
        assert expected in found.reason
        assert not found.may_pass
    else:
        assert found == expected


@pytest.mark.parametrize("page", [Page(503, b""), Unreachable("No answer.")])
async def test_bundle_that_cannot_be_asked_for_now(page):
    found = await bundle_exists(ScriptedLine(HEAD=page), "b1")
    assert isinstance(found, NotKnown)
    assert found.may_pass


async def test_only_an_id_is_put_into_the_address():
    line = ScriptedLine()
    assert await bundle_exists(line, "../health") == Known(False)
    assert isinstance(await bundle_exists(line, ""), NotKnown)
    assert line.asked == []


async def test_bundle_is_asked_for_without_loading_it():
    async with simulated("healthy", "may") as (simulator, _):
        line = HttpTransport(DirectEndpoint(simulator.url), place="sim")
        try:
            simulator.bundles._packs[FIRST_ID] = b"PK" + bytes(20_000_000)
            assert await bundle_exists(line, FIRST_ID) == Known(True)
            page = await line.request_page(f"/bundles/{FIRST_ID}.zip", verb="GET")
            assert (page.status, page.beginning[:2]) == (200, b"PK")
            assert line.traffic.received_bytes <= 1024
            simulator.bundles.forget()
            assert await bundle_exists(line, FIRST_ID) == Known(False)
        finally:
            await line.close()
