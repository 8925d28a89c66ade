"""The connection: kept, mended when it is deaf, and honest about itself."""

from collections.abc import AsyncIterator

import pytest

from babysitter.sim.slack import SlackServer
from babysitter.slack.socket_health import SocketHealth
from tests.slack.rig import MemoryDesk, Rig, connected, make_rig
from tests.support.waiting import HANG_S, until
from tests.surfaces.manual_clock import ManualClock

PING_INTERVAL_S = 0.2  # really: the pings are the Slack client's own


@pytest.fixture
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    clock = ManualClock()
    async with SlackServer() as slack:
        made = make_rig(slack, clock, MemoryDesk(clock), ping_every_s=getattr(request, "param", HANG_S))
        async with connected(made) as rig:
            yield rig


async def look(rig: Rig) -> None:
    """Let the socket look once: two seconds pass, and it has done what follows when it waits again."""
    await until(lambda: rig.clock.waiting)
    rig.socket.hearing.ponged(rig.clock.now())  # real pongs come at real seconds, which do not pass here
    rig.clock.advance(2)
    await until(lambda: rig.clock.waiting)


async def test_well_when_connected(rig: Rig) -> None:
    status = rig.socket.status
    assert (status.ear, status.trouble, status.reconnects) == (SocketHealth.WELL, "", 0)


async def test_deaf_to_events_is_noticed_within_90_s_and_mended(rig: Rig) -> None:
    card = await rig.offer()
    await rig.slack.until(lambda: rig.socket.hearing.echo_is_known)
    rig.slack.sockets.go_deaf(pongs_too=False)
    lost = await rig.slack.click("U0ADA", "approve", wait_s=0.1)
    assert not lost.acked
    for _ in range(45):
        await look(rig)
    assert rig.slack.sockets.connections_made == 2
    await rig.slack.until(lambda: rig.socket.status.ear is SocketHealth.WELL)
    assert rig.socket.status.deaf_times == 1
    assert await rig.press("U0ADA", message_ts=card.handle) == ""
    assert rig.desk.acts == ["p-1"]


async def test_a_quiet_but_hearing_socket_is_left_alone(rig: Rig) -> None:
    await rig.offer()
    for _ in range(150):
        await look(rig)
        await until(lambda: rig.socket.hearing.unanswered_since is None)  # what we said came back
    assert rig.slack.sockets.connections_made == 1
    assert rig.socket.status.deaf_times == 0


@pytest.mark.parametrize("rig", [PING_INTERVAL_S], indirect=True)
async def test_no_pongs_is_mended(rig: Rig) -> None:
    rig.slack.sockets.go_deaf()
    await until(lambda: rig.slack.sockets.connections_made > 1, step=lambda: rig.clock.advance(2))
    await rig.offer()
    # On a busy machine the next pongs are late too: as a person does, press until it is acknowledged.
    await until(lambda: is_acked(rig), step=lambda: rig.clock.advance(2))
    await rig.door.settled()
    assert rig.desk.acts == ["p-1"]
    assert rig.socket.status.reconnects >= 1


async def is_acked(rig: Rig) -> bool:
    return (await rig.slack.click("U0ADA", "approve", wait_s=1.0)).acked


async def test_a_cut_network_is_mended(rig: Rig) -> None:
    rig.slack.sockets.cut()
    await rig.slack.until(lambda: rig.slack.sockets.count == 0)
    await until(lambda: rig.slack.sockets.connections_made > 1, step=lambda: rig.clock.advance(2))
    await rig.offer()
    assert await rig.press("U0ADA") == ""


async def test_slack_down_is_said_in_the_status_and_mended_when_it_is_back(rig: Rig) -> None:
    await rig.offer()
    rig.slack.faults.is_down = True
    rig.slack.sockets.cut()
    await rig.slack.until(lambda: rig.slack.sockets.count == 0)
    await until(lambda: "Slack" in rig.socket.status.trouble, step=lambda: rig.clock.advance(60))
    assert rig.socket.status.ear is SocketHealth.CLOSED
    rig.slack.faults.is_down = False
    await until(lambda: rig.slack.sockets.count, step=lambda: rig.clock.advance(60))
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
