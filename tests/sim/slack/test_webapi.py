"""The simulated Web API, seen through the real client."""

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.workspace import Grant

CHANNEL = "C0JOBS"


def section(text: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(**changes: object) -> dict[str, object]:
    values: dict[str, object] = {
        "type": "button",
        "text": {"type": "plain_text", "text": "Go"},
        "action_id": "go",
        "value": "p-1",
    }
    return {"type": "actions", "elements": [values | changes]}


async def code_of(call: object) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call  # type: ignore[misc]
    return str(caught.value.response["error"])


async def test_auth_test_tells_team_bot_and_scopes(client: AsyncWebClient) -> None:
    answer = await client.auth_test()
    assert (answer["team_id"], answer["user_id"]) == ("T0SIM", "U0BABYSIT")
    assert "chat:write" in answer.headers["x-oauth-scopes"]


async def test_unknown_token_is_invalid_auth(slack: SlackServer) -> None:
    stranger = AsyncWebClient(token="xoxb-wrong", base_url=slack.base_url)
    assert await code_of(stranger.auth_test()) == "invalid_auth"


async def test_app_token_cannot_post_and_bot_token_cannot_open_sockets(
    slack: SlackServer, client: AsyncWebClient
) -> None:
    app = AsyncWebClient(token=slack.app_token, base_url=slack.base_url)
    assert await code_of(app.chat_postMessage(channel=CHANNEL, text="x")) == "not_allowed_token_type"
    assert await code_of(client.apps_connections_open(app_token=slack.bot_token)) == "not_allowed_token_type"


async def test_missing_scope_names_what_is_needed(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.workspace.tokens[slack.bot_token] = Grant("bot", frozenset({"channels:history"}))
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=CHANNEL, text="x")
    assert caught.value.response["error"] == "missing_scope"
    assert caught.value.response["needed"] == "chat:write"


async def test_channels_that_cannot_be_written_to(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.workspace.add_channel("C0OUT", "out", has_bot=False)
    slack.workspace.add_channel("C0OLD", "old", is_archived=True)
    slack.workspace.add_channel("G0SECRET", "secret", is_private=True, has_bot=False)
    for channel, code in (
        ("C0NONE", "channel_not_found"),
        ("C0OUT", "not_in_channel"),
        ("C0OLD", "is_archived"),
        ("G0SECRET", "channel_not_found"),
    ):
        assert await code_of(client.chat_postMessage(channel=channel, text="x")) == code


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        ([section("x")] * 51, "invalid_blocks"),
        ([section("x" * 3001)], "invalid_blocks"),
        ([section("")], "invalid_blocks"),
        ([button(text={"type": "plain_text", "text": "x" * 76})], "invalid_blocks"),
        ([button(text={"type": "mrkdwn", "text": "x"})], "invalid_blocks"),
        ([button(action_id="x" * 256)], "invalid_blocks"),
        ([button(value="x" * 2001)], "invalid_blocks"),
        ([button(style="blue")], "invalid_blocks"),
        ([{"type": "marquee"}], "invalid_blocks"),
        ([{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}], "invalid_blocks"),
        ([{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}], "invalid_blocks"),
        ([section("x" * 2900)] * 5, "msg_blocks_too_long"),
    ],
)
async def test_blocks_beyond_the_limits_are_refused(
    client: AsyncWebClient, blocks: list[dict[str, object]], code: str
) -> None:
    assert await code_of(client.chat_postMessage(channel=CHANNEL, text="x", blocks=blocks)) == code


async def test_blocks_at_the_limits_are_taken(client: AsyncWebClient, slack: SlackServer) -> None:
    blocks = [section("x" * 3000), button(text={"type": "plain_text", "text": "x" * 75}, value="v" * 2000)]
    await client.chat_postMessage(channel=CHANNEL, text="x", blocks=[*blocks, *[section("y")] * 48])
    assert len(slack.messages[0].blocks) == 50


async def test_thread_is_read_back_with_metadata_page_by_page(client: AsyncWebClient) -> None:
    root = await client.chat_postMessage(channel=CHANNEL, text="root", metadata=outbox("m-0"))
    for number in range(1, 6):
        await client.chat_postMessage(
            channel=CHANNEL, text=f"reply {number}", thread_ts=root["ts"], metadata=outbox(f"m-{number}")
        )
    seen: list[str] = []
    cursor = None
    while True:
        page = await client.conversations_replies(
            channel=CHANNEL, ts=root["ts"], limit=2, cursor=cursor, include_all_metadata=True
        )
        seen += [message["metadata"]["event_payload"]["id"] for message in page["messages"]]
        cursor = page["response_metadata"]["next_cursor"]
        if not cursor:
            break
    assert seen == [f"m-{number}" for number in range(6)]
    without = await client.conversations_replies(channel=CHANNEL, ts=root["ts"])
    assert "metadata" not in without["messages"][0]
    history = await client.conversations_history(channel=CHANNEL)
    assert [message["text"] for message in history["messages"]] == ["root"]


def outbox(message: str) -> dict[str, object]:
    return {"event_type": "outbox", "event_payload": {"id": message}}


async def test_edit_keeps_what_it_leaves_out(client: AsyncWebClient, slack: SlackServer) -> None:
    posted = await client.chat_postMessage(
        channel=CHANNEL, text="before", blocks=[section("before")], metadata=outbox("m-1")
    )
    await client.chat_update(channel=CHANNEL, ts=posted["ts"], text="after")
    message = slack.messages[0]
    assert (message.text, message.blocks[0]["text"]["text"]) == ("after", "before")
    assert message.metadata["event_payload"] == {"id": "m-1"}
    assert [edit.text for edit in slack.edits] == ["after"]
    assert (
        await code_of(client.chat_update(channel=CHANNEL, ts=posted["ts"], text="x" * 4001)) == "msg_too_long"
    )
    assert await code_of(client.chat_update(channel=CHANNEL, ts="1.0", text="x")) == "message_not_found"


async def test_ephemeral_is_seen_by_one_person_and_stays_out_of_the_channel(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    await client.chat_postEphemeral(channel=CHANNEL, user="U0ADA", text="only you")
    assert [(ephemeral.user, ephemeral.text) for ephemeral in slack.ephemerals] == [("U0ADA", "only you")]
    assert slack.messages == []


async def test_file_reaches_the_thread(client: AsyncWebClient, slack: SlackServer) -> None:
    root = await client.chat_postMessage(channel=CHANNEL, text="root")
    await client.files_upload_v2(
        channel=CHANNEL, thread_ts=root["ts"], filename="evidence.txt", content="line\n" * 1000
    )
    (file,) = slack.files
    assert (file.name, len(file.content), file.thread_ts) == ("evidence.txt", 5000, root["ts"])


async def test_people_and_groups(client: AsyncWebClient, slack: SlackServer) -> None:
    slack.workspace.groups["S0ONCALL"] = ["U0ADA"]
    assert (await client.users_info(user="U0ADA"))["user"]["is_bot"] is False
    assert (await client.usergroups_users_list(usergroup="S0ONCALL"))["users"] == ["U0ADA"]
    assert await code_of(client.users_info(user="U0NOBODY")) == "user_not_found"
    assert await code_of(client.usergroups_users_list(usergroup="S0X")) == "no_such_subteam"


async def test_rate_limit_carries_retry_after(client: AsyncWebClient, slack: SlackServer) -> None:
    slack.faults.rate_limit("chat.postMessage", retry_after_s=30)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=CHANNEL, text="x")
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "30")
    await client.chat_postMessage(channel=CHANNEL, text="x")


async def test_lost_answer_leaves_the_message_posted(client: AsyncWebClient, slack: SlackServer) -> None:
    slack.faults.lose("chat.postMessage", after_effect=True)
    slack.faults.lose("chat.postMessage")
    for _ in range(2):
        with pytest.raises(aiohttp.ClientError):
            await client.chat_postMessage(channel=CHANNEL, text="x")
    assert len(slack.messages) == 1


async def test_server_errors_and_nonsense(client: AsyncWebClient, slack: SlackServer) -> None:
    slack.faults.status(status=503)
    slack.faults.nonsense()
    for _ in range(2):
        with pytest.raises(SlackApiError):
            await client.auth_test()
    await client.auth_test()
