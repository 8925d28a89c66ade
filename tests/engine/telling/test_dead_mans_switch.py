"""The heartbeat: sent while jobs are looked after, withheld while they are not."""

from datetime import timedelta

import pytest
from aiohttp import web

from babysitter.engine.storage_health import StorageHealth
from babysitter.engine.telling.dead_mans_switch import (
    HEARTBEATS_SENT,
    HEARTBEATS_WITHHELD,
    DeadMansSwitch,
    HeartbeatDecision,
    decide_heartbeat,
)
from babysitter.errors import Unreachable
from babysitter.model.ids import WatchId
from babysitter.model.watch import UnfinishedWatch
from babysitter.notify.heartbeat import HeartbeatSender
from tests.support.build import NOON, ROOT
from tests.support.clock import FakeClock

W1 = WatchId("w-1")
WATCHED = [UnfinishedWatch(W1, ROOT, "marin", NOON)]


class Alarm:
    """An outside alarm that listens on loopback and counts."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.status = 200
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> "Alarm":
        app = web.Application()
        app.router.add_route("*", "/ping/{id}", self._hear)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/ping/made-up-id"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _hear(self, request: web.Request) -> web.Response:
        self.heard.append(request.method)
        return web.Response(status=self.status)


@pytest.mark.parametrize(
    ("changes", "decision"),
    [
        ({}, HeartbeatDecision.WORKING),
        ({"is_serving": False}, HeartbeatDecision.NOT_SERVING),
        ({"can_store": False}, HeartbeatDecision.NOT_STORED),
        ({"blind_clusters": {"marin"}}, HeartbeatDecision.BLIND),
        ({"late": timedelta(minutes=5)}, HeartbeatDecision.WORKING),
        ({"late": timedelta(minutes=5, seconds=1)}, HeartbeatDecision.LATE),
    ],
)
def test_heartbeat_decision(changes, decision):
    given = {"is_serving": True, "can_store": True, "blind_clusters": set(), "late": timedelta()}
    assert decide_heartbeat(**(given | changes)) is decision


async def test_heartbeat_is_withheld_while_blind_or_not_storing():
    clock, blind, counts = FakeClock(), {}, {}
    health = StorageHealth(clock)
    async with Alarm() as alarm:
        sender = HeartbeatSender(alarm.url)
        switch = DeadMansSwitch(sender, health, blind, clock, counts=counts)
        assert await switch.beat(WATCHED, is_serving=True) is HeartbeatDecision.WORKING
        blind[W1] = "marin"
        assert await switch.beat(WATCHED, is_serving=True) is HeartbeatDecision.BLIND
        assert await switch.beat([], is_serving=True) is HeartbeatDecision.WORKING, "nobody watches there"
        del blind[W1]
        health.note("database is locked", 15.0)
        assert await switch.beat(WATCHED, is_serving=True) is HeartbeatDecision.NOT_STORED
        health.note("", 0.0)
        assert await switch.beat(WATCHED, is_serving=True) is HeartbeatDecision.WORKING
        clock.advance(301)
        assert await switch.beat(WATCHED, is_serving=True) is HeartbeatDecision.LATE
        await sender.close()
    assert alarm.heard == ["GET"] * 3
    assert counts == {HEARTBEATS_SENT: 3, HEARTBEATS_WITHHELD: 3}


async def test_heartbeat_that_is_refused_names_the_host_only():
    async with Alarm() as alarm:
        alarm.status = 404
        sender = HeartbeatSender(alarm.url)
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1 is refused with status 404") as caught:
            await sender.send()
        await sender.close()
    assert "made-up-id" not in str(caught.value)
    sender = HeartbeatSender(alarm.url)
    with pytest.raises(Unreachable, match="cannot be sent") as caught:
        await sender.send()
    await sender.close()
    assert "made-up-id" not in str(caught.value)
