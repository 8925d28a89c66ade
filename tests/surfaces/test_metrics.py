"""What the running service tells over HTTP: its numbers, that it is alive, whether it can do its work."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.config.settings import WebSettings
from babysitter.engine.service import Service
from babysitter.errors import StorageUnavailable
from babysitter.model.advisor_spend import AdvisorDay, AdvisorLimits, AdvisorSpend
from babysitter.sim.slack import SlackServer
from babysitter.slack.socket_health import SocketHealth
from babysitter.slack.socket_mode import SocketStatus
from babysitter.store.repositories.counts import Counts
from babysitter.surfaces.web.metrics import metrics_text
from babysitter.surfaces.web.web_server import serve_http
from babysitter.usecases.service_stats import ProcessFigures, ServiceStats
from babysitter.wiring import open_app
from tests.e2e.channel import channel
from tests.slack.rig import MemoryDesk, connected, make_rig
from tests.surfaces.manual_clock import ManualClock

HERE = "127.0.0.1:0"


async def get(port: int | None, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as answer:
        return answer.status, await answer.text()


def values(text: str) -> dict[str, dict[str, float]]:
    """Name -> label's value -> number."""
    found: dict[str, dict[str, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[",".join(sample.labels.values())] = sample.value
    return found


async def test_what_stands_is_told_in_numbers_without_naming_anybody(tmp_path: Path):
    async with channel(tmp_path, web=WebSettings(listen=HERE)) as place:
        await place.offer()
        async with serve_http(place.app, place.surface) as port:
            status, text = await get(port, "/metrics")
            assert status == 200
            told = values(text)
            status, text_ready = await get(port, "/readyz")
            assert (status, text_ready.splitlines()[0]) == (200, "ready")
            place.clock.advance(600)
            late = values((await get(port, "/metrics"))[1])["babysit_lateness_seconds"][""]
    assert told["babysit_watches"]["failing"] == 1
    assert sum(told["babysit_watches"].values()) == 1
    assert told["babysit_open_incidents"] == {"zombie-coordinator": 1}
    assert told["babysit_open_proposals"] == {"": 1}
    assert told["babysit_undecided_answers"] == {"": 0}
    assert told["babysit_slack_socket_connected"] == {"": 1}
    assert told["babysit_slack_socket_deaf"] == {"": 0}
    assert 500 < late <= 600
    assert place.watch.root not in text


async def test_a_deaf_socket_is_in_the_metrics_and_counted_when_it_is_mended():
    async with SlackServer() as slack:
        clock = ManualClock()
        async with connected(make_rig(slack, clock, MemoryDesk(clock))) as rig:
            slack.sockets.go_deaf(pongs_too=False)
            rig.socket.said()
            clock.at = clock.at.replace(minute=clock.at.minute + 1)
            assert _slack(rig.socket.status)["babysit_slack_socket_deaf"] == {"": 1}
            await rig.socket.look()
            mended = _slack(rig.socket.status)
    assert mended["babysit_slack_socket_deaf"] == {"": 0}
    assert mended["babysit_slack_socket_deaf_times_total"] == {"": 1}
    assert mended["babysit_slack_socket_reconnects_total"] == {"": 1}


def _slack(status: SocketStatus) -> dict[str, dict[str, float]]:
    nothing = ServiceStats(Counts({}, {}, 0, {}, 0, None), 0.0, {"slack": "deaf"})
    told = values(metrics_text(nothing, status).decode())
    assert told["babysit_trouble"] == {"slack": 1}
    return told


def test_a_lost_connection_is_not_called_deaf():
    lost = SocketStatus(SocketHealth.CLOSED, None, datetime(2026, 11, 20, tzinfo=UTC), 0, 0, "lost")
    told = _slack(lost)
    assert (told["babysit_slack_socket_connected"], told["babysit_slack_socket_deaf"]) == ({"": 0}, {"": 0})


@asynccontextmanager
async def app_at(folder: Path, listen: str) -> AsyncIterator[Any]:
    settings = Settings(state_dir=folder, web=WebSettings(listen=listen))
    async with open_app(settings, clock=SystemClock()) as app:
        yield app


async def test_a_process_that_does_not_serve_is_alive_and_not_ready(tmp_path: Path):
    async with app_at(tmp_path, HERE) as app:
        async with serve_http(app, None) as port:
            assert (await get(port, "/healthz"))[0] == 200
            status, why = await get(port, "/readyz")
            assert (status, "does not serve" in why) == (503, True)
        async with Service(app), serve_http(app, None) as port:
            assert (await get(port, "/readyz"))[0] == 200


async def test_an_address_that_is_taken_is_a_trouble_and_ends_nothing(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with app_at(tmp_path, address) as app, serve_http(app, None) as port:
            assert port is None
            assert address in app.troubles["web"]


@pytest.mark.parametrize("listen", ["8088", "127.0.0.1", "http://127.0.0.1:8088"])
def test_an_address_that_is_none_is_refused(listen: str):
    with pytest.raises(ValueError, match="listen"):
        WebSettings(listen=listen)


async def test_metrics_and_readiness_without_a_database(tmp_path: Path):
    async with app_at(tmp_path, HERE) as app, Service(app), serve_http(app, None) as port:
        app.failures["lease"] = 3
        app.storage.note("database or disk is full", 0.0)
        status, why = await get(port, "/readyz")
        assert (status, "disk is full" in why) == (503, True)
        measured = values((await get(port, "/metrics"))[1])
        assert measured["babysit_database_writable"] == {"": 0}
        assert measured["babysit_failed_writes_total"] == {"": 1}
        assert measured["babysit_failed_activities_total"] == {"lease": 3}
        app.storage.note("", 0.0)
        assert (await get(port, "/readyz"))[0] == 200

        def refuse() -> None:
            raise StorageUnavailable("the server closed the connection")

        reading, app.store.reading = app.store.reading, refuse
        status, text = await get(port, "/metrics")
        app.store.reading = reading
    assert status == 200
    assert values(text)["babysit_database_readable"] == {"": 0}
    assert "babysit_watches" not in values(text)


def test_every_metric_is_documented():
    documented = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    socket = SocketStatus(SocketHealth.CLOSED, None, datetime(2026, 11, 20, tzinfo=UTC), 0, 0, "lost")
    day = AdvisorDay(AdvisorSpend(1, 2, 300, 0.5), AdvisorLimits(200, 1_000, 2.0))
    figures = ServiceStats(
        Counts({}, {"oom": 1}, 0, {"slack": 1}, 0, None), 0.0, {"slack": "deaf"}, AdvisorSpend(1), day
    )
    process = ProcessFigures(failed_activities={"lease": 1})
    for name in values(metrics_text(figures, socket, process).decode()):
        assert f"`{name}" in documented, name
