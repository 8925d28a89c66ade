"""The connection: kept, mended when it is deaf, and honest about itself."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from babysitter.slacksim import SlackServer
from babysitter.surfaces.slack.hearing import Ear
from tests.surfaces.manual_clock import ManualClock
from tests.surfaces.slack_rig import MemoryDesk, Rig, connected, make_rig


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    clock = ManualClock()
    async with (
        SlackServer() as slack,
        connected(make_rig(slack, clock, MemoryDesk(clock))) as rig,
    ):
        yield rig


async def pass_time(rig: Rig, seconds: float) -> None:
    """Move the clock in steps of the socket's own looks, letting pings be answered in between."""
    for _ in range(int(seconds / 2)):
        rig.socket.hearing.ponged(rig.clock.now())  # real pongs come at real seconds, which do not pass here
        rig.clock.advance(2)
        for _ in range(5):
            await asyncio.sleep(0.001)


async def test_well_when_connected(rig: Rig) -> None:
    status = rig.socket.status
    assert (status.ear, status.trouble, status.reconnects) == (Ear.WELL, "", 0)


async def test_deaf_to_events_is_noticed_within_90_s_and_mended(rig: Rig) -> None:
    card = await rig.offer()
    await rig.slack.until(lambda: rig.socket.hearing.echo_is_known)
    rig.slack.sockets.go_deaf(pongs_too=False)
    lost = await rig.slack.click("U0ADA", "approve", wait_s=0.1)
    assert not lost.acked
    await pass_time(rig, 90)
    await rig.slack.until(lambda: rig.slack.sockets.connections_made == 2)
    await rig.slack.until(lambda: rig.socket.status.ear is Ear.WELL)
    assert rig.socket.status.deaf_times == 1
    assert await rig.press("U0ADA", message_ts=card.handle) == ""
    assert rig.desk.acts == ["p-1"]


async def test_a_quiet_but_hearing_socket_is_left_alone(rig: Rig) -> None:
    await rig.offer()
    await pass_time(rig, 300)
    assert rig.slack.sockets.connections_made == 1
    assert rig.socket.status.deaf_times == 0


async def test_no_pongs_is_mended(rig: Rig) -> None:
    rig.slack.sockets.go_deaf()
    for _ in range(400):
        rig.clock.advance(2)
        await asyncio.sleep(0.01)
        if rig.slack.sockets.connections_made > 1:
            break
    await rig.offer()
    assert await rig.press("U0ADA") == ""
    assert rig.socket.status.reconnects >= 1


async def test_a_cut_network_is_mended(rig: Rig) -> None:
    rig.slack.sockets.cut()
    await rig.slack.until(lambda: rig.slack.sockets.count == 0)
    for _ in range(100):
        rig.clock.advance(2)
        await asyncio.sleep(0.01)
        if rig.slack.sockets.connections_made > 1:
            break
    await rig.offer()
    assert await rig.press("U0ADA") == ""


async def test_slack_down_is_said_in_the_status_and_mended_when_it_is_back(rig: Rig) -> None:
    await rig.offer()
    rig.slack.faults.is_down = True
    rig.slack.sockets.cut()
    await rig.slack.until(lambda: rig.slack.sockets.count == 0)
    for _ in range(50):
        rig.clock.advance(60)
        await asyncio.sleep(0.01)
    assert "Slack" in rig.socket.status.trouble
    assert rig.socket.status.ear is Ear.CLOSED
    rig.slack.faults.is_down = False
    for _ in range(50):
        rig.clock.advance(60)
        await asyncio.sleep(0.01)
        if rig.slack.sockets.count:
            break
    await rig.slack.until(lambda: rig.socket.status.trouble == "")
    assert await rig.press("U0ADA") == ""


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_slacks_own_reconnects_lose_nothing(rig: Rig, reason: str) -> None:
    await rig.offer()
    await rig.slack.sockets.disconnect(reason, closes=False)
    await rig.slack.until(lambda: rig.slack.sockets.connections_made == 2 and rig.slack.sockets.count == 1)
    rig.clock.advance(2)
    assert await rig.press("U0ADA") == ""
    assert rig.desk.acts == ["p-1"]
    assert rig.slack.sockets.connections_made == 2
