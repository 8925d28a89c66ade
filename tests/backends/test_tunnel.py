"""One tunnel per cluster, through a stand-in `gcloud` that forwards a port for real."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from babysitter.backends.iris.connection.cluster_file import ClusterFile, ControllerAccess
from babysitter.backends.iris.connection.http_transport import HttpTransport
from babysitter.backends.iris.connection.tunnel import Tunnel, gcloud_tunnel, kubectl_forward
from babysitter.errors import BadConfig, NotAuthorised, Unreachable
from tests.support.clock import FakeClock
from tests.support.controller import controller
from tests.support.waiting import HANG_S, until

FILE = ClusterFile(
    path=Path("marin.yaml"),
    name="marin",
    reach=ControllerAccess.GCP,
    project="some-project",
    zone="us-central1-a",
    label_prefix="marin",
)
MACHINES = [{"name": "iris-controller-7", "zone": "https://www.example.org/zones/us-central1-b"}]
STAND_IN = Path(__file__).parents[1] / "support" / "gcloud_command.py"


@dataclass
class Place:
    """A home with an SSH key, a PATH with the stand-in, a controller behind it."""

    home: Path
    gcloud: str  # path of the command
    log: Path
    failure: Path
    clock: FakeClock
    server: object = None

    def calls(self, kind):
        return [line for line in self.log.read_text().splitlines() if f" compute {kind}" in line]

    def tunnel(self, **changes):
        command = gcloud_tunnel(replace(FILE, **changes), home=self.home, gcloud=(self.gcloud,))
        return Tunnel(command, name="marin", clock=self.clock)


@pytest.fixture
async def place(tmp_path, monkeypatch):
    gcloud = tmp_path / "gcloud"
    gcloud.write_text(f'#!/bin/sh\nexec {sys.executable} {STAND_IN} "$@"\n')
    gcloud.chmod(0o755)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/google_compute_engine").write_text("made up")
    log, failure = tmp_path / "log", tmp_path / "failure"
    log.touch()
    async with controller({"GetJobState": {"states": {}}}) as server:
        monkeypatch.setenv("GCLOUD_LOG", str(log))
        monkeypatch.setenv("GCLOUD_FAILS", str(failure))
        monkeypatch.setenv("GCLOUD_MACHINES", json.dumps(MACHINES))
        monkeypatch.setenv("GCLOUD_TARGET", server.url.rpartition(":")[2])
        yield Place(tmp_path, str(gcloud), log, failure, FakeClock(), server)


@asynccontextmanager
async def line_through(tunnel, ask_limit_s=HANG_S):
    line = HttpTransport(tunnel, place="marin", ask_limit_s=ask_limit_s)
    try:
        yield line
    finally:
        await line.close()


async def test_one_tunnel_carries_every_question_and_is_closed_in_the_end(place):
    async with line_through(place.tunnel()) as line:
        for _ in range(3):
            assert await line.ask("GetJobState", {}) == {"states": {}}
        await asyncio.gather(*(line.ask("GetJobState", {}) for _ in range(5)))
        assert len(place.calls("ssh")) == 1
        (listed,) = place.calls("instances list")
        assert "--filter=labels.iris-marin-controller=true AND status=RUNNING" in listed
        assert "--quiet" in listed
        (opened,) = place.calls("ssh")
        assert "ssh iris-controller-7 --project=some-project --zone=us-central1-b --quiet" in opened
        assert ":localhost:10000" in opened
        assert "BatchMode=yes" in opened
        pid = int(opened.split()[0])
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_opening_may_take_longer_than_an_answer(place, monkeypatch):
    for limit_s in (1.0, 4.0, 16.0, 64.0):  # on a busy machine an answer may need more than the smallest
        monkeypatch.setenv("GCLOUD_DELAY_S", str(1.5 * limit_s))
        async with line_through(place.tunnel(), ask_limit_s=limit_s) as line:
            with contextlib.suppress(Unreachable):
                assert await line.ask("GetJobState", {}) == {"states": {}}
                return
    pytest.fail("opening counts against the answer's limit")


async def answers(line):
    try:
        await line.ask("GetJobState", {})
    except Unreachable:
        return False
    return True


async def test_a_tunnel_that_died_is_opened_again(place):
    async with line_through(place.tunnel()) as line:
        await line.ask("GetJobState", {})
        os.kill(int(place.calls("ssh")[0].split()[0]), signal.SIGKILL)
        await until(lambda: answers(line))  # its end is noticed in a moment
        assert len(place.calls("ssh")) == 2


async def test_pauses_between_openings_grow_and_nobody_waits_in_them(place):
    place.failure.write_text("ERROR: (gcloud.compute.ssh) connection timed out")
    tunnel = place.tunnel()
    for number, pause_s in enumerate((2, 4, 8), start=1):
        with pytest.raises(Unreachable, match="connection timed out"):
            await tunnel.url()
        with pytest.raises(Unreachable, match="opened again in"):
            await tunnel.url()
        assert len(place.calls("ssh")) == number
        place.clock.advance(pause_s - 1)
        with pytest.raises(Unreachable, match="opened again in 1 s"):
            await tunnel.url()
        place.clock.advance(1)
    place.failure.unlink()
    assert (await tunnel.url()).startswith("http://127.0.0.1:")
    await tunnel.close()


async def test_without_a_key_a_person_is_asked_to_make_one_and_gcloud_is_not_called(place):
    (place.home / ".ssh/google_compute_engine").unlink()
    with pytest.raises(BadConfig, match="no SSH key"):
        await place.tunnel().url()
    assert place.log.read_text() == ""
    with pytest.raises(BadConfig, match="other-key"):
        await place.tunnel(ssh_key="~/other-key").url()


async def test_no_labelled_machine_is_unreachable(place, monkeypatch):
    monkeypatch.setenv("GCLOUD_MACHINES", "[]")
    with pytest.raises(Unreachable, match="iris-marin-controller=true"):
        await place.tunnel().url()


async def test_gcloud_without_a_login_is_not_authorised(place, monkeypatch):
    monkeypatch.setenv("GCLOUD_LIST_FAILS", "ERROR: You do not have an authenticated account")
    with pytest.raises(NotAuthorised, match="authenticated account"):
        await place.tunnel().url()


async def test_gcloud_without_a_network_is_unreachable(place, monkeypatch):
    monkeypatch.setenv("GCLOUD_LIST_FAILS", "ERROR: There was a problem resolving the name")
    with pytest.raises(Unreachable, match="resolving the name"):
        await place.tunnel().url()


async def test_a_service_account_is_impersonated_where_the_file_says_so(place):
    tunnel = place.tunnel(impersonate="robot@example.org")
    await tunnel.url()
    assert "--impersonate-service-account=robot@example.org" in place.calls("ssh")[0]
    await tunnel.close()


async def test_kubectl_forwards_the_service():
    file = replace(FILE, reach=ControllerAccess.COREWEAVE, service="iris-controller", namespace="iris")
    command = await kubectl_forward(file)(4711)
    assert " ".join(command) == (
        "kubectl --namespace iris port-forward --address 127.0.0.1 svc/iris-controller 4711:10000"
    )
