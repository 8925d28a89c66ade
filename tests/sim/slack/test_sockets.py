"""Simulated Socket Mode, seen through the real client."""

from collections.abc import AsyncIterator

import pytest
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from babysitter.sim.slack import SlackServer


class App:
    """An app that acknowledges everything and remembers what it heard."""

    def __init__(self, slack: SlackServer, client: AsyncWebClient) -> None:
        self.heard: list[SocketModeRequest] = []
        self.socket = SocketModeClient(slack.app_token, web_client=client, ping_interval=0.1)
        self.socket.socket_mode_request_listeners.append(self._on_request)

    async def _on_request(self, socket: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        self.heard.append(request)
        await socket.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

    def pressed(self) -> list[dict[str, str]]:
        return [
            mode_request.payload["actions"][0]
            for mode_request in self.heard
            if mode_request.type == "interactive"
        ]


@pytest.fixture
async def app(slack: SlackServer, client: AsyncWebClient) -> AsyncIterator[App]:
    app = App(slack, client)
    await app.socket.connect()
    await slack.sockets.connected()
    yield app
    await app.socket.close()


async def post_button(client: AsyncWebClient) -> None:
    element = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Go"},
        "action_id": "approve",
        "value": "p-1",
    }
    await client.chat_postMessage(
        channel="C0JOBS", text="go?", blocks=[{"type": "actions", "elements": [element]}]
    )


async def test_click_arrives_and_is_acknowledged(
    slack: SlackServer, client: AsyncWebClient, app: App
) -> None:
    await post_button(client)
    ack = await slack.click("U0ADA", "approve")
    assert ack.acked
    (request,) = [mode_request for mode_request in app.heard if mode_request.type == "interactive"]
    assert request.payload["user"]["id"] == "U0ADA"
    assert request.payload["container"]["message_ts"] == slack.messages[0].ts
    assert app.pressed()[0]["value"] == "p-1"


async def test_a_click_delivered_twice_arrives_twice(
    slack: SlackServer, client: AsyncWebClient, app: App
) -> None:
    await post_button(client)
    await slack.click("U0ADA", "approve", deliveries=2)
    assert [item["action_ts"] for item in app.pressed()] == [app.pressed()[0]["action_ts"]] * 2


async def test_own_messages_come_back_as_events(slack: SlackServer, client: AsyncWebClient, app: App) -> None:
    await client.chat_postMessage(channel="C0JOBS", text="hello")
    await client.chat_update(channel="C0JOBS", ts=slack.messages[0].ts, text="hello again")
    await slack.until(lambda: len(app.heard) == 2)
    assert [mode_request.payload["event"].get("subtype") for mode_request in app.heard] == [
        None,
        "message_changed",
    ]


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_client_reconnects_when_asked(
    slack: SlackServer, client: AsyncWebClient, app: App, reason: str
) -> None:
    await slack.sockets.disconnect(reason, closes=reason == "refresh_requested")
    await slack.until(lambda: slack.sockets.connections_made >= 2 and slack.sockets.count >= 1)
    await post_button(client)
    await slack.until(lambda: slack.sockets.count >= 1)
    assert (await slack.click("U0ADA", "approve")).acked
    assert app.pressed()


async def test_client_reconnects_after_the_network_is_cut(
    slack: SlackServer, client: AsyncWebClient, app: App
) -> None:
    slack.sockets.cut()
    await slack.until(lambda: slack.sockets.connections_made >= 2)
    await post_button(client)
    assert (await slack.click("U0ADA", "approve")).acked
    assert len(app.pressed()) == 1


async def test_deaf_connection_is_open_and_hears_nothing(
    slack: SlackServer, client: AsyncWebClient, app: App
) -> None:
    await post_button(client)
    await slack.until(lambda: app.heard)
    slack.sockets.go_deaf(pongs_too=False)
    ack = await slack.click("U0ADA", "approve", wait_s=0.1)
    assert not ack.acked
    assert app.pressed() == []
    assert slack.sockets.count == 1
    slack.sockets.recover()
    assert (await slack.click("U0ADA", "approve")).acked


@pytest.mark.usefixtures("app")
async def test_without_pongs_the_real_client_gives_up_the_connection(slack: SlackServer) -> None:
    slack.sockets.go_deaf()
    await slack.until(lambda: slack.sockets.connections_made >= 2)


async def test_a_link_serves_once(app: App) -> None:
    assert app.socket.wss_uri is not None
    with pytest.raises(Exception, match="408"):
        await app.socket.aiohttp_client_session.ws_connect(app.socket.wss_uri)
